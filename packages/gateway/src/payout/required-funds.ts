import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { leavesSweepFee, type UnsweptFunds } from '../sweep/unswept-funds.ts';
import { ServiceError } from '../http/error.ts';
import type { NewPayout } from './store.ts';

type RequiredFunds = Pick<NewPayout, 'asset' | 'fee_asset' | 'total' | 'fee_reserve'>;

/** The funds a payout needs, by asset. */
export function requiredFunds({
  asset,
  fee_asset,
  total,
  fee_reserve,
}: RequiredFunds): Map<string, Amount> {
  const needed = new Map<string, Amount>([[asset, parseAmount(total)]]);
  return needed.set(fee_asset, (needed.get(fee_asset) ?? 0n) + parseAmount(fee_reserve));
}

/** The missing funds by asset: for the payout, and for the sweep fees that must stay available. */
export function shortfallOf(
  payout: RequiredFunds,
  available: ReadonlyMap<string, string>,
  unswept: UnsweptFunds,
): Map<string, Amount> {
  const shortfall = new Map<string, Amount>();
  const left = new Map<string, Amount>();
  for (const [asset, needed] of requiredFunds(payout)) {
    const remaining = parseAmount(available.get(asset) ?? '0') - needed;
    if (remaining < 0n) shortfall.set(asset, -remaining);
    left.set(asset, remaining < 0n ? 0n : remaining);
  }
  if (!leavesSweepFee(unswept, left))
    shortfall.set(
      unswept.coin,
      (shortfall.get(unswept.coin) ?? 0n) + unswept.sweepFee - (left.get(unswept.coin) ?? 0n),
    );
  return new Map([...shortfall].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * @param obstacle the reason why the reserve wallet cannot buy the missing funds; null without a
 * reserve wallet
 */
export function insufficientFunds(
  payout: RequiredFunds,
  unswept: UnsweptFunds,
  obstacle: string | null = null,
): ServiceError {
  const text = (asset: string, amount: Amount): string =>
    `${formatAmount(amount)} ${kindOf(asset)?.symbol ?? asset}`;
  const parts = [...requiredFunds(payout)]
    .map(([asset, amount]) => text(asset, amount))
    .join(' and ');
  const sweepFee =
    unswept.sweepFee === 0n
      ? ''
      : ` and the ${text(unswept.coin, unswept.sweepFee)} that sweeping its deposit addresses costs`;
  const reserve =
    obstacle === null ? '' : `, and the profile's reserve wallet can't buy it: ${obstacle}`;
  return new ServiceError(
    'InsufficientFunds',
    `The wallet has less available than the ${parts} that this payout needs${sweepFee}${reserve}.`,
  );
}

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

/** A refusal for lack of funds, and the remedy. */
export interface Lack {
  /** The missing funds by asset; empty if they came meanwhile. */
  shortfall: ReadonlyMap<string, Amount>;
  /** The address for an operator's coins; null if there is none. */
  address: string | null;
  /** The reason why the reserve wallet cannot buy them; null without a reserve wallet. */
  obstacle: string | null;
}

export function insufficientFunds(
  payout: RequiredFunds,
  unswept: UnsweptFunds,
  { shortfall, address, obstacle }: Lack,
): ServiceError {
  const parts = textOf(requiredFunds(payout));
  const sweepFee =
    unswept.sweepFee === 0n
      ? ''
      : ` and the ${textOf([[unswept.coin, unswept.sweepFee]])} that sweeping its deposit addresses costs`;
  const reserve =
    obstacle === null ? '' : `, and the profile's reserve wallet can't buy it: ${obstacle}`;
  return new ServiceError(
    'InsufficientFunds',
    `The wallet has less available than the ${parts} that this payout needs${sweepFee}${reserve}.${remedy(shortfall, address)}`,
  );
}

function remedy(shortfall: ReadonlyMap<string, Amount>, address: string | null): string {
  if (shortfall.size === 0) return ' It has enough now: try again.';
  const missing = textOf(shortfall);
  return address === null
    ? ` Add ${missing} to the wallet.`
    : ` Send ${missing} to ${address}, and assign it to the wallet when it is listed as unassigned.`;
}

const textOf = (amounts: Iterable<readonly [string, Amount]>): string =>
  [...amounts]
    .map(([asset, amount]) => `${formatAmount(amount)} ${kindOf(asset)?.symbol ?? asset}`)
    .join(' and ');

import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { leavesEnough, type Lying } from '../consolidation/lying.ts';
import { ServiceError } from '../http/error.ts';
import type { NewPayout } from './store.ts';

type Needy = Pick<NewPayout, 'asset' | 'fee_asset' | 'total' | 'fee_reserve'>;

/** What is needed, by asset. */
export function needs({ asset, fee_asset, total, fee_reserve }: Needy): Map<string, Amount> {
  const needed = new Map<string, Amount>([[asset, parseAmount(total)]]);
  return needed.set(fee_asset, (needed.get(fee_asset) ?? 0n) + parseAmount(fee_reserve));
}

/** What a payout lacks, by asset: for itself, or in the coin that moves together what lies on deposit addresses. */
export function lackingOf(payout: Needy, available: ReadonlyMap<string, string>, lying: Lying): Map<string, Amount> {
  const lacking = new Map<string, Amount>();
  const left = new Map<string, Amount>();
  for (const [asset, needed] of needs(payout)) {
    const rest = parseAmount(available.get(asset) ?? '0') - needed;
    if (rest < 0n) lacking.set(asset, -rest);
    left.set(asset, rest < 0n ? 0n : rest);
  }
  if (!leavesEnough(lying, left)) lacking.set(lying.coin, (lacking.get(lying.coin) ?? 0n) + lying.cost - (left.get(lying.coin) ?? 0n));
  return new Map([...lacking].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** @param why nothing can be bought for it out of the profile's reserve wallet; null without one */
export function insufficientFunds(payout: Needy, lying: Lying, why: string | null = null): ServiceError {
  const text = (asset: string, amount: Amount): string => `${formatAmount(amount)} ${kindOf(asset)?.symbol ?? asset}`;
  const parts = [...needs(payout)].map(([asset, amount]) => text(asset, amount)).join(' and ');
  const stays =
    lying.cost === 0n
      ? ''
      : ` and the ${text(lying.coin, lying.cost)} that have to stay for the network fees of moving together what lies on deposit addresses`;
  const reserve = why === null ? '' : `, and the profile's reserve wallet can't buy it: ${why}`;
  return new ServiceError('InsufficientFunds', `The wallet has less available than the ${parts} that this payout needs${stays}${reserve}.`);
}

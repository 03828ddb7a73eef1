import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { ServiceError } from '../http/error.ts';
import type { NewPayout } from './store.ts';

type Needy = Pick<NewPayout, 'asset' | 'fee_asset' | 'total' | 'fee_reserve'>;

/** What is needed, by asset. */
export function needs({ asset, fee_asset, total, fee_reserve }: Needy): Map<string, Amount> {
  const needed = new Map<string, Amount>([[asset, parseAmount(total)]]);
  return needed.set(fee_asset, (needed.get(fee_asset) ?? 0n) + parseAmount(fee_reserve));
}

export function insufficientFunds(payout: Needy): ServiceError {
  const parts = [...needs(payout)].map(([asset, amount]) => `${formatAmount(amount)} ${kindOf(asset)?.symbol ?? asset}`);
  return new ServiceError('InsufficientFunds', `The wallet has less available than the ${parts.join(' and ')} that this payout needs.`);
}

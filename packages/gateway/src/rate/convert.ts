import type { Amount } from '@crypto-checkout/protocol/amount';
import { ServiceError } from '../http/error.ts';
import type { RateSet } from './rate-book.ts';

/**
 * Converts an amount between two currencies, `amount × from ÷ to`, with a single rounding.
 * @throws ServiceError `RateUnavailable`
 */
export function convert(
  amount: Amount,
  from: string,
  to: string,
  rates: RateSet,
  decimals: number,
  rounding: 'up' | 'down',
): Amount {
  if (from === to) return amount;
  const unit = 10n ** BigInt(18 - decimals);
  const dividend = amount * rateOf(rates, from);
  const divisor = rateOf(rates, to) * unit;
  return (rounding === 'up' ? (dividend + divisor - 1n) / divisor : dividend / divisor) * unit;
}

function rateOf(rates: RateSet, symbol: string): Amount {
  const rate = rates.usd.get(symbol);
  if (rate !== undefined && rate > 0n) return rate;
  throw new ServiceError(
    'RateUnavailable',
    `There is no exchange rate for ${symbol} at the moment.`,
  );
}

import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { Kind } from '@crypto-checkout/protocol/kind';
import { ServiceError } from '../http/error.ts';
import type { RateSet } from '../rate/rate-book.ts';
import type { Price, QuoteRequest } from './exchange.ts';

/** Amounts from this limit on have more than 18 digits before the point. */
export const TOO_LARGE = 10n ** 36n;

const HUNDRED = parseAmount('100');

/** US dollars per unit of each coin. */
export interface Rates {
  from: Amount;
  to: Amount;
}

/** @throws ServiceError `RateUnavailable` when one of the two has no rate */
export function ratesOf(rates: RateSet, from: Kind, to: Kind): Rates {
  return { from: rateOf(rates, from), to: rateOf(rates, to) };
}

/**
 * Prices a sale or a purchase, less the spread, in one exact step. The bought amount is rounded
 * down to the coin's decimals, the sold amount up. The same asset moves one to one, without a
 * spread.
 * @param spread percent
 */
export function priceOf(request: QuoteRequest, rates: Rates, spread: Amount): Price {
  const { from, to } = request;
  const [pays, costs] =
    from.asset === to.asset
      ? [1n, 1n]
      : ([rates.from * (HUNDRED - spread), rates.to * HUNDRED] as [pays: bigint, costs: bigint]);
  if ('sell' in request)
    return { sold: request.sell, bought: toDecimals(request.sell * pays, costs, to, 'down') };
  const bought = toDecimals(request.buy, 1n, to, 'up');
  return { sold: toDecimals(bought * costs, pays, from, 'up'), bought };
}

function toDecimals(
  dividend: bigint,
  divisor: bigint,
  { decimals }: Kind,
  rounding: 'up' | 'down',
): Amount {
  const unit = 10n ** BigInt(18 - decimals);
  const whole = divisor * unit;
  return ((rounding === 'up' ? dividend + whole - 1n : dividend) / whole) * unit;
}

function rateOf({ usd }: RateSet, { symbol }: Kind): Amount {
  const rate = usd.get(symbol);
  if (rate !== undefined && rate > 0n) return rate;
  throw new ServiceError(
    'RateUnavailable',
    `There is no exchange rate for ${symbol} at the moment.`,
  );
}

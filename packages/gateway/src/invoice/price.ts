import { formatAmount, parseAmount, roundUp, type Amount } from '@crypto-checkout/protocol/amount';
import { currencyOf } from '@crypto-checkout/protocol/currency';
import { invoiceDecimals, kindOf, type Kind } from '@crypto-checkout/protocol/kind';
import { ServiceError } from '../http/error.ts';
import { invalid } from '../http/invalid.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { currencyRates } from './quote.ts';
import type { CurrencyRates } from './store.ts';

export interface Price {
  /** In the coin, with the fee; null for a reusable address. */
  invoiced: Amount | null;
  /** US dollars per coin; null without a rate. */
  rateUsd: Amount | null;
  currencyRates: CurrencyRates;
}

export interface PriceRequest {
  kind: Kind;
  /** Null for a reusable address. */
  requested: Amount | null;
  currency: string;
  fee: Amount;
  /** Decimals of stablecoin amounts, from the profile. */
  stablecoinPrecision: number;
  rates: RateSet;
}

/** Amounts from this limit on have more than 18 digits before the point. */
const LIMIT = 10n ** 36n;

/**
 * Prices an invoice in its coin. Rounds up to at most 8 decimals, so that the merchant never
 * receives less than requested.
 * @throws ServiceError `RateUnavailable` when a currency has no rate; `ValidationError` when the
 * amount is too large
 */
export function priceInvoice({
  kind,
  requested,
  currency,
  fee,
  stablecoinPrecision,
  rates,
}: PriceRequest): Price {
  const rateUsd = rates.usd.get(kind.symbol) ?? null;
  const price = { rateUsd, currencyRates: currencyRates(rates, kind.symbol, currency) };
  if (requested === null) return { ...price, invoiced: null };
  const decimals = invoiceDecimals(kind, stablecoinPrecision);
  // Round the sum once: rounding amount and fee separately could overcharge by one more unit.
  const coins =
    currency === kind.symbol
      ? requested
      : convertAmount(requested, currency, kind.symbol, rates, 18);
  const invoiced = roundUp(coins + fee, decimals);
  if (invoiced < LIMIT) return { ...price, invoiced };
  const message = `is too large: ${formatAmount(requested)} ${currency} in ${kind.symbol} has more than 18 digits`;
  throw new ServiceError('ValidationError', `The amount ${message}.`, {
    errors: [{ field: 'amount', message }],
  });
}

/** Converts `amount × from ÷ to` in one exact step, rounded up to `decimals`. */
export function convertAmount(
  amount: Amount,
  from: string,
  to: string,
  rates: RateSet,
  decimals: number,
): Amount {
  const unit = 10n ** BigInt(18 - decimals);
  const dividend = amount * rateOf(rates, from);
  const divisor = rateOf(rates, to) * unit;
  return ((dividend + divisor - 1n) / divisor) * unit;
}

function rateOf(rates: RateSet, symbol: string): Amount {
  const rate = rates.usd.get(symbol);
  if (rate !== undefined && rate > 0n) return rate;
  throw new ServiceError(
    'RateUnavailable',
    `There is no exchange rate for ${symbol} at the moment.`,
  );
}

/** The caller's expected rate, and the fraction by which our rate may differ from it. */
export interface ExchangeRateLimit {
  pair: string;
  exchange_rate: string;
  allowed_difference: string;
}

/**
 * The priced coin and currency. The pair of a rate limit must be one of them, or it would not
 * protect the caller.
 */
export interface PricedPair {
  coin: Kind;
  /** Currency of the amount. */
  currency: string;
  rates: RateSet;
  /** Payload field of the limit. Default: `exchange_rate_limit`. */
  field?: string;
}

/**
 * @throws ServiceError `ExchangeRateLimitExceeded`, or `ValidationError` for a pair that is
 * unrelated or has no rate
 */
export function requireRateWithin(
  { pair, exchange_rate, allowed_difference }: ExchangeRateLimit,
  priced: PricedPair,
): void {
  const { base, quote } = ratesOfPair(pair, priced);
  const given = parseAmount(exchange_rate);
  // ours = base ÷ quote; both sides are multiplied by quote to avoid rounding.
  const difference = base * 10n ** 18n - given * quote;
  const allowed = (parseAmount(allowed_difference) * given * quote) / 10n ** 18n;
  if ((difference < 0n ? -difference : difference) <= allowed) return;
  const ours = formatAmount((base * 10n ** 18n) / quote);
  throw new ServiceError(
    'ExchangeRateLimitExceeded',
    `The rate of ${pair} is ${ours}. It differs from ${exchange_rate} by more than the fraction ${allowed_difference}.`,
  );
}

function ratesOfPair(
  pair: string,
  { coin, currency, rates, field = 'exchange_rate_limit' }: PricedPair,
): { base: Amount; quote: Amount } {
  const [crypto = '', fiat = ''] = pair.split(':');
  // For an amount in a coin, the pair may name that coin or the paid one. The caller chooses the
  // fiat currency.
  const coins =
    currencyOf(currency)?.kind === 'fiat' ? [coin.symbol] : [...new Set([coin.symbol, currency])];
  if (!coins.includes(kindOf(crypto)?.symbol ?? crypto) || currencyOf(fiat)?.kind !== 'fiat')
    throw invalid(
      `${field}.pair`,
      `must be ${coins.join(' or ')} in a fiat currency, not "${pair}"`,
    );
  const base = rates.usd.get(kindOf(crypto)?.symbol ?? crypto);
  const quote = rates.usd.get(fiat);
  if (base !== undefined && quote !== undefined && quote > 0n) return { base, quote };
  throw invalid(`${field}.pair`, `must be a pair of currencies with a rate, not "${pair}"`);
}

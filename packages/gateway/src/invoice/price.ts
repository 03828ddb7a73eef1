import { formatAmount, parseAmount, roundUp, type Amount } from '@crypto-checkout/protocol/amount';
import { currencyOf } from '@crypto-checkout/protocol/currency';
import { invoiceDecimals, kindOf, type Kind } from '@crypto-checkout/protocol/kind';
import { ServiceError } from '../http/error.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { currencyRates } from './quote.ts';
import type { CurrencyRates } from './store.ts';

export interface Price {
  /** In the coin, the fee included; null for a reusable address. */
  invoiced: Amount | null;
  /** US dollars for one coin; null where nobody knows. */
  rateUsd: Amount | null;
  currencyRates: CurrencyRates;
}

export interface PriceRequest {
  kind: Kind;
  /** Null for a reusable address. */
  requested: Amount | null;
  currency: string;
  fee: Amount;
  /** The profile's decimals for stablecoins. */
  stablecoinPrecision: number;
  rates: RateSet;
}

/** Amounts from here on can't be written in 18 digits. */
const LIMIT = 10n ** 36n;

/**
 * What an invoice costs in its coin: rounded up to at most 8 decimals, so that the merchant never gets less than was asked.
 * @throws ServiceError `RateUnavailable` when one of the two currencies has no rate; `ValidationError` when the amount is out of reach
 */
export function priceInvoice({ kind, requested, currency, fee, stablecoinPrecision, rates }: PriceRequest): Price {
  const rateUsd = rates.usd.get(kind.symbol) ?? null;
  const price = { rateUsd, currencyRates: currencyRates(rates, kind.symbol, currency) };
  if (requested === null) return { ...price, invoiced: null };
  const decimals = invoiceDecimals(kind, stablecoinPrecision);
  // Rounded once, with the fee: each by itself could cost the buyer two last digits.
  const coins = currency === kind.symbol ? requested : exchange(requested, currency, kind.symbol, rates, 18);
  const invoiced = roundUp(coins + fee, decimals);
  if (invoiced < LIMIT) return { ...price, invoiced };
  const message = `is too large: ${formatAmount(requested)} ${currency} in ${kind.symbol} has more than 18 digits`;
  throw new ServiceError('ValidationError', `The amount ${message}.`, { errors: [{ field: 'amount', message }] });
}

/** `amount × from ÷ to` in one exact step, rounded up at the last decimal that counts. */
export function exchange(amount: Amount, from: string, to: string, rates: RateSet, decimals: number): Amount {
  const unit = 10n ** BigInt(18 - decimals);
  const dividend = amount * rateOf(rates, from);
  const divisor = rateOf(rates, to) * unit;
  return ((dividend + divisor - 1n) / divisor) * unit;
}

function rateOf(rates: RateSet, symbol: string): Amount {
  const rate = rates.usd.get(symbol);
  if (rate !== undefined && rate > 0n) return rate;
  throw new ServiceError('RateUnavailable', `There is no exchange rate for ${symbol} at the moment.`);
}

/** §4.1: the caller's rate may differ from ours by a fraction of it at most. */
export interface RateLimit {
  pair: string;
  exchange_rate: string;
  allowed_difference: string;
}

/** What is priced: the pair of its limit has to be about that, or it would protect from nothing. */
export interface Priced {
  coin: Kind;
  /** What the amount is in. */
  currency: string;
  rates: RateSet;
  /** Where the limit stands. Default `exchange_rate_limit`. */
  field?: string;
}

/** @throws ServiceError `ExchangeRateLimitExceeded`, or `ValidationError` for a pair that is about something else, or has no rate */
export function requireRateWithin({ pair, exchange_rate, allowed_difference }: RateLimit, priced: Priced): void {
  const { base, quote } = ratesOfPair(pair, priced);
  const given = parseAmount(exchange_rate);
  // ours = base ÷ quote; everything multiplied by quote, so that nothing is rounded.
  const difference = base * 10n ** 18n - given * quote;
  const allowed = (parseAmount(allowed_difference) * given * quote) / 10n ** 18n;
  if ((difference < 0n ? -difference : difference) <= allowed) return;
  const ours = formatAmount((base * 10n ** 18n) / quote);
  throw new ServiceError(
    'ExchangeRateLimitExceeded',
    `The rate of ${pair} is ${ours}, which differs from ${exchange_rate} by more than ${allowed_difference} of it.`,
  );
}

function ratesOfPair(pair: string, { coin, currency, rates, field = 'exchange_rate_limit' }: Priced): { base: Amount; quote: Amount } {
  const [crypto = '', fiat = ''] = pair.split(':');
  const refuse = (message: string): ServiceError =>
    new ServiceError('ValidationError', `The member ${field}.pair ${message}.`, { errors: [{ field: `${field}.pair`, message }] });
  // An amount in a coin: what that coin, or the one it becomes, is worth. In which fiat currency is the caller's choice (§4.1).
  const coins = currencyOf(currency)?.kind === 'fiat' ? [coin.symbol] : [...new Set([coin.symbol, currency])];
  if (!coins.includes(kindOf(crypto)?.symbol ?? crypto) || currencyOf(fiat)?.kind !== 'fiat')
    throw refuse(`must be about what is priced here, ${coins.join(' or ')}, in a fiat currency, not "${pair}"`);
  const base = rates.usd.get(kindOf(crypto)?.symbol ?? crypto);
  const quote = rates.usd.get(fiat);
  if (base !== undefined && quote !== undefined && quote > 0n) return { base, quote };
  throw refuse(`must be a pair of currencies with a rate, not "${pair}"`);
}

import {
  divide,
  formatAmount,
  multiply,
  parseAmount,
  roundDown,
  type Amount,
} from '@crypto-checkout/protocol/amount';
import { currencyOf } from '@crypto-checkout/protocol/currency';
import { milliseconds } from '../database/timestamp.ts';
import type { RateSet } from '../rate/rate-book.ts';
import type { CurrencyRates, QuoteRow } from './store.ts';

export interface QuoteAt {
  /** Null for an invoice without a price (a reusable address). */
  quote: QuoteRow | null;
  /** First seen after the last quote expired: credited, but not counted towards the amount. */
  late: boolean;
}

/**
 * The quote of a payment: the one valid when the payment was first seen, also after a renewal.
 * Between two quotes it is the later one, because the buyer was shown that price.
 * @param quotes oldest first
 */
export function quoteAt(quotes: readonly QuoteRow[], seenAt: number): QuoteAt {
  const current = quotes.find(
    (quote) => quote.expires_at === null || seenAt < milliseconds(quote.expires_at),
  );
  if (current) return { quote: current, late: false };
  return { quote: quotes.at(-1) ?? null, late: quotes.length > 0 };
}

const cache = new WeakMap<RateSet, Map<string, CurrencyRates>>();

/**
 * `currency_rates` of a transaction: the coin's rate in US dollars and in the invoice's currency if
 * that is fiat.
 */
export function currencyRates(
  rates: RateSet,
  symbol: string,
  requestedCurrency: string,
): CurrencyRates {
  // Cached, because a block may hold thousands of payments with the same rates.
  const ofSet = cache.get(rates) ?? new Map<string, CurrencyRates>();
  cache.set(rates, ofSet);
  const key = `${symbol} ${requestedCurrency}`;
  const found = ofSet.get(key) ?? computeRates(rates, symbol, requestedCurrency);
  ofSet.set(key, found);
  return found;
}

function computeRates(rates: RateSet, symbol: string, requestedCurrency: string): CurrencyRates {
  const usd = rates.usd.get(symbol);
  if (usd === undefined) return {};
  const fiat = currencyOf(requestedCurrency)?.kind === 'fiat' ? [requestedCurrency] : [];
  // Same order as jsonb in the database.
  const currencies = [...new Set(['USD', ...fiat])].toSorted();
  const entries = currencies.flatMap((currency) => {
    const one = currency === 'USD' ? 10n ** 18n : rates.usd.get(currency);
    return one === undefined ? [] : [[currency, formatAmount(divide(usd, one, 'down'))] as const];
  });
  return { [symbol]: Object.fromEntries(entries) };
}

/**
 * An amount of coins in every fiat currency of the rates, rounded down once: a credit never rounds
 * up. A rate other than the dollar's is a ratio cut after 18 decimals, so it may lack up to 10^-18.
 * That part is added back before rounding; otherwise 116 USDC paid for 100 EUR would show as 99.99.
 */
export function fiatQuotes(
  amount: Amount,
  rates: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const quotes = Object.entries(rates ?? {}).map(([currency, rate]) => {
    const upperBound = parseAmount(rate) + (currency === 'USD' ? 0n : 1n);
    return [
      currency,
      formatAmount(
        roundDown(multiply(amount, upperBound, 'down'), currencyOf(currency)?.decimals ?? 2),
      ),
    ] as const;
  });
  return Object.fromEntries(quotes);
}

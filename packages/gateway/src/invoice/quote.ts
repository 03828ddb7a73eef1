import { divide, formatAmount, multiply, parseAmount, roundDown, type Amount } from '@crypto-checkout/protocol/amount';
import { currencyOf } from '@crypto-checkout/protocol/currency';
import { milliseconds } from '../database/timestamp.ts';
import type { RateSet } from '../rate/rate-book.ts';
import type { CurrencyRates, QuoteRow } from './store.ts';

export interface QuoteAt {
  /** Null when the invoice has no price (a reusable address). */
  quote: QuoteRow | null;
  /** First seen when no quote was in force any more: credited, never counted for the amount. */
  late: boolean;
}

/**
 * The quote that counts for a payment is the one in force when it was first seen, also after a renewal. Between two quotes it
 * is the next one, which the buyer was shown by then.
 * @param quotes oldest first
 */
export function quoteAt(quotes: readonly QuoteRow[], seenAt: number): QuoteAt {
  const current = quotes.find((quote) => quote.expires_at === null || seenAt < milliseconds(quote.expires_at));
  if (current) return { quote: current, late: false };
  return { quote: quotes.at(-1) ?? null, late: quotes.length > 0 };
}

const known = new WeakMap<RateSet, Map<string, CurrencyRates>>();

/** What one coin is worth, in US dollars and in the invoice's own currency when that is fiat (§2.5, `currency_rates`). */
export function currencyRates(rates: RateSet, symbol: string, requestedCurrency: string): CurrencyRates {
  // The same for thousands of payments of a block.
  const ofSet = known.get(rates) ?? new Map<string, CurrencyRates>();
  known.set(rates, ofSet);
  const key = `${symbol} ${requestedCurrency}`;
  const found = ofSet.get(key) ?? computeRates(rates, symbol, requestedCurrency);
  ofSet.set(key, found);
  return found;
}

function computeRates(rates: RateSet, symbol: string, requestedCurrency: string): CurrencyRates {
  const usd = rates.usd.get(symbol);
  if (usd === undefined) return {};
  const fiat = currencyOf(requestedCurrency)?.kind === 'fiat' ? [requestedCurrency] : [];
  // In the order in which the database keeps them.
  const currencies = [...new Set(['USD', ...fiat])].toSorted();
  const entries = currencies.flatMap((currency) => {
    const one = currency === 'USD' ? 10n ** 18n : rates.usd.get(currency);
    return one === undefined ? [] : [[currency, formatAmount(divide(usd, one, 'down'))] as const];
  });
  return { [symbol]: Object.fromEntries(entries) };
}

/**
 * An amount of coins in every fiat currency of the rates, rounded down once: a credit never rounds up. The rate of a currency other
 * than the dollar is a ratio of two, of which the text may lack up to 10^-18. That is made good before rounding, or whoever pays 116
 * USDC for 100 EUR would be quoted 99.99; what is worth less than 10^-18 per coin below a cent counts as that cent.
 */
export function fiatQuotes(amount: Amount, rates: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const quotes = Object.entries(rates ?? {}).map(([currency, rate]) => {
    const most = parseAmount(rate) + (currency === 'USD' ? 0n : 1n);
    return [currency, formatAmount(roundDown(multiply(amount, most, 'down'), currencyOf(currency)?.decimals ?? 2))] as const;
  });
  return Object.fromEntries(quotes);
}

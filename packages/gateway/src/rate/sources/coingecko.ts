import { divide } from '@crypto-checkout/protocol/amount';
import { CURRENCIES } from '@crypto-checkout/protocol/currency';
import { z } from 'zod';
import { priceOf } from '../decimal.ts';
import { symbolsAt } from '../markets.ts';
import type { Quote, RateSource } from '../source.ts';

const IDS: Readonly<Record<string, string>> = symbolsAt('coingecko');
const FIAT = new Map(
  CURRENCIES.filter(({ kind, symbol }) => kind === 'fiat' && symbol !== 'USD').map(({ symbol }) => [
    symbol.toLowerCase(),
    symbol,
  ]),
);

const prices = z.record(
  z.string(),
  z.object({ usd: z.string(), last_updated_at: z.string() }).partial(),
);
const currencies = z.object({ rates: z.record(z.string(), z.object({ value: z.string() })) });

/**
 * `simple/price` in dollars with its time, and `exchange_rates`, where every currency is priced
 * against one bitcoin.
 */
export const coingecko: RateSource = {
  name: 'coingecko',
  urls: [
    `https://api.coingecko.com/api/v3/simple/price?ids=${Object.keys(IDS).join(',')}&vs_currencies=usd&include_last_updated_at=true`,
    'https://api.coingecko.com/api/v3/exchange_rates',
  ],
  symbols: [...Object.values(IDS), ...FIAT.values()],
  read: ([coins, fiat]) => [...coinQuotes(coins), ...fiatQuotes(fiat)],
};

function coinQuotes(body: unknown): Quote[] {
  return Object.entries(prices.parse(body)).flatMap(([id, { usd, last_updated_at: at }]) => {
    const symbol = IDS[id];
    const price = priceOf(usd ?? '');
    if (symbol === undefined || price === null) return [];
    return [
      {
        symbol,
        currency: 'USD' as const,
        bid: price,
        ask: price,
        at: /^\d{9,11}$/.test(at ?? '') ? Number(at) * 1000 : null,
      },
    ];
  });
}

function fiatQuotes(body: unknown): Quote[] {
  const { rates } = currencies.parse(body);
  const dollars = priceOf(rates['usd']?.value ?? '');
  return Object.entries(rates).flatMap(([name, { value }]) => {
    const symbol = FIAT.get(name);
    const price = priceOf(value);
    if (symbol === undefined || price === null || dollars === null) return [];
    const usd = divide(dollars, price, 'down');
    return [{ symbol, currency: 'USD' as const, bid: usd, ask: usd, at: null }];
  });
}

import { z } from 'zod';
import { CURRENCIES } from '@crypto-checkout/protocol/currency';
import { inverse, priceOf } from '../decimal.ts';
import { symbolsAt } from '../markets.ts';
import type { RateSource } from '../source.ts';

const FIAT = CURRENCIES.filter(({ kind, symbol }) => kind === 'fiat' && symbol !== 'USD').map(
  ({ symbol }) => symbol,
);
const SYMBOLS: ReadonlyMap<string, string> = new Map([
  ...FIAT.map((symbol) => [symbol, symbol] as const),
  ...Object.entries(symbolsAt('coinbase')),
]);

const answer = z.object({
  data: z.object({ currency: z.literal('USD'), rates: z.record(z.string(), z.unknown()) }),
});

/**
 * `GET /v2/exchange-rates?currency=USD`: how much of everything one dollar buys; the widest list of
 * currencies. One price, no spread, no time.
 */
export const coinbase: RateSource = {
  name: 'coinbase',
  urls: ['https://api.coinbase.com/v2/exchange-rates?currency=USD'],
  symbols: [...SYMBOLS.values()],
  read([body]) {
    return Object.entries(answer.parse(body).data.rates).flatMap(([name, rate]) => {
      const symbol = SYMBOLS.get(name);
      const price = typeof rate === 'string' ? priceOf(rate) : null;
      if (symbol === undefined || price === null) return [];
      return [
        { symbol, currency: 'USD' as const, bid: inverse(price), ask: inverse(price), at: null },
      ];
    });
  },
};

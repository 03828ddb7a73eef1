import { z } from 'zod';
import { CURRENCIES } from '@crypto-checkout/protocol/currency';
import { inverse, priceOf } from '../decimal.ts';
import type { RateSource } from '../source.ts';

const FIAT = new Set(
  CURRENCIES.filter(({ kind, symbol }) => kind === 'fiat' && symbol !== 'USD').map(
    ({ symbol }) => symbol,
  ),
);

const answer = z.object({
  result: z.literal('success'),
  base_code: z.literal('USD'),
  time_last_update_unix: z.string().regex(/^\d{9,11}$/),
  rates: z.record(z.string(), z.string()),
});

/**
 * `GET /v6/latest/USD`: reference rates of every currency, published once a day: the second opinion
 * for currencies that hardly any exchange trades. Their age is the age of all reference rates, so
 * they may be 26 hours old (a choice).
 */
export const erApi: RateSource = {
  name: 'er-api',
  urls: ['https://open.er-api.com/v6/latest/USD'],
  symbols: [...FIAT],
  maxAgeMs: 26 * 60 * 60 * 1000,
  read([body]) {
    const { rates, time_last_update_unix: at } = answer.parse(body);
    return Object.entries(rates).flatMap(([symbol, rate]) => {
      const price = priceOf(rate);
      if (!FIAT.has(symbol) || price === null) return [];
      return [
        {
          symbol,
          currency: 'USD' as const,
          bid: inverse(price),
          ask: inverse(price),
          at: Number(at) * 1000,
        },
      ];
    });
  },
};

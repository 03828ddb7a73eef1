import { z } from 'zod';
import { priceOf } from '../decimal.ts';
import { symbolsAt } from '../markets.ts';
import type { RateSource } from '../source.ts';

const PAIRS: Readonly<Record<string, string>> = {
  ...symbolsAt('bitstamp'),
  'EUR/USD': 'EUR',
  'GBP/USD': 'GBP',
};

const answer = z.array(
  z.object({ pair: z.string(), bid: z.string(), ask: z.string(), timestamp: z.string() }),
);

/** `GET /api/v2/ticker/`: all pairs, each with the time of its price in seconds. */
export const bitstamp: RateSource = {
  name: 'bitstamp',
  urls: ['https://www.bitstamp.net/api/v2/ticker/'],
  symbols: Object.values(PAIRS),
  read([body]) {
    return answer.parse(body).flatMap(({ pair, bid: bidText, ask: askText, timestamp }) => {
      const symbol = PAIRS[pair];
      const [bid, ask] = [priceOf(bidText), priceOf(askText)];
      if (symbol === undefined || bid === null || ask === null) return [];
      return [
        {
          symbol,
          currency: 'USD' as const,
          bid,
          ask,
          at: /^\d{9,11}$/.test(timestamp) ? Number(timestamp) * 1000 : null,
        },
      ];
    });
  },
};

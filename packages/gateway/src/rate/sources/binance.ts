import { z } from 'zod';
import { priceOf } from '../decimal.ts';
import { symbolsAt } from '../markets.ts';
import type { RateSource } from '../source.ts';

const PAIRS: Readonly<Record<string, string>> = { ...symbolsAt('binance'), EURUSDT: 'EUR' };

const answer = z.array(
  z.object({ symbol: z.string(), bidPrice: z.string(), askPrice: z.string() }),
);

/**
 * `GET /api/v3/ticker/bookTicker` on the host for market data alone, which is reachable from more
 * places. Against USDT, no time.
 */
export const binance: RateSource = {
  name: 'binance',
  urls: ['https://data-api.binance.vision/api/v3/ticker/bookTicker'],
  symbols: [...new Set(Object.values(PAIRS))],
  read([body]) {
    return answer.parse(body).flatMap(({ symbol: pair, bidPrice, askPrice }) => {
      const symbol = PAIRS[pair];
      const [bid, ask] = [priceOf(bidPrice), priceOf(askPrice)];
      return symbol === undefined || bid === null || ask === null
        ? []
        : [{ symbol, currency: 'USDT' as const, bid, ask, at: null }];
    });
  },
};

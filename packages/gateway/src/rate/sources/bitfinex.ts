import { z } from 'zod';
import { priceOf } from '../decimal.ts';
import { symbolsAt } from '../markets.ts';
import type { RateSource } from '../source.ts';

const PAIRS: Readonly<Record<string, string>> = symbolsAt('bitfinex');

const row = z.tuple([z.string(), z.string(), z.unknown(), z.string()], z.unknown());

/** `GET /v2/tickers`: rows of `[pair, bid, bid size, ask, …]`. No time. */
export const bitfinex: RateSource = {
  name: 'bitfinex',
  urls: [`https://api-pub.bitfinex.com/v2/tickers?symbols=${Object.keys(PAIRS).join(',')}`],
  symbols: Object.values(PAIRS),
  read([body]) {
    return z
      .array(z.unknown())
      .parse(body)
      .flatMap((item) => {
        const read = row.safeParse(item);
        if (!read.success) return [];
        const symbol = PAIRS[read.data[0]];
        const [bid, ask] = [priceOf(read.data[1]), priceOf(read.data[3])];
        return symbol === undefined || bid === null || ask === null
          ? []
          : [{ symbol, currency: 'USD' as const, bid, ask, at: null }];
      });
  },
};

import { z } from 'zod';
import { inverse, priceOf } from '../decimal.ts';
import { symbolsAt } from '../markets.ts';
import type { Quote, RateSource } from '../source.ts';

/** By key in Kraken's results; currencies have the prefix Z. */
const PAIRS: Readonly<Record<string, string>> = {
  ...symbolsAt('kraken'),
  ZEURZUSD: 'EUR',
  ZGBPZUSD: 'GBP',
  AUDUSD: 'AUD',
};
/** Pairs that price the dollar: the currency is their inverse. */
const DOLLAR_PAIRS: Readonly<Record<string, string>> = {
  ZUSDZCAD: 'CAD',
  USDCHF: 'CHF',
  ZUSDZJPY: 'JPY',
};

const answer = z.object({
  error: z.array(z.string()),
  result: z.record(z.string(), z.unknown()).optional(),
});
const ticker = z.object({
  a: z.tuple([z.string()], z.unknown()),
  b: z.tuple([z.string()], z.unknown()),
});

/**
 * `GET /0/public/Ticker`: all pairs, since one unknown name in a list refuses the whole list. No
 * time is stated.
 */
export const kraken: RateSource = {
  name: 'kraken',
  urls: ['https://api.kraken.com/0/public/Ticker'],
  symbols: [...Object.values(PAIRS), ...Object.values(DOLLAR_PAIRS)],
  read([body]) {
    const { error, result } = answer.parse(body);
    // Errors come with HTTP 200; with a result they are warnings.
    if (result === undefined) throw new Error(`Kraken refuses: ${error.join(', ')}`);
    return Object.entries(result).flatMap(([pair, value]) => quote(pair, value));
  },
};

function quote(pair: string, value: unknown): Quote[] {
  const symbol = PAIRS[pair] ?? DOLLAR_PAIRS[pair];
  const read = ticker.safeParse(value);
  if (symbol === undefined || !read.success) return [];
  const [ask, bid] = [priceOf(read.data.a[0]), priceOf(read.data.b[0])];
  if (ask === null || bid === null) return [];
  const isInverse = pair in DOLLAR_PAIRS;
  return [
    {
      symbol,
      currency: 'USD',
      bid: isInverse ? inverse(ask) : bid,
      ask: isInverse ? inverse(bid) : ask,
      at: null,
    },
  ];
}

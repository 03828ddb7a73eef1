import { MARKETS } from './markets.ts';
import type { RateSource } from './source.ts';
import { binance } from './sources/binance.ts';
import { bitfinex } from './sources/bitfinex.ts';
import { bitstamp } from './sources/bitstamp.ts';
import { coinbase } from './sources/coinbase.ts';
import { coingecko } from './sources/coingecko.ts';
import { erApi } from './sources/er-api.ts';
import { kraken } from './sources/kraken.ts';

/** The public sources. Every larger coin has at least three; none needs an API key. */
export const PUBLIC_SOURCES: readonly RateSource[] = [
  kraken,
  coinbase,
  binance,
  coingecko,
  bitfinex,
  bitstamp,
  erApi,
];

/** Symbols without a market of their own that are redeemed one to one for another. */
export const SAME_AS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(MARKETS).flatMap(([symbol, { sameAs }]) =>
    sameAs === undefined ? [] : [[symbol, sameAs]],
  ),
);

import { CHAIN_DETAILS, type Market } from '@crypto-checkout/protocol/chain-details';

/** Every priced symbol, from the files of the chains. */
export const MARKETS: Readonly<Record<string, Market>> = Object.assign(
  {},
  ...Object.values(CHAIN_DETAILS).map(({ markets }) => markets),
);

type SourceName = 'binance' | 'bitfinex' | 'bitstamp' | 'coinbase' | 'coingecko' | 'kraken';

/**
 * Our symbols by their names at a source.
 * @example symbolsAt('kraken')['XXBTZUSD'] // 'BTC'
 */
export function symbolsAt(source: SourceName): Record<string, string> {
  return Object.fromEntries(
    Object.entries(MARKETS).flatMap(([symbol, { [source]: names = [] }]) =>
      [names].flat().map((name) => [name, symbol]),
    ),
  );
}

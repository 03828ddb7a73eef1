import type { Kind, KindName } from './kind.ts';

/**
 * The order of a picker, most used first, by the shares that payment companies publish. Other kinds
 * follow in the order of the chains' files.
 */
const MOST_USED = [
  'BTC',
  'BTC_LIGHTNING',
  'USDT-TRX',
  'ETH',
  'LTC',
  'ETH_USDT',
  'ETH_USDC',
  'SOL',
  'USDC-SOL',
  'USDT-SOL',
  'XRP',
  'USDT-BSC',
  'BNB',
  'DOGE',
  'TRX',
  'USDC-BASE',
  'ETH-BASE',
  'USDC-POLYGON',
  'USDT-POLYGON',
  'POL',
  'USDT-TON',
  'TON',
  'USDC-ARBITRUM',
  'USDT-ARBITRUM',
  'ETH-ARBITRUM',
  'USDC-BSC',
  'ETH_DAI',
] as const satisfies readonly KindName[];

const RANKS: ReadonlyMap<string, number> = new Map(MOST_USED.map((kind, rank) => [kind, rank]));

/** Sorts kinds by popularity; unranked kinds keep their order. */
export function byPopularity(kinds: readonly Kind[]): Kind[] {
  const rankOf = ({ kind }: Kind): number => RANKS.get(kind) ?? RANKS.size;
  return kinds.toSorted((a, b) => rankOf(a) - rankOf(b));
}

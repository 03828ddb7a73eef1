import { CHAINS, type Kind, KINDS } from './kind.ts';

/**
 * How long a payment usually takes until it has so many confirmations: the chain's time between blocks for each. Not a promise, and
 * on chains of seconds no more than "a moment".
 * @example usualSeconds(kindOf('BTC')!, 2) // 1200
 */
export function usualSeconds(kind: Kind, confirmations: number): number {
  return Math.ceil(CHAINS[kind.chain].blockSeconds * confirmations);
}

/**
 * Symbol of the coin that pays the network's fee, or null when the coin does so itself: a wallet with nothing but the token can't
 * send it.
 * @example gasOf(kindOf('USDT-TRX')!) // 'TRX'
 */
export function gasOf(kind: Kind): string | null {
  if (!kind.token) return null;
  const own = KINDS.find(({ chain, token }) => chain === kind.chain && !token);
  return own && own.symbol !== kind.symbol ? own.symbol : null;
}

/** What shops are paid with most, first to last (a choice of ours after what payment companies publish); the rest follows in the table's order. */
const MOST_USED: readonly string[] = [
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
];

/** Kinds with the most used first; kinds that nobody prefers stay in their order. */
export function byUse(kinds: readonly Kind[]): Kind[] {
  const rank = ({ kind }: Kind): number => (MOST_USED.includes(kind) ? MOST_USED.indexOf(kind) : MOST_USED.length);
  return kinds.toSorted((a, b) => rank(a) - rank(b));
}

import { CHAINS, type Kind } from './kind.ts';

/**
 * The usual time until a payment has so many confirmations: one block each. An estimate for buyers.
 * @example usualSeconds(kindOf('BTC')!, 2) // 1200
 */
export function usualSeconds(kind: Kind, confirmations: number): number {
  return Math.ceil(CHAINS[kind.chain].blockSeconds * confirmations);
}

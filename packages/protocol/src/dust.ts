import { parseAmount } from './amount.ts';
import type { ChainId } from './kind.ts';

/** Outputs below it are not relayed (Bitcoin Core's default; Dogecoin's is 0.01). */
const DUST: Partial<Record<ChainId, string>> = { bitcoin: '0.00000546', litecoin: '0.00005460', dogecoin: '0.01' };

/**
 * The least that a chain's network passes on, as a decimal string; null where any amount is.
 * @example leastRelayed('bitcoin') // '0.00000546'
 */
export function leastRelayed(chain: ChainId): string | null {
  return DUST[chain] ?? null;
}

/** Whether the network would pass a payment of an amount on. */
export function isRelayed(amount: string, chain: ChainId): boolean {
  const least = leastRelayed(chain);
  return least === null || parseAmount(amount) >= parseAmount(least);
}

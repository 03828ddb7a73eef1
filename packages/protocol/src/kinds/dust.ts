import { parseAmount } from '../amount/amount.ts';
import type { ChainId } from '../chains/registry.ts';
import { CHAIN_DETAILS } from '../chains/registry.ts';

/**
 * The smallest amount that a chain's nodes relay, as a decimal string; null where every amount is.
 * @example dustLimit('bitcoin') // '0.00000546'
 */
export function dustLimit(chain: ChainId): string | null {
  return CHAIN_DETAILS[chain].dust;
}

/** Whether nodes relay a payment of this amount. */
export function isAboveDust(amount: string, chain: ChainId): boolean {
  const limit = dustLimit(chain);
  return limit === null || parseAmount(amount) >= parseAmount(limit);
}

import { z } from 'zod';

/** Decimals of each UTXO chain's coin. */
export const DECIMALS = 8;

/**
 * An amount of coins in a node's answer. `exactNumbers` of the JSON-RPC client keeps those with a
 * fraction as text.
 */
export const coins = z.union([
  z.string().regex(/^\d{1,12}(?:\.\d{1,8})?$/),
  z.number().int().min(0).max(1e12),
  // As JavaScript shows amounts below a millionth.
  z.string().regex(/^\d(?:\.\d)?e-0?[78]$/),
]);

/** In the smallest unit. */
export function unitsOf(value: z.infer<typeof coins>): bigint {
  if (typeof value === 'number') return BigInt(value) * 10n ** BigInt(DECIMALS);
  const [mantissa = '', exponent = '0'] = value.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const shift = DECIMALS + Number(exponent) - fraction.length;
  return BigInt(whole + fraction) * 10n ** BigInt(shift);
}

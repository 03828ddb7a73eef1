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

/** Core 0.14, and so Dogecoin, has -1 where it has no estimate; later versions leave it out. */
const noEstimate = z
  .union([z.number().negative(), z.string().startsWith('-')])
  .transform((): undefined => undefined);

/** The answer of `estimatesmartfee`, in coins per 1,000 bytes. */
export const estimate = z.object({ feerate: z.union([coins, noEstimate]).optional() });

/** In the smallest unit. */
export function unitsOf(value: z.infer<typeof coins>): bigint {
  if (typeof value === 'number') return BigInt(value) * 10n ** BigInt(DECIMALS);
  const [mantissa = '', exponent = '0'] = value.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const shift = DECIMALS + Number(exponent) - fraction.length;
  return BigInt(whole + fraction) * 10n ** BigInt(shift);
}

import type { Amount } from '@crypto-checkout/protocol/amount';

/**
 * Splits an amount by weights, in whole units. The units that are left go to the first parts with a
 * fraction, so the parts are the whole amount. Without any weight the first one gets it all.
 */
export function sharesOf(whole: Amount, weights: readonly Amount[], unit: Amount): Amount[] {
  const units = whole / unit;
  const sum = sumOf(weights);
  if (sum === 0n) return weights.map((_, at) => (at === 0 ? whole : 0n));
  const parts = weights.map((weight) => (units * weight) / sum);
  let left = units - sumOf(parts);
  return parts.map((part, at) => {
    const hasFraction = (units * weights[at]!) % sum !== 0n;
    if (left === 0n || !hasFraction) return part * unit;
    left -= 1n;
    return (part + 1n) * unit;
  });
}

const sumOf = (amounts: readonly Amount[]): Amount => amounts.reduce((sum, one) => sum + one, 0n);

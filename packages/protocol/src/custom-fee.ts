import type { Amount } from './amount.ts';

/**
 * What is left of an invoice's payments after its custom fee (§2.3): the fee is taken from them in order of arrival until it is used up.
 * Their sum is `paid`; the sum of the payments themselves is `paid_total`.
 * @param amounts payments in order of arrival.
 * @example afterCustomFee([2n, 5n], 3n) // [0n, 4n]
 */
export function afterCustomFee(amounts: readonly Amount[], fee: Amount): Amount[] {
  let left = fee;
  return amounts.map((amount) => {
    const taken = amount < left ? amount : left;
    left -= taken;
    return amount - taken;
  });
}

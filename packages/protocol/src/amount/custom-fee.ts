import type { Amount } from './amount.ts';

/**
 * Deducts an invoice's custom fee from its payments, in order of arrival. The sum of the results is
 * `paid`; the sum of the payments is `paid_total`.
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

import { type Amount, divide, roundDown, SCALE } from '../amount/amount.ts';

/** The amounts of an invoice: one in the order's currency, and the same in its coin. */
export interface QuotedAmounts {
  requested: Amount;
  invoiced: Amount;
}

/**
 * The shortest rate that leads from the requested to the invoiced amount: `96000`, not the
 * `95999.16` that dividing a rounded amount returns. For display only.
 * @param decimals - Decimals that the invoiced amount was rounded up to.
 */
export function quoteRate({ requested, invoiced }: QuotedAmounts, decimals: number): Amount {
  const least = divide(requested, invoiced, 'up');
  const before = invoiced - 10n ** BigInt(SCALE - decimals);
  // At this rate and above, one unit less would be asked for.
  const limit = before > 0n ? divide(requested, before, 'up') : least;
  for (let step = 10n ** BigInt(least.toString().length); step > 0n; step /= 10n) {
    const rate = ((least + step - 1n) / step) * step;
    if (rate < limit) return roundRate(rate);
  }
  return roundRate(least);
}

/** Rounds a rate to two decimals, or to six significant digits if it is small. */
export function roundRate(rate: Amount): Amount {
  const digits = rate.toString().length;
  return roundDown(rate, Math.min(18, Math.max(2, 18 - digits + 6)));
}

import type { Amount } from '@crypto-checkout/protocol/amount';

const PERCENT = 100n * 10n ** 18n;

/**
 * Whether payments make up what was asked, each measured against the price that was in force when it was first seen.
 * Exact: the parts are added as fractions.
 * @param negativeDifference percent of the amount that may be missing
 */
export function matches(payments: readonly { amount: Amount; invoiced: Amount }[], negativeDifference: Amount): boolean {
  if (payments.length === 0) return false;
  const byPrice = new Map<Amount, Amount>();
  for (const { amount, invoiced } of payments) byPrice.set(invoiced, (byPrice.get(invoiced) ?? 0n) + amount);
  let numerator = 0n;
  let denominator = 1n;
  for (const [invoiced, amount] of byPrice) {
    numerator = numerator * invoiced + amount * denominator;
    denominator *= invoiced;
  }
  return numerator * PERCENT >= denominator * (PERCENT - negativeDifference);
}

/**
 * What a payment is worth after the custom fee (§2.3): the fee is taken from the transactions in order of arrival until it is
 * used up.
 * @param before sum of the transactions that came earlier
 */
export function afterFee(amount: Amount, fee: Amount, before: Amount): Amount {
  const left = fee > before ? fee - before : 0n;
  return amount > left ? amount - left : 0n;
}

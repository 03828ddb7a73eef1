import type { Amount } from '@crypto-checkout/protocol/amount';

const PERCENT = 100n * 10n ** 18n;

/**
 * Reports whether payments cover the invoice. Each payment counts as a fraction of the price that
 * was valid when it was first seen; the fractions are added exactly.
 * @param negativeDifference accepted underpayment, in percent
 */
export function matches(
  payments: readonly { amount: Amount; invoiced: Amount }[],
  negativeDifference: Amount,
): boolean {
  if (payments.length === 0) return false;
  const byPrice = new Map<Amount, Amount>();
  for (const { amount, invoiced } of payments)
    byPrice.set(invoiced, (byPrice.get(invoiced) ?? 0n) + amount);
  let numerator = 0n;
  let denominator = 1n;
  for (const [invoiced, amount] of byPrice) {
    numerator = numerator * invoiced + amount * denominator;
    denominator *= invoiced;
  }
  return numerator * PERCENT >= denominator * (PERCENT - negativeDifference);
}

/**
 * The amount of a payment after the custom fee. The fee is deducted from the transactions in order
 * of arrival until it is used up.
 * @param before sum of the earlier transactions
 */
export function afterFee(amount: Amount, fee: Amount, before: Amount): Amount {
  const left = fee > before ? fee - before : 0n;
  return amount > left ? amount - left : 0n;
}

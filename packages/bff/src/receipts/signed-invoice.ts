import { isPaidStage } from '@crypto-checkout/protocol/checkout';
import { type Amount, parseAmount } from '@crypto-checkout/protocol/amount';
import { checkoutState, type StateContext } from '../checkouts/checkout-state.ts';
import type { CheckoutInvoice, CheckoutRecord } from '../checkouts/repository/record.ts';
import { NO_ORDER } from '../orders/terms.ts';

/**
 * The invoice whose receipt the service signs, by the service's rules: one that is paid by itself;
 * otherwise one that asks for the whole order, has a payment that counts, and is covered by the
 * order's payments since it was created. It is computed here from the payments of all invoices: a
 * payment of one can complete the sum of another one, which is not read again for it.
 * @param invoiceId only this one; null for any of the order
 */
export function signedInvoice(
  record: CheckoutRecord,
  context: StateContext,
  invoiceId: string | null,
): CheckoutInvoice | undefined {
  const newest = record.invoices.toSorted(
    (a, b) => Date.parse(b.created_at) - Date.parse(a.created_at),
  );
  const findAmong = (some: readonly CheckoutInvoice[]): CheckoutInvoice | undefined =>
    some.find(({ id }) => invoiceId === null || id === invoiceId);
  const isPaid = (some: CheckoutRecord): boolean => isPaidStage(checkoutState(some, context).stage);

  const settled = findAmong(newest.filter(({ status }) => isPaidStage(status)));
  // Late money counts here at the price of its arrival: an order may have a rest all the same.
  if (settled || !isPaid(record)) return settled;
  const counted = atQuotes(record);
  const alone = newest.filter(
    (one) => requestedBy(one) > 0n && isPaid({ ...counted, terms: NO_ORDER, invoices: [one] }),
  );
  if (alone.length > 0) return findAmong(alone);
  if (record.terms.order_id === null) return undefined;
  const asksForWhole = (one: CheckoutInvoice): boolean =>
    newest.every((other) => requestedBy(other) <= requestedBy(one));
  const hasPayment = (one: CheckoutInvoice): boolean =>
    isPositive(checkoutState({ ...counted, terms: NO_ORDER, invoices: [one] }, context).paid);
  const isCovered = (one: CheckoutInvoice): boolean => isPaid(since(counted, one.created_at));
  return findAmong(newest.filter((one) => asksForWhole(one) && hasPayment(one) && isCovered(one)));
}

const isPositive = (amount: string): boolean => parseAmount(amount) > 0n;

const requestedBy = ({ amount: { requested } }: CheckoutInvoice): Amount =>
  parseAmount(requested?.amount ?? '0');

/** Without the payments from before a time. */
const since = (record: CheckoutRecord, time: string): CheckoutRecord => ({
  ...record,
  transactions: record.transactions.filter(
    ({ created_at }) => Date.parse(created_at) >= Date.parse(time),
  ),
});

/** Late money as the service counts it: at the quote of its invoice, and not as it arrived. */
const atQuotes = ({ late_rates, transactions, ...record }: CheckoutRecord): CheckoutRecord => ({
  ...record,
  late_rates: {},
  transactions: transactions.map((one) =>
    Object.hasOwn(late_rates, one.id) ? { ...one, late_accepted: true } : one,
  ),
});

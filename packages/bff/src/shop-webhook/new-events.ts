import { parseAmount } from '@crypto-checkout/protocol/amount';
import { isPaidStage } from '@crypto-checkout/protocol/checkout';
import type { CheckoutState } from '@crypto-checkout/protocol/stage';
import { withDecimals } from '@crypto-checkout/protocol/currency';
import { isWrongCoin } from '@crypto-checkout/protocol/invoice-tally';
import { isVoidStatus } from '@crypto-checkout/protocol/void-status';
import {
  type CheckoutInvoice,
  type CheckoutRecord,
  type StoredEvent,
  selectedInvoice,
} from '../checkouts/repository/record.ts';
import { hasUnverifiedPrice } from '../orders/terms.ts';
import { isExpiredForGood } from './expiry.ts';
import type { ServiceRefund, ServiceTransaction } from '../service/schema.ts';
import type { ShopEvent, ShopEventName } from '@crypto-checkout/protocol/shop-event';

/**
 * The events that the shop has not received yet. Each has a natural key, so that the decision can
 * be repeated. `paid` and `reversed` may alternate, and `overpaid` is sent again with another sum:
 * from the second time on their keys are numbered.
 */
export function newEvents(
  record: CheckoutRecord,
  state: CheckoutState,
  options: { network: string; profileId: string; now: number; serverTime: number },
): StoredEvent[] {
  const subject = eventInvoice(record);
  if (
    subject?.profile_id !== options.profileId ||
    state.remaining === null ||
    state.stage === 'wait'
  )
    return [];
  const known = new Set(record.events.map(({ id }) => id));
  return dueEvents(record, state, options.serverTime)
    .map(([event, key, about]) => ({ event, id: `${record.id}.${key}`, about }))
    .filter(({ id }) => !known.has(id))
    .map(({ event, id, about }) => ({
      id,
      event,
      body: JSON.stringify(eventBody(event, record, state, { ...options, subject, ...about })),
      attempts: 0,
      next_at: options.now,
      done_at: null,
    }));
}

/** The payment or the refund that an event is about. Default: the newest payment. */
interface About {
  payment?: ServiceTransaction | undefined;
  refund?: ServiceRefund | undefined;
}

type Due = [event: ShopEventName, key: string, about?: About];

function dueEvents(record: CheckoutRecord, state: CheckoutState, serverTime: number): Due[] {
  const { stage, notes } = state;
  const paid = isPaidStage(stage);
  const times = (event: ShopEventName) => record.events.filter((one) => one.event === event).length;
  const [paidBefore, reversedBefore] = [times('checkout.paid'), times('checkout.reversed')];
  const due: Due[] = [];
  if (paid || stage === 'seen' || parseAmount(state.paid) > 0n) due.push(['checkout.seen', 'seen']);
  // Before its consequences, so that the last event of a batch is the current state.
  if (parseAmount(state.late) > 0n || notes.includes('late_accepted'))
    due.push(...latePayments(record, state));
  for (const payment of paymentsOf(record).filter((one) =>
    isWrongCoin(invoiceOf(one, record)!, one),
  ))
    due.push(['checkout.wrong_coin', `wrong-coin-${payment.id}`, { payment }]);
  if (stage === 'underpaid' && isUnderpaidForGood(record, serverTime))
    due.push(['checkout.underpaid', 'underpaid']);
  if (isExpiredForGood(record, state, serverTime)) due.push(['checkout.expired', 'expired']);
  if (paid && paidBefore === reversedBefore)
    due.push(['checkout.paid', numbered('paid', paidBefore + 1)]);
  if (!paid && paidBefore > reversedBefore)
    due.push(['checkout.reversed', numbered('reversed', reversedBefore + 1)]);
  if (paid && overpaymentGrew(record, state))
    due.push(['checkout.overpaid', numbered('overpaid', times('checkout.overpaid') + 1)]);
  if (stage === 'complete') due.push(['checkout.complete', 'complete']);
  for (const refund of record.refunds) {
    const payment = record.transactions.find(({ id }) => id === refund.transaction_id);
    const about = { refund, payment };
    due.push(['checkout.refund_requested', `refund-requested-${refund.id}`, about]);
    if (refund.status === 'paid') due.push(['checkout.refunded', `refunded-${refund.id}`, about]);
  }
  return due;
}

const numbered = (name: string, count: number): string => (count === 1 ? name : `${name}-${count}`);

/**
 * The late payments that no event has reported. An event without a payment is from an earlier
 * version, which sent one for all of them.
 */
function latePayments(record: CheckoutRecord, { transactionValues }: CheckoutState): Due[] {
  const sent = record.events
    .filter(({ event }) => event === 'checkout.late')
    .map(({ body }) => (JSON.parse(body) as ShopEvent).payment?.transaction_id);
  if (sent.includes(undefined)) return [];
  return record.transactions
    .filter((one, at) => transactionValues[at]?.late === true && !sent.includes(one.id))
    .map((payment, at) => [
      'checkout.late',
      sent.length + at === 0 ? 'late' : `late-${payment.id}`,
      { payment },
    ]);
}

const UNCONFIRMED: readonly string[] = ['pending', 'unconfirmed'];

/**
 * Whether the order is overpaid, and the last `overpaid` event had less excess, or fewer notes. The
 * shop may refund each time, so a smaller excess is reported only with another payment: a part that
 * is asked back is no news.
 */
function overpaymentGrew(record: CheckoutRecord, { notes, paid, excess }: CheckoutState): boolean {
  if (!notes.includes('overpaid') && !notes.includes('paid_twice')) return false;
  // Wait for confirmations: a refund for a payment that never confirms would be a loss.
  if (record.transactions.some(({ status }) => UNCONFIRMED.includes(status))) return false;
  const last = record.events.findLast(({ event }) => event === 'checkout.overpaid');
  if (!last) return true;
  const sent = JSON.parse(last.body) as ShopEvent;
  if (notes.includes('paid_twice') && !sent.notes.includes('paid_twice')) return true;
  // Earlier versions sent no excess.
  if (sent.excess === undefined) return parseAmount(sent.paid) !== parseAmount(paid);
  const [before, now] = [parseAmount(sent.excess), parseAmount(excess)];
  const isOtherPayment = sent.payment?.transaction_id !== newestPayment(record)?.id;
  return now > before || (now !== before && isOtherPayment);
}

/** A part was paid, and the rest may not come: the quote has expired, or the part is final. */
function isUnderpaidForGood(record: CheckoutRecord, serverTime: number): boolean {
  return record.invoices.some((invoice) => {
    const own = record.transactions.filter(
      (one) => one.invoice?.id === invoice.id && !isVoidStatus(one.status),
    );
    const ended =
      invoice.status === 'expired' ||
      (invoice.expires_at !== null && Date.parse(invoice.expires_at) <= serverTime);
    return own.length > 0 && (ended || own.some(({ status }) => status === 'complete'));
  });
}

/** The invoice with the latest payment, else the one that the buyer sees. */
function eventInvoice(record: CheckoutRecord): CheckoutInvoice | undefined {
  const newest = newestPayment(record);
  return (newest && invoiceOf(newest, record)) ?? selectedInvoice(record) ?? record.invoices.at(-1);
}

/** All payments to the invoices of the checkout, in any coin, that may still arrive. */
const paymentsOf = (record: CheckoutRecord): ServiceTransaction[] =>
  record.transactions.filter(
    (one) => !isVoidStatus(one.status) && invoiceOf(one, record) !== undefined,
  );

/** A payment in another coin counts for nothing: it is named only while there is no other. */
function newestPayment(record: CheckoutRecord): ServiceTransaction | undefined {
  const payments = paymentsOf(record).toSorted(
    (a, b) => Date.parse(b.created_at) - Date.parse(a.created_at),
  );
  return payments.find((one) => !isWrongCoin(invoiceOf(one, record)!, one)) ?? payments[0];
}

const invoiceOf = (
  { invoice }: ServiceTransaction,
  { invoices }: CheckoutRecord,
): CheckoutInvoice | undefined => invoices.find(({ id }) => id === invoice?.id);

function eventBody(
  event: ShopEventName,
  record: CheckoutRecord,
  state: CheckoutState,
  {
    network,
    subject,
    refund,
    payment = newestPayment(record),
  }: { network: string; subject: CheckoutInvoice } & About,
): ShopEvent {
  const { terms } = record;
  // With the decimals of `amount`: shops often compare both as text.
  const shown = (sum: string) => withDecimals(sum, terms.amount?.split('.')[1]?.length ?? 0);
  return {
    event,
    checkout_id: record.id,
    order_id: terms.order_id,
    amount: terms.amount,
    currency: terms.currency,
    network,
    stage: state.stage,
    notes: event === 'checkout.reversed' ? [...state.notes, 'reversed'] : state.notes,
    invoice_id: subject.id,
    kind: subject.kind,
    paid: shown(state.paid),
    ...(parseAmount(state.excess) > 0n && { excess: shown(state.excess) }),
    ...(payment && { payment: paymentMember(payment) }),
    ...(hasUnverifiedPrice(terms) && { unverified_price: true as const }),
    ...(refund && { refund: refundMember(refund, record) }),
    ...(terms.passthrough !== null && { passthrough: terms.passthrough }),
  };
}

const paymentMember = ({
  id,
  txid,
  kind,
  amount: { paid, paid_total },
}: ServiceTransaction): NonNullable<ShopEvent['payment']> => ({
  transaction_id: id,
  txid,
  kind,
  amount: (paid_total ?? paid).amount,
});

function refundMember(
  { id, transaction_id, kind, amount, address, is_proven, txid }: ServiceRefund,
  { transactions }: CheckoutRecord,
): NonNullable<ShopEvent['refund']> {
  const transaction = transactions.find((one) => one.id === transaction_id)?.txid ?? transaction_id;
  return { id: id ?? '', transaction, kind, amount: amount.amount, address, is_proven, txid };
}

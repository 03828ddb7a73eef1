import { parseAmount } from '@crypto-checkout/protocol/amount';
import { isPaidStage } from '@crypto-checkout/protocol/checkout';
import type { CheckoutState } from '@crypto-checkout/protocol/stage';
import { withDecimals } from '@crypto-checkout/protocol/currency';
import { isVoidStatus } from '@crypto-checkout/protocol/void-status';
import {
  type CheckoutInvoice,
  type CheckoutRecord,
  type StoredEvent,
  selectedInvoice,
} from '../checkouts/repository/record.ts';
import { hasUnverifiedPrice } from '../orders/terms.ts';
import type { ServiceRefund } from '../service/schema.ts';
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
    .map(([event, key, refund]) => ({ event, id: `${record.id}.${key}`, refund }))
    .filter(({ id }) => !known.has(id))
    .map(({ event, id, refund }) => ({
      id,
      event,
      body: JSON.stringify(eventBody(event, record, state, { ...options, subject, refund })),
      attempts: 0,
      next_at: options.now,
      done_at: null,
    }));
}

type Due = [event: ShopEventName, key: string, refund?: ServiceRefund];

function dueEvents(record: CheckoutRecord, state: CheckoutState, serverTime: number): Due[] {
  const { stage, notes } = state;
  const paid = isPaidStage(stage);
  const times = (event: ShopEventName) => record.events.filter((one) => one.event === event).length;
  const [paidBefore, reversedBefore] = [times('checkout.paid'), times('checkout.reversed')];
  const due: Due[] = [];
  if (paid || stage === 'seen' || parseAmount(state.paid) > 0n) due.push(['checkout.seen', 'seen']);
  // Before its consequences, so that the last event of a batch is the current state.
  if (parseAmount(state.late) > 0n || notes.includes('late_accepted'))
    due.push(['checkout.late', 'late']);
  if (stage === 'underpaid' && isUnderpaidForGood(record, serverTime))
    due.push(['checkout.underpaid', 'underpaid']);
  if (paid && paidBefore === reversedBefore)
    due.push(['checkout.paid', numbered('paid', paidBefore + 1)]);
  if (!paid && paidBefore > reversedBefore)
    due.push(['checkout.reversed', numbered('reversed', reversedBefore + 1)]);
  if (paid && overpaymentGrew(record, state))
    due.push(['checkout.overpaid', numbered('overpaid', times('checkout.overpaid') + 1)]);
  if (stage === 'complete') due.push(['checkout.complete', 'complete']);
  for (const refund of record.refunds) {
    due.push(['checkout.refund_requested', `refund-requested-${refund.id}`, refund]);
    if (refund.status === 'paid') due.push(['checkout.refunded', `refunded-${refund.id}`, refund]);
  }
  return due;
}

const numbered = (name: string, count: number): string => (count === 1 ? name : `${name}-${count}`);

const UNCONFIRMED: readonly string[] = ['pending', 'unconfirmed'];

/**
 * Whether the order is overpaid and the last `overpaid` event had a smaller sum, or fewer notes.
 * The shop may refund each time.
 */
function overpaymentGrew(
  { events, transactions }: CheckoutRecord,
  { notes, paid }: CheckoutState,
): boolean {
  if (!notes.includes('overpaid') && !notes.includes('paid_twice')) return false;
  // Wait for confirmations: a refund for a payment that never confirms would be a loss.
  if (transactions.some(({ status }) => UNCONFIRMED.includes(status))) return false;
  const last = events.findLast(({ event }) => event === 'checkout.overpaid');
  if (!last) return true;
  const sent = JSON.parse(last.body) as ShopEvent;
  return (
    parseAmount(sent.paid) !== parseAmount(paid) ||
    (notes.includes('paid_twice') && !sent.notes.includes('paid_twice'))
  );
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
  const payments = record.transactions.filter(({ status }) => !isVoidStatus(status));
  const newest = payments.toSorted(
    (a, b) => Date.parse(b.created_at) - Date.parse(a.created_at),
  )[0];
  return (
    record.invoices.find(({ id }) => id === newest?.invoice?.id) ??
    selectedInvoice(record) ??
    record.invoices.at(-1)
  );
}

function eventBody(
  event: ShopEventName,
  record: CheckoutRecord,
  state: CheckoutState,
  {
    network,
    subject,
    refund,
  }: { network: string; subject: CheckoutInvoice; refund: ServiceRefund | undefined },
): ShopEvent {
  const { terms } = record;
  return {
    event,
    checkout_id: record.id,
    order_id: terms.order_id,
    amount: terms.amount,
    currency: terms.currency,
    network,
    stage: state.stage,
    notes: state.notes,
    invoice_id: subject.id,
    kind: subject.kind,
    // With the decimals of `amount`: shops often compare both as text.
    paid: withDecimals(state.paid, terms.amount?.split('.')[1]?.length ?? 0),
    ...(hasUnverifiedPrice(terms) && { unverified_price: true as const }),
    ...(refund && { refund: refundMember(refund, record) }),
    ...(terms.passthrough !== null && { passthrough: terms.passthrough }),
  };
}

function refundMember(
  { id, transaction_id, kind, amount, address, is_proven, txid }: ServiceRefund,
  { transactions }: CheckoutRecord,
): NonNullable<ShopEvent['refund']> {
  const transaction = transactions.find((one) => one.id === transaction_id)?.txid ?? transaction_id;
  return { id: id ?? '', transaction, kind, amount: amount.amount, address, is_proven, txid };
}

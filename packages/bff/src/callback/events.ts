import { parseAmount } from '@crypto-checkout/protocol/amount';
import { type CheckoutStanding, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { withDecimals } from '@crypto-checkout/protocol/currency';
import { isGone } from '@crypto-checkout/protocol/gone';
import { type CheckoutInvoice, type CheckoutRecord, type StoredEvent, selectedInvoice } from '../checkout/record.ts';
import { isUnverified } from '../order/terms.ts';
import type { ShopEvent, ShopEventName } from './shop-event.ts';

/**
 * What the shop is to be told now that it was not told before. Each event has a natural key, so that deciding again decides the
 * same; `paid` and `reversed` may alternate, `overpaid` comes again with another sum, and all three carry a number from the second time on.
 */
export function newEvents(
  record: CheckoutRecord,
  standing: CheckoutStanding,
  options: { network: string; profileId: string; now: number; serverTime: number },
): StoredEvent[] {
  const subject = subjectOf(record);
  if (subject?.profile_id !== options.profileId || standing.remaining === null || standing.stage === 'wait') return [];
  const told = new Set(record.events.map(({ id }) => id));
  return dueEvents(record, standing, options.serverTime)
    .map(([event, key]) => ({ event, id: `${record.id}.${key}` }))
    .filter(({ id }) => !told.has(id))
    .map(({ event, id }) => ({
      id,
      event,
      body: JSON.stringify(eventBody(event, record, standing, { ...options, subject })),
      attempts: 0,
      next_at: options.now,
      done_at: null,
    }));
}

type Due = [event: ShopEventName, key: string];

function dueEvents(record: CheckoutRecord, standing: CheckoutStanding, serverTime: number): Due[] {
  const { stage, notes } = standing;
  const paid = isPaidStage(stage);
  const times = (event: ShopEventName) => record.events.filter((one) => one.event === event).length;
  const [paidBefore, reversedBefore] = [times('checkout.paid'), times('checkout.reversed')];
  const due: Due[] = [];
  if (paid || stage === 'seen' || parseAmount(standing.paid) > 0n) due.push(['checkout.seen', 'seen']);
  // Before what follows from it, so that a shop which goes by the last it heard is right.
  if (parseAmount(standing.late) > 0n || notes.includes('late_accepted')) due.push(['checkout.late', 'late']);
  if (stage === 'underpaid' && isSettledShort(record, serverTime)) due.push(['checkout.underpaid', 'underpaid']);
  if (paid && paidBefore === reversedBefore) due.push(['checkout.paid', numbered('paid', paidBefore + 1)]);
  if (!paid && paidBefore > reversedBefore) due.push(['checkout.reversed', numbered('reversed', reversedBefore + 1)]);
  if (paid && saysMore(record, standing)) due.push(['checkout.overpaid', numbered('overpaid', times('checkout.overpaid') + 1)]);
  if (stage === 'complete') due.push(['checkout.complete', 'complete']);
  return due;
}

const numbered = (name: string, count: number): string => (count === 1 ? name : `${name}-${count}`);

const UNCONFIRMED: readonly string[] = ['pending', 'unconfirmed'];

/** Too much was paid, and the shop has not heard that it is so much, or that it came with another payment: it may refund each time. */
function saysMore({ events, transactions }: CheckoutRecord, { notes, paid }: CheckoutStanding): boolean {
  if (!notes.includes('overpaid') && !notes.includes('paid_twice')) return false;
  // What is refunded before it is confirmed may never have been paid.
  if (transactions.some(({ status }) => UNCONFIRMED.includes(status))) return false;
  const last = events.findLast(({ event }) => event === 'checkout.overpaid');
  if (!last) return true;
  const told = JSON.parse(last.body) as ShopEvent;
  return parseAmount(told.paid) !== parseAmount(paid) || (notes.includes('paid_twice') && !told.notes.includes('paid_twice'));
}

/** A part was paid and the rest may not come: the quote has run out, or the part is final already (decisions, `invoice_incomplete`). */
function isSettledShort(record: CheckoutRecord, serverTime: number): boolean {
  return record.invoices.some((invoice) => {
    const own = record.transactions.filter((one) => one.invoice?.id === invoice.id && !isGone(one.status));
    const ended = invoice.status === 'expired' || (invoice.expires_at !== null && Date.parse(invoice.expires_at) <= serverTime);
    return own.length > 0 && (ended || own.some(({ status }) => status === 'complete'));
  });
}

/** The invoice that an event is about: the one that was paid last, else the one that the buyer sees. */
function subjectOf(record: CheckoutRecord): CheckoutInvoice | undefined {
  const came = record.transactions.filter(({ status }) => !isGone(status));
  const newest = came.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))[0];
  return record.invoices.find(({ id }) => id === newest?.invoice?.id) ?? selectedInvoice(record) ?? record.invoices.at(-1);
}

function eventBody(
  event: ShopEventName,
  record: CheckoutRecord,
  standing: CheckoutStanding,
  { network, subject }: { network: string; subject: CheckoutInvoice },
): ShopEvent {
  const { terms } = record;
  return {
    event,
    checkout_id: record.id,
    order_id: terms.order_id,
    amount: terms.amount,
    currency: terms.currency,
    network,
    stage: standing.stage,
    notes: standing.notes,
    invoice_id: subject.id,
    kind: subject.kind,
    // With the decimals that the shop wrote: shops compare the two, and often as texts.
    paid: withDecimals(standing.paid, terms.amount?.split('.')[1]?.length ?? 0),
    ...(isUnverified(terms) && { unverified_price: true as const }),
    ...(terms.passthrough !== null && { passthrough: terms.passthrough }),
  };
}

import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { InvoiceEvent } from '@crypto-checkout/protocol/event';
import { milliseconds, timestamp, type Trx } from '../database/database.ts';
import type { Batch } from './batch.ts';
import { isLive } from '../transaction/state.ts';
import type { TransactionRow } from '../transaction/store.ts';
import { checkInvoiceMoves, invoiceState, type CountedPayment } from '../invoice/state.ts';
import { saveInvoices, type InvoiceChange, type LockedInvoice } from '../invoice/store.ts';

checkInvoiceMoves();

export interface SettledInvoices {
  /** Events to queue as callbacks, in order. */
  events: readonly { invoiceId: string; event: InvoiceEvent }[];
  /** Rows to save. */
  changes: readonly InvoiceChange[];
}

/**
 * Updates the status of invoices from their transactions, LNURL parents after their children, and
 * saves the changes. Idempotent: unchanged facts change nothing.
 */
export async function settleInvoices(
  trx: Trx,
  batch: Batch,
  invoiceIds: ReadonlySet<string>,
  now: number,
): Promise<SettledInvoices> {
  const settled = decideInvoices(batch, invoiceIds, now);
  await saveInvoices(trx, settled.changes);
  return settled;
}

/** First half of `settleInvoices`: updates the batch in memory and writes nothing. */
export function decideInvoices(
  batch: Batch,
  invoiceIds: ReadonlySet<string>,
  now: number,
): SettledInvoices {
  const events: { invoiceId: string; event: InvoiceEvent }[] = [];
  const changes = new Map<string, InvoiceChange>();
  const payments = paymentsByInvoice(batch);
  const record = (
    invoice: LockedInvoice,
    change: InvoiceChange | null,
    newEvents: readonly InvoiceEvent[],
  ): void => {
    if (change === null) return;
    changes.set(invoice.id, change);
    events.push(...newEvents.map((event) => ({ invoiceId: invoice.id, event })));
  };
  for (const id of invoiceIds) {
    const invoice = batch.invoices.get(id);
    if (!invoice) continue;
    const { change, events: newEvents } = settleOne(invoice, payments.get(id) ?? [], batch, now);
    record(invoice, change, newEvents);
    const parent =
      invoice.lnurl_invoice_id === null ? undefined : batch.invoices.get(invoice.lnurl_invoice_id);
    if (!parent || change?.status !== 'complete' || invoice.status === 'complete') continue;
    const completed = completeParent(changes.get(parent.id) ?? parent, parent, change, now);
    record(parent, completed.change, completed.events);
  }
  for (const change of changes.values()) Object.assign(batch.invoices.get(change.id)!, change);
  return { events, changes: [...changes.values()] };
}

interface Decision {
  change: InvoiceChange | null;
  events: readonly InvoiceEvent[];
}

function settleOne(
  invoice: LockedInvoice,
  drafts: readonly Payment[],
  batch: Batch,
  now: number,
): Decision {
  const { status, events, matched } = invoiceState({
    status: invoice.status,
    events: invoice.events,
    hasAmount: invoice.requested_text !== null,
    payments: countedPayments(invoice, drafts, batch),
    negativeDifference: parseAmount(invoice.negative_difference),
    childComplete: false,
    expiresAt: invoice.expires_at === null ? null : milliseconds(invoice.expires_at),
    now,
  });
  return decision(
    invoice,
    { status, matched, paid_total: formatAmount(paidTotal(invoice, drafts)), newEvents: events },
    now,
  );
}

/**
 * The parent of an LNURL payment is complete when a child is. Only a parent with an amount emits
 * events.
 */
function completeParent(
  current: Pick<LockedInvoice, 'paid_total' | 'status' | 'events'>,
  parent: LockedInvoice,
  child: InvoiceChange,
  now: number,
): Decision {
  const { status, events } = invoiceState({
    status: current.status,
    events: current.events,
    hasAmount: parent.requested_text !== null,
    payments: [],
    negativeDifference: 0n,
    childComplete: true,
    expiresAt: null,
    now,
  });
  const paid_total = formatAmount(parseAmount(current.paid_total) + parseAmount(child.paid_total));
  return decision(
    { ...parent, ...current },
    { status, matched: false, paid_total, newEvents: events },
    now,
  );
}

/** The request beside an address closes with the first payment, on whichever way it came. */
const closedBy = (
  { request_closed, address, lightning }: LockedInvoice,
  paidTotal: string,
): string | null =>
  !request_closed && address !== null && lightning !== null && parseAmount(paidTotal) > 0n
    ? lightning.paymentHash
    : null;

interface NextState extends Pick<LockedInvoice, 'status' | 'matched' | 'paid_total'> {
  newEvents: readonly InvoiceEvent[];
}

function decision(
  invoice: LockedInvoice,
  { status, matched, paid_total, newEvents }: NextState,
  now: number,
): Decision {
  const samePayments =
    matched === invoice.matched && parseAmount(paid_total) === parseAmount(invoice.paid_total);
  if (status === invoice.status && samePayments && newEvents.length === 0)
    return { change: null, events: [] };
  const { account_id, id, version } = invoice;
  const events = [...invoice.events, ...newEvents];
  const closes = closedBy(invoice, paid_total);
  return {
    change: {
      account_id,
      id,
      status,
      matched,
      paid_total,
      events,
      closes,
      request_closed: invoice.request_closed || closes !== null,
      version: version + 1,
      updated_at: timestamp(now),
    },
    events: newEvents,
  };
}

interface Payment {
  row: TransactionRow;
  stored: TransactionRow | null;
}

function paymentsByInvoice({ drafts }: Batch): Map<string, Payment[]> {
  const payments = new Map<string, Payment[]>();
  for (const draft of drafts.values()) {
    const list = payments.get(draft.row.invoice_id);
    if (list) list.push(draft);
    else payments.set(draft.row.invoice_id, [draft]);
  }
  return payments;
}

function countedPayments(
  invoice: LockedInvoice,
  payments: readonly Payment[],
  { quotes }: Batch,
): CountedPayment[] {
  const prices = new Map(
    (quotes.get(invoice.id) ?? []).map((quote) => [quote.number, parseAmount(quote.invoiced)]),
  );
  return payments.flatMap(({ row }) => {
    const invoiced = row.quote_number === null ? undefined : prices.get(row.quote_number);
    const amount = paying(row);
    if (row.late || amount === 0n || invoiced === undefined) return [];
    const final = row.status === 'complete';
    // A payment accepted by the zero-confirmation check counts as confirmed until it is lost.
    const confirmed = final || row.status === 'confirmed' || row.zero_conf_status === 'confirmed';
    return [{ amount, invoiced, confirmed, final }];
  });
}

/**
 * The sum of all live payments in the invoice's coin, late ones included. For a reusable address
 * the batch holds only changed transactions, so their difference is added to the stored sum.
 */
function paidTotal(invoice: LockedInvoice, payments: readonly Payment[]): Amount {
  if (invoice.requested_text !== null)
    return payments.reduce((sum, { row }) => sum + paying(row), 0n);
  const before = payments.reduce((sum, { stored }) => sum + (stored ? paying(stored) : 0n), 0n);
  const after = payments.reduce((sum, { row }) => sum + paying(row), 0n);
  return parseAmount(invoice.paid_total) + after - before;
}

const isPaying = (row: TransactionRow): boolean =>
  row.counted &&
  isLive({
    status: row.status,
    inMempool: row.in_mempool,
    confirmations: row.block_height === null ? 0 : 1,
  });
/** The amount that counts: without the part that is refunded. */
const paying = (row: TransactionRow): Amount => {
  if (!isPaying(row)) return 0n;
  const rest = parseAmount(row.amount) - parseAmount(row.refunded);
  return rest > 0n ? rest : 0n;
};

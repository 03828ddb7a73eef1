import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { InvoiceEvent } from '@crypto-checkout/protocol/event';
import { milliseconds, timestamp, type Trx } from '../database/database.ts';
import type { Batch } from '../transaction/batch.ts';
import { isLive } from '../transaction/state.ts';
import type { TransactionRow } from '../transaction/store.ts';
import { checkInvoiceMoves, invoiceState, type CountedPayment } from './state.ts';
import { saveInvoices, type InvoiceChange, type LockedInvoice } from './store.ts';

checkInvoiceMoves();

export interface SettledInvoices {
  /** To be reported, in order. */
  events: readonly { invoiceId: string; event: InvoiceEvent }[];
  /** To be written. */
  changes: readonly InvoiceChange[];
}

/**
 * Brings invoices of a batch into the status that follows from their transactions, LNURL parents after their children, and
 * writes what changed. Facts that were there before change nothing.
 */
export async function settleInvoices(trx: Trx, batch: Batch, invoiceIds: ReadonlySet<string>, now: number): Promise<SettledInvoices> {
  const settled = decideInvoices(batch, invoiceIds, now);
  await saveInvoices(trx, settled.changes);
  return settled;
}

/** The first half of `settleInvoices`: the batch shows what comes next, nothing is written yet. */
export function decideInvoices(batch: Batch, invoiceIds: ReadonlySet<string>, now: number): SettledInvoices {
  const reported: { invoiceId: string; event: InvoiceEvent }[] = [];
  const changes = new Map<string, InvoiceChange>();
  const payments = paymentsByInvoice(batch);
  const record = (invoice: LockedInvoice, change: InvoiceChange | null, events: readonly InvoiceEvent[]): void => {
    if (change === null) return;
    changes.set(invoice.id, change);
    reported.push(...events.map((event) => ({ invoiceId: invoice.id, event })));
  };
  for (const id of invoiceIds) {
    const invoice = batch.invoices.get(id);
    if (!invoice) continue;
    const { change, events } = settleOne(invoice, payments.get(id) ?? [], batch, now);
    record(invoice, change, events);
    const parent = invoice.lnurl_invoice_id === null ? undefined : batch.invoices.get(invoice.lnurl_invoice_id);
    if (!parent || change?.status !== 'complete' || invoice.status === 'complete') continue;
    const completed = completeParent(changes.get(parent.id) ?? parent, parent, change, now);
    record(parent, completed.change, completed.events);
  }
  for (const change of changes.values()) Object.assign(batch.invoices.get(change.id)!, change);
  return { events: reported, changes: [...changes.values()] };
}

interface Decision {
  change: InvoiceChange | null;
  events: readonly InvoiceEvent[];
}

function settleOne(invoice: LockedInvoice, drafts: readonly Payment[], batch: Batch, now: number): Decision {
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
  return decision(invoice, { status, matched, paid_total: formatAmount(paidTotal(invoice, drafts)), newEvents: events }, now);
}

/** The parent of an LNURL payment is complete when a child is; one with an amount reports it. */
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
  return decision({ ...parent, ...current }, { status, matched: false, paid_total, newEvents: events }, now);
}

interface Next extends Pick<LockedInvoice, 'status' | 'matched' | 'paid_total'> {
  newEvents: readonly InvoiceEvent[];
}

function decision(invoice: LockedInvoice, { status, matched, paid_total, newEvents }: Next, now: number): Decision {
  const samePayments = matched === invoice.matched && parseAmount(paid_total) === parseAmount(invoice.paid_total);
  if (status === invoice.status && samePayments && newEvents.length === 0) return { change: null, events: [] };
  const { account_id, id, version } = invoice;
  const events = [...invoice.events, ...newEvents];
  return {
    change: { account_id, id, status, matched, paid_total, events, version: version + 1, updated_at: timestamp(now) },
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

function countedPayments(invoice: LockedInvoice, payments: readonly Payment[], { quotes }: Batch): CountedPayment[] {
  const prices = new Map((quotes.get(invoice.id) ?? []).map((quote) => [quote.number, parseAmount(quote.invoiced)]));
  return payments.flatMap(({ row }) => {
    const invoiced = row.quote_number === null ? undefined : prices.get(row.quote_number);
    if (row.late || !isPaying(row) || invoiced === undefined) return [];
    const final = row.status === 'complete';
    // §3.2: what the check calls safe is treated as confirmed, until it is lost.
    const confirmed = final || row.status === 'confirmed' || row.zero_conf_status === 'confirmed';
    return [{ amount: parseAmount(row.amount), invoiced, confirmed, final }];
  });
}

/**
 * Everything of the invoice's coin that is there or expected, late or not: what the merchant was paid. Of a reusable address only
 * the transactions that changed are in the batch, so their difference is added.
 */
function paidTotal(invoice: LockedInvoice, payments: readonly Payment[]): Amount {
  if (invoice.requested_text !== null) return payments.reduce((sum, { row }) => sum + paying(row), 0n);
  const before = payments.reduce((sum, { stored }) => sum + (stored ? paying(stored) : 0n), 0n);
  const after = payments.reduce((sum, { row }) => sum + paying(row), 0n);
  return parseAmount(invoice.paid_total) + after - before;
}

const isPaying = (row: TransactionRow): boolean =>
  row.counted && isLive({ status: row.status, inMempool: row.in_mempool, confirmations: row.block_height === null ? 0 : 1 });
const paying = (row: TransactionRow): Amount => (isPaying(row) ? parseAmount(row.amount) : 0n);

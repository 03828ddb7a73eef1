import type { PaymentSource } from '@crypto-checkout/protocol/checkout';
import { markDropped } from './dropped-transactions.ts';
import type {
  ServiceInvoice,
  ServiceRefund,
  ServiceRefundable,
  ServiceTransaction,
} from '../../service/schema.ts';
import {
  type CheckoutInvoice,
  CheckoutInvoice as InvoiceSchema,
  type CheckoutRecord,
} from './record.ts';

/** One invoice and its transactions, as just read from the service. */
export interface InvoiceReading {
  invoice: ServiceInvoice;
  /** Null when they were not read. */
  transactions: ServiceTransaction[] | null;
  /** Absent when they were not read. */
  refunds?: ServiceRefund[];
  /** Absent when it was not read. */
  refundable?: ServiceRefundable[];
  /** Set for an invoice that the BFF created. */
  attempt?: string | null;
  quotedFor?: PaymentSource;
}

/** Limits for the size of a record, above the need of any order. */
const MAX_INVOICES = 64;
const MAX_TRANSACTIONS = 1000;

/** Merges readings into a record. The same reading again returns the same record. */
export function mergeReadings(
  record: CheckoutRecord,
  readings: readonly InvoiceReading[],
  serverTime: string,
): CheckoutRecord {
  let { invoices, transactions, refunds, refundable } = record;
  for (const reading of readings) {
    const known = invoices.find(({ id }) => id === reading.invoice.id);
    if (!known && invoices.length >= MAX_INVOICES) continue;
    const own = transactions.filter(({ invoice }) => invoice?.id === reading.invoice.id);
    const read = reading.transactions?.map((transaction) => ({
      ...transaction,
      invoice: { id: reading.invoice.id },
    }));
    const fresh = read && markDropped(own, read, reading.invoice);
    const hasMoved = fresh !== undefined && !isEqual(own, fresh);
    if (hasMoved)
      transactions = [...transactions.filter((one) => !own.includes(one)), ...fresh].slice(
        0,
        MAX_TRANSACTIONS,
      );
    refunds = withOwn(refunds, reading.invoice.id, reading.refunds);
    const money = reading.refundable?.map((one) => ({ ...one, invoice_id: reading.invoice.id }));
    refundable = withOwn(refundable, reading.invoice.id, money);
    const next = mergeInvoice(known, reading, serverTime, hasMoved);
    if (next !== known)
      invoices = known ? invoices.map((one) => (one === known ? next : one)) : [...invoices, next];
  }
  const isUnchanged =
    invoices === record.invoices &&
    transactions === record.transactions &&
    refunds === record.refunds &&
    refundable === record.refundable;
  return isUnchanged ? record : { ...record, invoices, transactions, refunds, refundable };
}

/** Replaces the items of one invoice; the same items return the same list. */
function withOwn<Item extends { invoice_id: string }>(
  all: Item[],
  invoiceId: string,
  own: Item[] | undefined,
): Item[] {
  if (own === undefined) return all;
  const next = [...all.filter(({ invoice_id }) => invoice_id !== invoiceId), ...own];
  return isEqual(all, next) ? all : next.slice(-MAX_TRANSACTIONS);
}

function mergeInvoice(
  known: CheckoutInvoice | undefined,
  { invoice, attempt, quotedFor }: InvoiceReading,
  serverTime: string,
  hasMoved: boolean,
): CheckoutInvoice {
  const next = InvoiceSchema.parse({
    ...invoice,
    attempt: known?.attempt ?? attempt ?? null,
    quoted_for: known?.quoted_for ?? quotedFor ?? 'wallet',
    quotes: quotesOf(known, invoice, serverTime),
    changed_at: known?.changed_at ?? invoice.created_at,
  });
  if (known && !hasMoved && isEqual(known, next)) return known;
  return known ? { ...next, changed_at: serverTime } : next;
}

/**
 * A renewed invoice keeps its earlier prices: a payment counts at the price in force when it was
 * first seen.
 */
function quotesOf(
  known: CheckoutInvoice | undefined,
  invoice: ServiceInvoice,
  serverTime: string,
): CheckoutInvoice['quotes'] {
  const { requested, invoiced } = invoice.amount;
  if (!requested || !invoiced) return [];
  const price = {
    requested: requested.amount,
    invoiced: invoiced.amount,
    expires_at: invoice.expires_at,
  };
  const earlier = known?.quotes ?? [];
  const last = earlier.at(-1);
  if (!last) return [{ ...price, starts_at: invoice.created_at, extended: false }];
  if (
    last.requested === price.requested &&
    last.invoiced === price.invoiced &&
    last.expires_at === price.expires_at
  )
    return earlier;
  // An extension at the same rate is one quote with a later end.
  const isExtension =
    last.requested === price.requested &&
    last.invoiced === price.invoiced &&
    isBefore(serverTime, last.expires_at);
  return isExtension
    ? [...earlier.slice(0, -1), { ...last, expires_at: price.expires_at, extended: true }]
    : [
        ...earlier,
        { ...price, starts_at: startOf(last, price.expires_at, serverTime), extended: false },
      ];
}

/**
 * Start of a price that another client requested: its end minus the length of a quote, but not
 * before the last quote ended and not in the future. An extended quote has twice the length.
 */
function startOf(
  last: CheckoutInvoice['quotes'][number],
  end: string | null,
  serverTime: string,
): string {
  if (end === null || last.expires_at === null) return serverTime;
  const lastEnd = Date.parse(last.expires_at);
  const length = (lastEnd - Date.parse(last.starts_at)) / (last.extended ? 2 : 1);
  const start = Math.max(Date.parse(end) - length, lastEnd);
  return start < Date.parse(serverTime) ? new Date(start).toISOString() : serverTime;
}

function isBefore(time: string, end: string | null): boolean {
  return end === null || Date.parse(time) < Date.parse(end);
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

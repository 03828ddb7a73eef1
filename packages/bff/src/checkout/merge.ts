import type { PaymentSource } from '@crypto-checkout/protocol/checkout';
import { markDropped } from './dropped.ts';
import {
  type CheckoutInvoice,
  CheckoutInvoice as InvoiceSchema,
  type CheckoutRecord,
  type ServiceInvoice,
  type ServiceTransaction,
} from './record.ts';

/** One invoice and its transactions, as the service has just told them. */
export interface Reading {
  invoice: ServiceInvoice;
  /** Null when they were not asked for. */
  transactions: ServiceTransaction[] | null;
  /** Of an invoice that we made. */
  attempt?: string | null;
  quotedFor?: PaymentSource;
}

/** More than any order needs: a limit for what a record may grow to. */
const MAX_INVOICES = 64;
const MAX_TRANSACTIONS = 1000;

/** Takes readings into a record; the same reading again gives the same record. */
export function merge(record: CheckoutRecord, readings: readonly Reading[], serverTime: string): CheckoutRecord {
  let { invoices, transactions } = record;
  for (const reading of readings) {
    const known = invoices.find(({ id }) => id === reading.invoice.id);
    if (!known && invoices.length >= MAX_INVOICES) continue;
    const own = transactions.filter(({ invoice }) => invoice?.id === reading.invoice.id);
    const read = reading.transactions?.map((transaction) => ({ ...transaction, invoice: { id: reading.invoice.id } }));
    const fresh = read && markDropped(own, read, reading.invoice);
    const moved = fresh !== undefined && !same(own, fresh);
    if (moved) transactions = [...transactions.filter((one) => !own.includes(one)), ...fresh].slice(0, MAX_TRANSACTIONS);
    const next = mergeInvoice(known, reading, serverTime, moved);
    if (next !== known) invoices = known ? invoices.map((one) => (one === known ? next : one)) : [...invoices, next];
  }
  return invoices === record.invoices && transactions === record.transactions ? record : { ...record, invoices, transactions };
}

function mergeInvoice(
  known: CheckoutInvoice | undefined,
  { invoice, attempt, quotedFor }: Reading,
  serverTime: string,
  moved: boolean,
): CheckoutInvoice {
  const next = InvoiceSchema.parse({
    ...invoice,
    attempt: known?.attempt ?? attempt ?? null,
    quoted_for: known?.quoted_for ?? quotedFor ?? 'wallet',
    quotes: quotesOf(known, invoice, serverTime),
    changed_at: known?.changed_at ?? invoice.created_at,
  });
  if (known && !moved && same(known, next)) return known;
  return known ? { ...next, changed_at: serverTime } : next;
}

/** A renewed invoice keeps its earlier prices: a payment counts at the one in force when it was first seen (decisions). */
function quotesOf(known: CheckoutInvoice | undefined, invoice: ServiceInvoice, serverTime: string): CheckoutInvoice['quotes'] {
  const { requested, invoiced } = invoice.amount;
  if (!requested || !invoiced) return [];
  const price = { requested: requested.amount, invoiced: invoiced.amount, expires_at: invoice.expires_at };
  const earlier = known?.quotes ?? [];
  const last = earlier.at(-1);
  if (!last) return [{ ...price, starts_at: invoice.created_at, extended: false }];
  if (last.requested === price.requested && last.invoiced === price.invoiced && last.expires_at === price.expires_at) return earlier;
  // Prolonged at the same rate while it ran: one quote, with a later end.
  const prolonged = last.requested === price.requested && last.invoiced === price.invoiced && isBefore(serverTime, last.expires_at);
  return prolonged
    ? [...earlier.slice(0, -1), { ...last, expires_at: price.expires_at, extended: true }]
    : [...earlier, { ...price, starts_at: startOf(last, price.expires_at, serverTime), extended: false }];
}

/** When a new price began that somebody else asked for: as long before its end as the last one lasted, and not in the future. */
function startOf(last: CheckoutInvoice['quotes'][number], end: string | null, serverTime: string): string {
  if (end === null || last.expires_at === null) return serverTime;
  const start = Date.parse(end) - (Date.parse(last.expires_at) - Date.parse(last.starts_at));
  return start > Date.parse(last.starts_at) && start < Date.parse(serverTime) ? new Date(start).toISOString() : serverTime;
}

function isBefore(time: string, end: string | null): boolean {
  return end === null || Date.parse(time) < Date.parse(end);
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

import type { CheckoutInvoice, CheckoutRecord } from './record.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How often an invoice is read when no callback comes; null when only a callback can bring news. `age` counts from its last change. */
function paceOf(invoice: CheckoutInvoice, record: CheckoutRecord, watched: boolean, serverTime: number): number | null {
  const statuses = record.transactions.filter((one) => one.invoice?.id === invoice.id).map(({ status }) => status);
  const age = serverTime - Date.parse(invoice.changed_at);
  if (invoice.status === 'complete') return null;
  if (statuses.some((status) => MOVING.has(status))) return watched || age < DAY ? 5 * SECOND : 10 * MINUTE;
  if (invoice.status === 'pending' || invoice.status === 'paid') return 5 * SECOND;
  const open = invoice.expires_at === null ? age < HOUR : serverTime < Date.parse(invoice.expires_at) + 30 * SECOND;
  if (invoice.status !== 'expired' && (open || watched)) return 15 * SECOND;
  // Nothing can be paid in time any more: what comes late is told by a callback, and found here when that is lost.
  if (watched) return MINUTE;
  const idle = serverTime - Date.parse(invoice.expires_at ?? invoice.changed_at);
  if (idle < HOUR) return 5 * MINUTE;
  return idle < 7 * DAY ? 2 * HOUR : null;
}

/** Statuses in which a transaction still moves by itself. */
const MOVING = new Set(['pending', 'confirmed', 'unconfirmed', 'dropped']);

/** Milliseconds between two readings of a checkout: those of its busiest invoice. Null when there is nothing to read. */
export function pace(record: CheckoutRecord, watched: boolean, serverTime: number): number | null {
  const paces = record.invoices.flatMap((invoice) => paceOf(invoice, record, watched, serverTime) ?? []);
  if (record.attempts.length > 0) paces.push(5 * SECOND);
  return paces.length > 0 ? Math.min(...paces) : null;
}

/** The invoices that a reading asks for: the busiest ones, and all that can still change when `all`. */
export function dueInvoices(record: CheckoutRecord, watched: boolean, serverTime: number, all: boolean): CheckoutInvoice[] {
  const paces = record.invoices.map((invoice) => ({ invoice, every: paceOf(invoice, record, watched, serverTime) ?? Infinity }));
  const busiest = Math.min(...paces.map(({ every }) => every));
  return paces.filter(({ every }) => every < Infinity && (all || every <= busiest * 3)).map(({ invoice }) => invoice);
}

import { isOpenRefund } from '@crypto-checkout/protocol/checkout';
import type { CheckoutInvoice, CheckoutRecord } from '../repository/record.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A page that polls without a stream counts as a watcher for this long. */
const WATCHED_FOR_MS = 30 * SECOND;

/** Whether a page of the checkout is open. */
export const isWatched = (
  { watchers, requestedAt }: { watchers: number; requestedAt: number },
  moment: number,
): boolean => watchers > 0 || moment - requestedAt < WATCHED_FOR_MS;

/** Time for the buyer to come back after the last quote, before the order counts as expired. */
export const BUYER_RETURNS_MS = HOUR;

/**
 * Interval between two reads of an invoice without callbacks; null when only a callback can bring
 * news, or an open page. No callback reports the approval of a refund.
 */
function invoicePollInterval(
  invoice: CheckoutInvoice,
  record: CheckoutRecord,
  watched: boolean,
  serverTime: number,
): number | null {
  const interval = paymentPollInterval(invoice, record, watched, serverTime);
  const isRefunding =
    watched && record.refunds.some((one) => one.invoice_id === invoice.id && isOpenRefund(one));
  return isRefunding ? Math.min(interval ?? MINUTE, MINUTE) : interval;
}

/** The same for its payments alone. `age` is the time since its last change. */
function paymentPollInterval(
  invoice: CheckoutInvoice,
  record: CheckoutRecord,
  watched: boolean,
  serverTime: number,
): number | null {
  const statuses = record.transactions
    .filter((one) => one.invoice?.id === invoice.id)
    .map(({ status }) => status);
  const age = serverTime - Date.parse(invoice.changed_at);
  if (invoice.status === 'complete') return null;
  if (statuses.some((status) => MOVING.has(status)))
    return watched || age < DAY ? 5 * SECOND : 10 * MINUTE;
  if (invoice.status === 'pending' || invoice.status === 'paid') return 5 * SECOND;
  const open =
    invoice.expires_at === null
      ? age < HOUR
      : serverTime < Date.parse(invoice.expires_at) + 30 * SECOND;
  if (invoice.status !== 'expired' && (open || watched)) return 15 * SECOND;
  // The quote has expired. Late payments come by callback; these polls find them when it is lost.
  if (watched) return MINUTE;
  const idle = serverTime - Date.parse(invoice.expires_at ?? invoice.changed_at);
  // Two more readings after that time: the second one, if the first failed.
  if (idle < BUYER_RETURNS_MS + 10 * MINUTE) return 5 * MINUTE;
  return idle < 7 * DAY ? 2 * HOUR : null;
}

/** Statuses in which a transaction can change without a payment. */
const MOVING = new Set(['pending', 'confirmed', 'unconfirmed', 'dropped']);

/**
 * The shortest interval of all invoices of a checkout, in milliseconds. Null when there is nothing
 * to read.
 */
export function pollInterval(
  record: CheckoutRecord,
  watched: boolean,
  serverTime: number,
): number | null {
  const intervals = record.invoices.flatMap(
    (invoice) => invoicePollInterval(invoice, record, watched, serverTime) ?? [],
  );
  if (record.attempts.length > 0) intervals.push(5 * SECOND);
  return intervals.length > 0 ? Math.min(...intervals) : null;
}

/**
 * The invoices of the next reading: those with the shortest intervals, or with `all` every one that
 * can still change.
 */
export function dueInvoices(
  record: CheckoutRecord,
  watched: boolean,
  serverTime: number,
  all: boolean,
): CheckoutInvoice[] {
  const intervals = record.invoices.map((invoice) => ({
    invoice,
    every: invoicePollInterval(invoice, record, watched, serverTime) ?? Infinity,
  }));
  const shortest = Math.min(...intervals.map(({ every }) => every));
  return intervals
    .filter(({ every }) => every < Infinity && (all || every <= shortest * 3))
    .map(({ invoice }) => invoice);
}

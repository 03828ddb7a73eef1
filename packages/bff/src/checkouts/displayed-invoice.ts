import type { CheckoutState } from '@crypto-checkout/protocol/stage';
import { isVoidStatus } from '@crypto-checkout/protocol/void-status';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { usualSeconds } from '@crypto-checkout/protocol/usual-time';
import type { ServiceTransaction } from '../service/schema.ts';
import type { ServiceProfile } from '../service/service.ts';
import { minConfirmations } from './coins.ts';
import {
  type CheckoutInvoice,
  type CheckoutRecord,
  newestInvoiceFor,
  selectedInvoice,
} from './repository/record.ts';

/**
 * The invoice that the buyer sees. An unpaid expired one is replaced by a newer one for the same
 * coin.
 */
export function displayedInvoice(
  record: CheckoutRecord,
  invoiceId: string | null,
  serverTime: number,
): CheckoutInvoice | undefined {
  if (invoiceId === null) return selectedInvoice(record);
  const requested = record.invoices.find(({ id }) => id === invoiceId);
  const paid = record.transactions.some((one) => one.invoice?.id === invoiceId);
  return requested && !paid && hasExpired(requested, serverTime)
    ? newestInvoiceFor(record, requested.kind, requested.quoted_for)
    : requested;
}

/**
 * The invoice to show when nothing is due any more: the one with a pending payment, or the one with
 * the latest payment if that is not the selected coin.
 */
export function settledInvoice(
  record: CheckoutRecord,
  { stage, transactionValues }: CheckoutState,
  profile: ServiceProfile | null,
): CheckoutInvoice | undefined {
  if (!SETTLED.has(stage)) return undefined;
  const counted = record.transactions.filter((_, at) => transactionValues[at]?.value !== null);
  const awaited = slowestInvoice(
    record,
    counted.filter(({ status }) => WAITING[stage]?.includes(status)),
    profile,
  );
  if (awaited) return awaited;
  const payments = record.transactions.filter((one) => !isVoidStatus(one.status));
  if (payments.some((one) => one.invoice?.id === record.selected)) return undefined;
  const newest = payments.toSorted(
    (a, b) => Date.parse(b.created_at) - Date.parse(a.created_at),
  )[0];
  return invoiceOf(record, newest);
}

const SETTLED = new Set<string>(['seen', 'paid', 'complete', 'late', 'held']);

/** Payment statuses that each stage waits for. */
const WAITING: Readonly<Record<string, readonly string[]>> = {
  seen: ['pending', 'unconfirmed'],
  paid: ['pending', 'unconfirmed', 'confirmed'],
};

/** The invoice whose payment usually needs the most time. */
function slowestInvoice(
  record: CheckoutRecord,
  transactions: readonly ServiceTransaction[],
  profile: ServiceProfile | null,
): CheckoutInvoice | undefined {
  const waits = transactions.flatMap((transaction) => {
    const invoice = invoiceOf(record, transaction);
    const kind = invoice && kindOf(invoice.kind);
    if (!kind) return [];
    const need = invoice.min_confirmations ?? minConfirmations(invoice.kind, profile);
    return [
      { invoice, seconds: usualSeconds(kind, Math.max(1, need - transaction.confirmations)) },
    ];
  });
  // Of two equal times, the later payment.
  return waits.toSorted((a, b) => a.seconds - b.seconds).at(-1)?.invoice;
}

const invoiceOf = (
  record: CheckoutRecord,
  transaction: ServiceTransaction | undefined,
): CheckoutInvoice | undefined => record.invoices.find(({ id }) => id === transaction?.invoice?.id);

/**
 * Whether it has expired, also when the service has not updated its status yet, which may take
 * seconds for a part payment.
 */
export function hasExpired({ status, expires_at }: CheckoutInvoice, serverTime: number): boolean {
  const isOpen = status === 'new' || status === 'pending';
  return (
    status === 'expired' || (isOpen && expires_at !== null && Date.parse(expires_at) <= serverTime)
  );
}

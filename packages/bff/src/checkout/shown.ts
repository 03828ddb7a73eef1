import type { CheckoutStanding } from '@crypto-checkout/protocol/checkout';
import { isGone } from '@crypto-checkout/protocol/gone';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { usualSeconds } from '@crypto-checkout/protocol/usual';
import type { ServiceProfile } from '../service/service.ts';
import { minConfirmations } from './coins.ts';
import { type CheckoutInvoice, type CheckoutRecord, type ServiceTransaction, newestFor, selectedInvoice } from './record.ts';

/** The invoice that a buyer sees; one that ran out unpaid gives way to a newer one for the same coin. */
export function shownInvoice(record: CheckoutRecord, invoiceId: string | null, serverTime: number): CheckoutInvoice | undefined {
  if (invoiceId === null) return selectedInvoice(record);
  const asked = record.invoices.find(({ id }) => id === invoiceId);
  const paid = record.transactions.some((one) => one.invoice?.id === invoiceId);
  return asked && !paid && hasExpired(asked, serverTime) ? newestFor(record, asked.kind, asked.quoted_for) : asked;
}

/**
 * What there is to see once nothing more is asked for: the payment that is waited for, or where the money came, when that is not the
 * coin that is selected.
 */
export function settledInvoice(
  record: CheckoutRecord,
  { stage, worths }: CheckoutStanding,
  profile: ServiceProfile | null,
): CheckoutInvoice | undefined {
  if (!SETTLED.has(stage)) return undefined;
  const counted = record.transactions.filter((_, at) => worths[at]?.value !== null);
  const awaited = slowest(
    record,
    counted.filter(({ status }) => WAITING[stage]?.includes(status)),
    profile,
  );
  if (awaited) return awaited;
  const payments = record.transactions.filter((one) => !isGone(one.status));
  if (payments.some((one) => one.invoice?.id === record.selected)) return undefined;
  const newest = payments.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))[0];
  return invoiceOf(record, newest);
}

const SETTLED = new Set<string>(['seen', 'paid', 'complete', 'late', 'held']);

/** Statuses of a payment that the stage still waits for. */
const WAITING: Readonly<Record<string, readonly string[]>> = {
  seen: ['pending', 'unconfirmed'],
  paid: ['pending', 'unconfirmed', 'confirmed'],
};

/** The invoice whose payment usually takes longest. */
function slowest(
  record: CheckoutRecord,
  transactions: readonly ServiceTransaction[],
  profile: ServiceProfile | null,
): CheckoutInvoice | undefined {
  const waits = transactions.flatMap((transaction) => {
    const invoice = invoiceOf(record, transaction);
    const kind = invoice && kindOf(invoice.kind);
    if (!kind) return [];
    const need = invoice.min_confirmations ?? minConfirmations(invoice.kind, profile);
    return [{ invoice, seconds: usualSeconds(kind, Math.max(1, need - transaction.confirmations)) }];
  });
  // Of two that take as long, the one that came later.
  return waits.toSorted((a, b) => a.seconds - b.seconds).at(-1)?.invoice;
}

const invoiceOf = (record: CheckoutRecord, transaction: ServiceTransaction | undefined): CheckoutInvoice | undefined =>
  record.invoices.find(({ id }) => id === transaction?.invoice?.id);

/** Whether its time is over, also where the service has not looked at it since: of one with a part it may say nothing for seconds. */
export function hasExpired({ status, expires_at }: CheckoutInvoice, serverTime: number): boolean {
  const isOpen = status === 'new' || status === 'pending';
  return status === 'expired' || (isOpen && expires_at !== null && Date.parse(expires_at) <= serverTime);
}

import type { CheckoutState } from '@crypto-checkout/protocol/stage';
import { isVoidStatus } from '@crypto-checkout/protocol/void-status';
import { BUYER_RETURNS_MS } from '../checkouts/invoices/poll-interval.ts';
import type { CheckoutInvoice, CheckoutRecord } from '../checkouts/repository/record.ts';

/**
 * Whether nothing came for an order and no quote of it can be paid any more. A checkout has no end:
 * the buyer can always request a new quote, so the event comes only after a time to come back.
 */
export function isExpiredForGood(
  record: CheckoutRecord,
  { stage }: CheckoutState,
  serverTime: number,
): boolean {
  return (
    stage === 'expired' &&
    record.terms.source !== 'none' &&
    // An attempt may have created an invoice with a quote that runs.
    record.attempts.length === 0 &&
    record.refunds.length === 0 &&
    record.transactions.every(({ status }) => isVoidStatus(status) && status !== 'dropped') &&
    record.invoices.every((invoice) => hasEnded(invoice, serverTime))
  );
}

/** The time alone is no proof: only the service's status says that no payment came in time. */
const hasEnded = ({ status, expires_at }: CheckoutInvoice, serverTime: number): boolean =>
  status === 'expired' &&
  expires_at !== null &&
  Date.parse(expires_at) + BUYER_RETURNS_MS <= serverTime;

/** Events of callbacks. */
export const TRANSACTION_EVENTS = [
  'transaction_pending',
  'transaction_confirmed',
  'transaction_complete',
  'transaction_replaced',
  'transaction_failed',
  'transaction_quarantined',
  'transaction_zero_conf_confirmed',
  'transaction_late_accepted',
] as const;
export type TransactionEvent = (typeof TRANSACTION_EVENTS)[number];

export const INVOICE_EVENTS = [
  'invoice_pending',
  'invoice_confirmed',
  'invoice_complete',
  'invoice_incomplete',
] as const;
export type InvoiceEvent = (typeof INVOICE_EVENTS)[number];

export const PAYOUT_EVENTS = [
  'payout_pending',
  'payout_confirmed',
  'payout_complete',
  'payout_failed',
  'payout_rejected',
] as const;
export type PayoutEvent = (typeof PAYOUT_EVENTS)[number];

export const REFUND_EVENTS = ['refund_requested', 'refund_paid', 'refund_rejected'] as const;
export type RefundEvent = (typeof REFUND_EVENTS)[number];

export const EVENTS = [
  ...TRANSACTION_EVENTS,
  ...INVOICE_EVENTS,
  ...PAYOUT_EVENTS,
  ...REFUND_EVENTS,
] as const;
export type Event = (typeof EVENTS)[number];

/** Events that can also be sent by e-mail (`notification_email_kinds`). */
export const EMAIL_EVENTS = [
  'invoice_pending',
  'invoice_confirmed',
  'invoice_complete',
  'invoice_incomplete',
  'transaction_pending',
  'transaction_confirmed',
  'transaction_complete',
  'payout_pending',
  'payout_confirmed',
  'payout_complete',
] as const satisfies readonly Event[];

/** The resource of an event: the key beside `result` in a callback's body. */
export type CallbackResource = 'invoice' | 'transaction' | 'payout' | 'refund';

/** @example resourceOf('invoice_pending') // 'invoice' */
export function resourceOf(event: Event): CallbackResource {
  if (event.startsWith('invoice_')) return 'invoice';
  if (event.startsWith('transaction_')) return 'transaction';
  return event.startsWith('refund_') ? 'refund' : 'payout';
}

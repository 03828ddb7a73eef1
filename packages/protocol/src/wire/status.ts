/** The invoice statuses that the gateway sends; a reader must accept any other string. */
export const INVOICE_STATUSES = ['new', 'pending', 'paid', 'complete', 'expired'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/** The transaction statuses that the gateway sends; a reader must accept any other string. */
export const TRANSACTION_STATUSES = [
  'pending',
  'confirmed',
  'complete',
  'unconfirmed',
  'failed',
  'quarantined',
  'replaced',
] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/** The payout statuses that the gateway sends; a reader must accept any other string. */
export const PAYOUT_STATUSES = [
  'draft',
  'scheduled',
  'queued',
  'new',
  'pending',
  'confirmed',
  'complete',
  'rejected',
  'failed',
  'unconfirmed',
  'awaiting_funds',
  'awaiting_policies',
] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** The refund statuses that the gateway sends; a reader must accept any other string. */
export const REFUND_STATUSES = [
  'requested',
  'draft',
  'approved',
  'paid',
  'rejected',
  'failed',
] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** Why the money of a transaction can be refunded. */
export const REFUND_CAUSES = ['late', 'wrong_coin', 'expired', 'excess', 'offered'] as const;
export type RefundCause = (typeof REFUND_CAUSES)[number];

/** Result of the zero-confirmation check; null without a check. */
export const ZERO_CONF_STATUSES = ['confirmed', 'unconfirmed', 'unknown'] as const;
export type ZeroConfStatus = (typeof ZERO_CONF_STATUSES)[number];

/** Result of the risk analysis; null without an analysis. */
export const RISK_LEVELS = ['no_risk', 'low', 'medium', 'high', 'critical'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/** An account has one network; sandbox and test networks are `testnet`. */
export const NETWORKS = ['mainnet', 'testnet'] as const;
export type Network = (typeof NETWORKS)[number];

/** The only invoice statuses that we send (§3.1); a reader must accept any other string. */
export const INVOICE_STATUSES = ['new', 'pending', 'paid', 'complete', 'expired'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/** §3.2. */
export const TRANSACTION_STATUSES = ['pending', 'confirmed', 'complete', 'unconfirmed', 'failed', 'quarantined', 'replaced'] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/** §3.3; `failed` comes from the event `payout_failed`. */
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

/** Result of the zero-confirmation check; null means that none was done (§3.2). */
export const ZERO_CONF_STATUSES = ['confirmed', 'unconfirmed', 'unknown'] as const;
export type ZeroConfStatus = (typeof ZERO_CONF_STATUSES)[number];

/** §2.5; null when there was no analysis. */
export const RISK_LEVELS = ['no_risk', 'low', 'medium', 'high', 'critical'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/** One account is one network; sandbox and test networks are `testnet`. */
export const NETWORKS = ['mainnet', 'testnet'] as const;
export type Network = (typeof NETWORKS)[number];

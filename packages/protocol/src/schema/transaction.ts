import { z } from 'zod';
import { amountObject, decimalText, orNull, timestamp } from './amount.ts';
import { embeddedInvoice } from './invoice.ts';

/** An amount with its value in fiat currencies. */
export const quotedAmount = amountObject.extend({ quotes: z.record(z.string(), decimalText).default({}) });
export type QuotedAmount = z.infer<typeof quotedAmount>;

/** §2.5. Status, risk level and zero-confirmation status are any string: a reader must accept ones that it does not know. */
export const transaction = z.object({
  id: z.string(),
  kind: z.string(),
  txid: z.string(),
  /** Null for a payment to an address of a wallet. */
  invoice: orNull(embeddedInvoice),
  amount: z.object({
    paid: quotedAmount,
    /** The actual value; present with a custom fee only. */
    paid_total: quotedAmount.nullish(),
  }),
  currency_rates: z.record(z.string(), z.record(z.string(), decimalText)).default({}),
  created_at: timestamp,
  executed_at: orNull(timestamp),
  confirmed_at: orNull(timestamp),
  confirmations: z.int(),
  status: z.string(),
  zero_conf_status: orNull(z.string()),
  network: z.string(),
  risk_level: orNull(z.string()),
  risk_data: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((data) => data ?? {}),
  sub_kind: orNull(z.string()),
});
export type Transaction = z.infer<typeof transaction>;

/** Answer of `GET /v1/transactions/<ID>/risk/`. */
export const transactionRisk = transaction.pick({ id: true, kind: true, risk_data: true });
export type TransactionRisk = z.infer<typeof transactionRisk>;

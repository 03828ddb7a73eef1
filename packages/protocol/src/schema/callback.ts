import { z } from 'zod';
import { orNull } from './amount.ts';
import { invoice } from './invoice.ts';
import { payout } from './payout.ts';
import { transaction } from './transaction.ts';

/** What every callback has, whatever it is about. Only read it after `verifyCallback`. */
export const callback = z.object({
  callback_id: z.string(),
  callback_status: z.string(),
  signature: z.string(),
  result: z.looseObject({ id: z.string() }),
});

export const invoiceCallback = callback.extend({ callback_status: z.string().startsWith('invoice_'), result: invoice });
export type InvoiceCallback = z.infer<typeof invoiceCallback>;

export const transactionCallback = callback.extend({ callback_status: z.string().startsWith('transaction_'), result: transaction });
export type TransactionCallback = z.infer<typeof transactionCallback>;

export const payoutCallback = callback.extend({ callback_status: z.string().startsWith('payout_'), result: payout });
export type PayoutCallback = z.infer<typeof payoutCallback>;

/**
 * Answer of `POST /v1/transactions/<ID>/resend-callback/` (§4.2), and of invoices; any status and error: a reader must accept ones
 * that it does not know. Payouts name the details `response`.
 */
export const callbackResent = z.object({
  status: z.string(),
  message: z.string(),
  error: z.string().nullish(),
  /** Null when nothing was sent; without a status code when nobody answered. */
  callback_response: orNull(z.object({ status_code: orNull(z.int()), url: z.string() })),
});
export type CallbackResent = z.infer<typeof callbackResent>;

import { z } from 'zod';
import { invoice } from './invoice.ts';
import { payout } from './payout.ts';
import { refund } from './refund.ts';
import { receiverResponse, resendResult } from './fields/resend.ts';
import { transaction } from './transaction.ts';

/** The members of every callback. Read them only after `verifyCallback`. */
export const callback = z.object({
  callback_id: z.string(),
  callback_status: z.string(),
  signature: z.string(),
  result: z.looseObject({ id: z.string() }),
});

export const invoiceCallback = callback.extend({
  callback_status: z.string().startsWith('invoice_'),
  result: invoice,
});
export type InvoiceCallback = z.infer<typeof invoiceCallback>;

export const transactionCallback = callback.extend({
  callback_status: z.string().startsWith('transaction_'),
  result: transaction,
});
export type TransactionCallback = z.infer<typeof transactionCallback>;

export const payoutCallback = callback.extend({
  callback_status: z.string().startsWith('payout_'),
  result: payout,
});
export type PayoutCallback = z.infer<typeof payoutCallback>;

export const refundCallback = callback.extend({
  callback_status: z.string().startsWith('refund_'),
  result: refund,
});
export type RefundCallback = z.infer<typeof refundCallback>;

/**
 * Answer of `POST /v1/transactions/<ID>/resend-callback/`, and of invoices. Status and error can be
 * any string: a reader must accept unknown ones. Payouts name the details `response`.
 */
export const callbackResent = z
  .object({ ...resendResult, callback_response: receiverResponse })
  .meta({ description: 'Result of sending a callback again.' });
export type CallbackResent = z.infer<typeof callbackResent>;

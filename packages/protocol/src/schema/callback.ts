import { z } from 'zod';
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

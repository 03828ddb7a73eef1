import { z } from 'zod';

/** Core Lightning writes amounts as integers, which JSON.parse reads exactly up to 2^53 - 1. */
const msat = z.int().nonnegative().transform(BigInt);
const index = z.int().nonnegative();
const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const nodeInfo = z.object({
  id: z.string().regex(/^0[23][0-9a-f]{64}$/),
  version: z.string(),
  network: z.string(),
  blockheight: z.int().nonnegative(),
  warning_bitcoind_sync: z.string().optional(),
  warning_lightningd_sync: z.string().optional(),
});

export const addedInvoice = z.object({
  bolt11: z.string().min(1),
  payment_hash: hash,
  created_index: index,
});

export const invoice = z.object({
  label: z.string(),
  payment_hash: hash,
  status: z.enum(['unpaid', 'paid', 'expired']),
  created_index: index,
  pay_index: index.optional(),
  amount_received_msat: msat.optional(),
  paid_at: z.int().nonnegative().optional(),
});
export type ClnInvoice = z.output<typeof invoice>;

export const invoiceList = z.object({ invoices: z.array(invoice) });
export const invoiceIndex = z.object({ created: index.optional() });

export const channelList = z.object({
  channels: z.array(
    z.object({
      state: z.string(),
      peer_connected: z.boolean(),
      receivable_msat: msat.optional(),
      spendable_msat: msat.optional(),
    }),
  ),
});

export const paid = z.object({ payment_preimage: hash });

export const payment = z.object({
  payment_hash: hash,
  status: z.enum(['pending', 'failed', 'complete']),
  created_at: z.number().nonnegative(),
  created_index: index.optional(),
  amount_msat: msat.optional(),
  amount_sent_msat: msat.optional(),
  preimage: hash.optional(),
});
export type ClnPayment = z.output<typeof payment>;
export const paymentList = z.object({ pays: z.array(payment) });

export const errorBody = z.object({ code: z.int().nullish(), message: z.string() });

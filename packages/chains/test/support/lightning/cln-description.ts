import { z } from 'zod';

// The methods of Core Lightning that are used, after the JSON schemas of its own documentation
// (doc/schemas). Strict in both directions: an unknown member is a mistake.

const u64 = z.int().nonnegative();
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const pubkey = z.string().regex(/^0[23][0-9a-f]{64}$/);
const listed = {
  label: z.string(),
  payment_hash: hash,
  created_index: u64,
  updated_index: u64.optional(),
  expires_at: u64,
  description: z.string().optional(),
  amount_msat: u64.optional(),
  bolt11: z.string(),
};
const paidInvoice = z.strictObject({
  ...listed,
  status: z.literal('paid'),
  pay_index: u64.min(1),
  amount_received_msat: u64,
  paid_at: u64,
  payment_preimage: hash,
});
const unpaidInvoice = z.strictObject({ ...listed, status: z.enum(['unpaid', 'expired']) });
const invoice = z.union([paidInvoice, unpaidInvoice]);

const pay = {
  payment_hash: hash,
  destination: pubkey.optional(),
  created_at: u64,
  completed_at: u64.optional(),
  bolt11: z.string().optional(),
  created_index: u64,
  updated_index: u64.optional(),
};

interface Method {
  request: z.ZodType;
  answer: z.ZodType;
}

export const METHODS: Readonly<Record<string, Method>> = {
  getinfo: {
    request: z.strictObject({}),
    answer: z.strictObject({
      id: pubkey,
      alias: z.string().max(32),
      color: z.string().regex(/^[0-9a-f]{6}$/),
      num_peers: u64,
      num_pending_channels: u64,
      num_active_channels: u64,
      num_inactive_channels: u64,
      version: z.string(),
      'lightning-dir': z.string(),
      blockheight: u64,
      network: z.string(),
      fees_collected_msat: u64,
      address: z.array(z.unknown()),
      warning_bitcoind_sync: z.string().optional(),
      warning_lightningd_sync: z.string().optional(),
    }),
  },
  invoice: {
    request: z.strictObject({
      amount_msat: z.union([z.literal('any'), u64.min(1)]),
      label: z.string().min(1),
      description: z.string(),
      expiry: u64.optional(),
      exposeprivatechannels: z.boolean().optional(),
      deschashonly: z.boolean().optional(),
    }),
    answer: z.strictObject({
      bolt11: z.string(),
      payment_hash: hash,
      payment_secret: hash,
      expires_at: u64,
      created_index: u64,
    }),
  },
  listinvoices: {
    request: z.union([
      z.strictObject({ payment_hash: hash }),
      z.strictObject({ index: z.enum(['created', 'updated']), start: u64, limit: u64 }),
    ]),
    answer: z.strictObject({ invoices: z.array(invoice) }),
  },
  waitanyinvoice: {
    request: z.strictObject({ lastpay_index: u64, timeout: u64 }),
    answer: paidInvoice,
  },
  wait: {
    request: z.strictObject({
      subsystem: z.literal('invoices'),
      indexname: z.enum(['created', 'updated', 'deleted']),
      nextvalue: u64,
    }),
    answer: z.strictObject({ subsystem: z.literal('invoices'), created: u64.optional() }),
  },
  delinvoice: {
    request: z.strictObject({ label: z.string(), status: z.enum(['paid', 'expired', 'unpaid']) }),
    answer: invoice,
  },
  listpeerchannels: {
    request: z.strictObject({}),
    answer: z.strictObject({
      channels: z.array(
        z.looseObject({
          peer_id: pubkey,
          peer_connected: z.boolean(),
          state: z.string(),
          receivable_msat: u64,
          spendable_msat: u64,
        }),
      ),
    }),
  },
  xpay: {
    request: z.strictObject({
      invstring: z.string(),
      amount_msat: u64.optional(),
      maxfee: u64.optional(),
      retry_for: u64.optional(),
    }),
    answer: z.strictObject({
      payment_preimage: hash,
      failed_parts: u64,
      successful_parts: u64.min(1),
      amount_msat: u64,
      amount_sent_msat: u64,
    }),
  },
  listpays: {
    request: z.strictObject({ payment_hash: hash }),
    answer: z.strictObject({
      pays: z.array(
        z.discriminatedUnion('status', [
          z.strictObject({ ...pay, status: z.literal('pending'), amount_msat: u64.optional() }),
          z.strictObject({ ...pay, status: z.literal('failed'), amount_sent_msat: u64 }),
          z.strictObject({
            ...pay,
            status: z.literal('complete'),
            amount_msat: u64,
            amount_sent_msat: u64,
            preimage: hash,
          }),
        ]),
      ),
    }),
  },
};

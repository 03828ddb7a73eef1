import { base64, hex } from '@scure/base';
import { z } from 'zod';

/** 64-bit numbers are text in LND's JSON. */
const integer = z
  .string()
  .regex(/^-?\d{1,20}$/)
  .transform(BigInt);
/** Counters, of which a double holds more than a node can reach. */
const index = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);
const seconds = index;

/** Bytes of this length in base64, as hex. */
const bytes = (length: number) =>
  z.string().transform((text, check) => {
    try {
      const decoded = base64.decode(text);
      if (decoded.length === length) return hex.encode(decoded);
    } catch {
      // Reported below.
    }
    check.addIssue(`must be ${length} bytes in base64`);
    return z.NEVER;
  });

export const nodeInfo = z.object({
  version: z.string(),
  identity_pubkey: z.string().regex(/^0[23][0-9a-f]{64}$/),
  synced_to_chain: z.boolean(),
  block_height: z.int().nonnegative(),
  chains: z.array(z.object({ network: z.string() })).min(1),
});
export type NodeInfo = z.output<typeof nodeInfo>;

export const addedInvoice = z.object({
  r_hash: bytes(32),
  payment_request: z.string().min(1),
  add_index: index,
});

export const invoice = z.object({
  r_hash: bytes(32),
  state: z.enum(['OPEN', 'SETTLED', 'CANCELED', 'ACCEPTED']),
  add_index: index,
  settle_index: index,
  settle_date: seconds,
  amt_paid_msat: integer,
});
export type LndInvoice = z.output<typeof invoice>;

export const invoiceList = z.object({
  invoices: z.array(invoice),
  first_index_offset: index,
  last_index_offset: index,
});

export const channelList = z.object({
  channels: z.array(
    z.object({
      active: z.boolean(),
      local_balance: integer,
      remote_balance: integer,
      local_constraints: z.object({ chan_reserve_sat: integer }),
      remote_constraints: z.object({ chan_reserve_sat: integer }),
    }),
  ),
});

export const payment = z.object({
  payment_hash: z.string().regex(/^[0-9a-f]{64}$/),
  payment_preimage: z.string(),
  value_msat: integer,
  fee_msat: integer,
  status: z.enum(['UNKNOWN', 'IN_FLIGHT', 'SUCCEEDED', 'FAILED', 'INITIATED']),
  failure_reason: z.string(),
  payment_index: index,
});
export type LndPayment = z.output<typeof payment>;

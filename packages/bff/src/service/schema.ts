import { z } from 'zod';

const Money = z.object({ amount: z.string(), currency: z.string() });
const text = z.string().nullable().default(null);

/** The members of the service's invoice that a checkout needs. Any status is accepted. */
export const ServiceInvoice = z.object({
  id: z.string(),
  kind: z.string(),
  status: z.string(),
  network: z.string(),
  profile_id: z.string(),
  created_at: z.string(),
  expires_at: text,
  address: text,
  x_address: text,
  public_address: text,
  lightning: z
    .object({ payment_request: text, payment_hash: text, lnurl: text, lnurl_invoice_id: text })
    .nullable()
    .default(null),
  /** The network of the payment link, where it is not that of the tables. */
  evm: z.object({ chain_id: z.number().int(), contract: text }).nullish(),
  amount: z.object({
    requested: Money.nullable().default(null),
    invoiced: Money.extend({ rate_usd: z.string().optional() }).nullable().default(null),
    paid: Money.nullable().default(null),
    /** Present with a custom fee only. */
    paid_total: Money.nullish(),
  }),
  min_confirmations: z.number().int().nullable().default(null),
  notes: text,
  passthrough: text,
  order_id: text,
  /** Services without address proofs send none. */
  proof: z.object({ kid: z.string(), signature: z.string() }).nullable().default(null),
  /** Of a lightning request beside an address. */
  lightning_proof: z.object({ kid: z.string(), signature: z.string() }).nullable().default(null),
  transactions: z
    .array(z.object({ txid: z.string(), kind: z.string().optional() }))
    .nullish()
    .transform((rows) => rows?.length ?? 0),
});
export type ServiceInvoice = z.output<typeof ServiceInvoice>;

/** The members of the service's transaction that a checkout needs. */
export const ServiceTransaction = z.object({
  id: z.string(),
  kind: z.string(),
  txid: z.string(),
  status: z.string(),
  created_at: z.string(),
  confirmations: z.number().int().default(0),
  invoice: z.object({ id: z.string() }).nullable().default(null),
  amount: z.object({
    paid: Money,
    paid_total: Money.optional(),
    /** The part that goes back to the buyer. Present with a refund only. */
    refunded: Money.optional(),
  }),
  /** The shop counts it although it came late. Present only then. */
  late_accepted: z.boolean().optional(),
  /** Set here: the service refuses to accept this late payment. */
  is_refused: z.boolean().optional(),
});
export type ServiceTransaction = z.output<typeof ServiceTransaction>;

/** The members of the service's refund that a buyer sees. Any status is accepted. */
export const ServiceRefund = z.object({
  id: text,
  transaction_id: z.string(),
  invoice_id: z.string(),
  is_proven: z.boolean().default(false),
  kind: z.string(),
  status: z.string(),
  address: z.string(),
  destination_tag: text,
  amount: Money,
  received: Money,
  txid: text,
  network: z.string().default('testnet'),
});
export type ServiceRefund = z.output<typeof ServiceRefund>;

/** Money of an invoice that can be returned. */
export const ServiceRefundable = z.object({
  transaction_id: z.string(),
  kind: z.string(),
  cause: z.string(),
  amount: Money,
  /** With the fee of a sweep; a service without this extension has none. */
  network_fee: Money.nullish(),
  is_ready: z.boolean(),
  /** The unproven refund of this money, which a proven request replaces; null without one. */
  replaces: z.string().nullish(),
});
export type ServiceRefundable = z.output<typeof ServiceRefundable>;

import { z } from 'zod';
import type { Checkout } from '../checkout/checkout.ts';
import { amountObject, amountText, decimalText, timestamp } from './fields/amount.ts';

const coin = z.strictObject({
  kind: z.string(),
  name: z.string(),
  network: z.string(),
  symbol: z.string(),
  approx: amountText.nullable(),
  fee_usd: decimalText.nullable(),
  seconds: z.int().nullable(),
  gas: z.string().nullable(),
});

const transaction = z.strictObject({
  txid: z.string(),
  status: z.string(),
  amount: amountText,
  confirmations: z.int(),
  created_at: timestamp,
  explorer_url: z.string().nullable(),
});

const received = transaction.extend({
  invoice_id: z.string(),
  address: z.string().nullable(),
  tag: z.string().nullable(),
  kind: z.string(),
  name: z.string(),
  network: z.string(),
  symbol: z.string(),
  rate: decimalText.nullable(),
  value: decimalText.nullable(),
  late: z.boolean(),
  overpaid: amountText.nullable(),
});

const proof = z.strictObject({ kid: z.string(), signature: z.string() });

const payment = z.strictObject({
  invoice_id: z.string(),
  kind: z.string(),
  name: z.string(),
  network: z.string(),
  symbol: z.string(),
  from: z.string(),
  address: z.string().nullable(),
  tag: z.string().nullable(),
  x_address: z.string().nullable(),
  other_address: z.boolean().optional(),
  public_address: z.string().nullable(),
  lightning: z
    .strictObject({ payment_request: z.string().nullable(), lnurl: z.string().nullable() })
    .nullable(),
  due: amountText.nullable(),
  paid: amountText,
  remaining: amountText.nullable(),
  overpaid: amountText.nullable(),
  late: amountText.nullable(),
  minimum_withdrawal: amountText.nullable(),
  rate: decimalText.nullable(),
  strings: z.strictObject({
    qr: z.string(),
    link: z.string(),
    address: z.string(),
    amount: amountText.nullable(),
    tag: z.string().nullable(),
  }),
  qr: z.strictObject({ size: z.int(), path: z.string() }),
  confirmations: z.strictObject({ have: z.int(), need: z.int(), final: z.int() }),
  usual_seconds: z.int().nullable(),
  transactions: z.array(transaction),
  expires_at: timestamp.nullable(),
  renewable: z.boolean(),
  extendable: z.boolean(),
  proof: proof.nullable(),
  lightning_proof: proof.nullable(),
  signed_terms: z
    .strictObject({
      order_id: z.string().nullable(),
      amount: amountText,
      currency: z.string(),
      invoiced: amountText,
      expires_at: timestamp.nullable(),
    })
    .nullable(),
});

const refund = z.strictObject({
  transaction: z.string(),
  amount: amountText,
  kind: z.string(),
  address: z.string(),
  status: z.string(),
  txid: z.string().nullable(),
  explorer_url: z.string().nullable(),
});

const refundable = z.strictObject({
  transaction: z.string(),
  cause: z.string(),
  kind: z.string(),
  name: z.string(),
  network: z.string(),
  symbol: z.string(),
  amount: amountText,
  fee: amountText.nullable(),
  received: amountText.nullable(),
  ready: z.boolean(),
  tagged: z.boolean(),
});

/** The buyer's view. Strict: a member that is not listed here must not reach a buyer. */
export const checkout = z.strictObject({
  id: z.string(),
  stage: z.string(),
  notes: z.array(z.string()),
  version: z.int(),
  network: z.string(),
  server_time: timestamp,
  expires_at: timestamp.nullable(),
  merchant: z.strictObject({
    name: z.string(),
    contact: z.string().nullable(),
    logo: z.string().nullable(),
    legal: z
      .strictObject({
        name: z.string(),
        address: z.string().nullable(),
        country: z.string().nullable(),
        asked: z.boolean(),
      })
      .nullable(),
  }),
  order: z.strictObject({
    order_id: z.string().nullable(),
    description: z.string().nullable(),
    amount: amountObject.strict().nullable(),
  }),
  coins: z.array(coin),
  payment: payment.nullable(),
  received: z.array(received),
  refunds: z.array(refund).optional(),
  refundable: z.array(refundable).optional(),
  mails_receipt: z.boolean().optional(),
  shop_url: z.string().nullable(),
  success_url: z.string().nullable(),
  onramp: z.string().nullable(),
}) satisfies z.ZodType<Checkout>;

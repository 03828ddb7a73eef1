import { z } from 'zod';
import { amountObject, orNull, timestamp } from './fields/amount.ts';
import { accountId, createdAt, EXAMPLES, kind, network, txid } from './fields/common-fields.ts';

/** A receipt on the wire. */
export const signedReceipt = z
  .object({
    receipt: z.string().meta({
      description: 'Compact JWS (RFC 7515) with EdDSA; its payload are the claims.',
      examples: ['eyJhbGciOiJFZERTQSIsImtpZCI6…'],
    }),
  })
  .meta({ description: 'A signed receipt.' });

/** `typ` of the JWS: no other signed text can pass as a receipt. */
export const RECEIPT_TYPE = 'crypto-checkout-receipt';

const receiptPayment = z
  .object({
    invoice_id: z.string().meta({ description: 'Id of its invoice.', examples: [EXAMPLES.id] }),
    kind,
    txid,
    amount: amountObject,
    status: z.string().meta({ description: 'Status of the transaction.', examples: ['complete'] }),
    late: z.boolean().meta({
      description: 'True when it was seen after the price had expired.',
      examples: [false],
    }),
    created_at: createdAt,
    confirmed_at: orNull(timestamp).meta({
      description: 'Time of its first sufficient confirmation; null before it.',
      examples: [EXAMPLES.time],
    }),
  })
  .meta({ description: 'A payment that counts.' });

const receiptRefund = z
  .object({
    txid: orNull(z.string()),
    kind: z.string(),
    amount: amountObject,
    status: z.string(),
    created_at: timestamp,
  })
  .meta({ description: 'Money that was returned, or is to be.' });

/** The claims of a receipt. A reader accepts further members. */
export const receiptClaims = z
  .object({
    /** Seconds since the epoch. */
    iat: z.int(),
    account_id: accountId,
    invoice_id: z.string(),
    order_id: z.string().nullable(),
    network,
    kind,
    status: z.string(),
    /** Whether every payment is final on its chain. */
    final: z.boolean(),
    /** The requested amount. */
    amount: amountObject,
    /** The same in the coin. */
    invoiced: amountObject,
    created_at: timestamp,
    payments: z.array(receiptPayment),
    refunds: z.array(receiptRefund),
  })
  .meta({ description: 'The claims of a receipt.' });
export type Receipt = z.infer<typeof receiptClaims>;

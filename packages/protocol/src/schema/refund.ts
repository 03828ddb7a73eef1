import { z } from 'zod';
import { REFUND_CAUSES, REFUND_STATUSES } from '../wire/status.ts';
import { amountInput, amountObject, orNull, timestamp } from './fields/amount.ts';
import { createdAt, EXAMPLES, id, kind, network, profileId } from './fields/common-fields.ts';
import { openValues } from './fields/text.ts';

const MAX_ADDRESS = 4096;
const MAX_REFERENCE = 256;
const MAX_REASON = 500;
const FEE_PAYERS = ['merchant', 'recipient'] as const;

const cause = z.string().meta({
  description: `Why the money can be returned. ${openValues(REFUND_CAUSES)}`,
  examples: ['late'],
});
const transactionId = z
  .string()
  .meta({ description: 'Id of the transaction that came in.', examples: [EXAMPLES.id] });
const invoiceId = z
  .string()
  .meta({ description: 'Id of the invoice of its address.', examples: [EXAMPLES.id] });

/** Status and cause can be any string: a reader must accept unknown ones. */
export const refund = z
  .object({
    id,
    transaction_id: transactionId,
    invoice_id: invoiceId,
    profile_id: profileId,
    payout_id: orNull(z.string()).meta({
      description: 'Id of the payout that sends it; null before the approval.',
      examples: [null],
    }),
    kind,
    status: z.string().meta({ description: openValues(REFUND_STATUSES), examples: ['requested'] }),
    cause,
    address: z
      .string()
      .meta({ description: 'Address of the buyer.', examples: [EXAMPLES.address] }),
    destination_tag: orNull(z.string()).meta({
      description: 'XRP and TON: tag of the address; null without one.',
      examples: [null],
    }),
    amount: amountObject.meta({ description: 'Amount that is returned, before the network fee.' }),
    received: amountObject.meta({
      description: 'Amount that arrives; an estimate until the refund is approved.',
    }),
    network_fee_pays: z
      .string()
      .meta({ description: openValues(FEE_PAYERS), examples: ['recipient'] }),
    is_proven: z.boolean().meta({
      description:
        'Whether the request came from the buyer of the order, and not just by its link.',
      examples: [true],
    }),
    reference_id: orNull(z.string()).meta({
      description: 'Reference of the caller; null without one.',
      examples: [null],
    }),
    reason: orNull(z.string()).meta({
      description: 'Text of the caller; null without one.',
      examples: ['Paid after the offer had expired'],
    }),
    txid: orNull(z.string()).meta({
      description: 'Transaction id of the payout on the chain; null until it is sent.',
      examples: [null],
    }),
    error: orNull(z.string()).meta({
      description: 'Reason of a failure or of a rejection by the service; null without one.',
      examples: [null],
    }),
    network,
    created_at: createdAt,
    updated_at: timestamp.meta({
      description: 'Time of the last change.',
      examples: [EXAMPLES.time],
    }),
  })
  .meta({ description: 'Money of one transaction that goes back to the buyer.' });
export type Refund = z.infer<typeof refund>;

/** Answer of `estimate_only`. */
export const refundEstimate = refund
  .extend({
    id: orNull(z.string()).meta({
      description: 'Always null: an estimate is not stored.',
      examples: [null],
    }),
  })
  .meta({ description: 'Preview of a refund. Nothing is created, and the fee is not guaranteed.' });
export type RefundEstimate = z.infer<typeof refundEstimate>;

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => !/[\0\p{Surrogate}]/u.test(value), 'must be well-formed, without NUL');

/** Payload of `POST /v1/refunds/`, without the members that every request has. */
export const createRefund = z
  .object({
    transaction_id: z
      .string()
      .max(64)
      .meta({ description: 'Id of the transaction that came in.', examples: [EXAMPLES.id] }),
    address: text(MAX_ADDRESS).meta({
      description:
        'Address of the buyer, on the chain of the transaction. Lightning: a BOLT11 request or a lightning address.',
      examples: [EXAMPLES.address],
    }),
    destination_tag: z
      .union([text(120), z.int().nonnegative().transform(String)])
      .nullish()
      .meta({ description: 'XRP and TON only.', examples: ['12345'] }),
    amount: amountInput.optional().meta({
      description:
        'Amount in the coin. Default: all that the service counts as refundable. Another amount needs `payouts:write`.',
      examples: ['0.0001'],
    }),
    reference_id: text(MAX_REFERENCE)
      .nullish()
      .meta({
        description: 'Unique reference. The same request again returns the same refund.',
        examples: ['refund-1001'],
      }),
    reason: text(MAX_REASON)
      .nullish()
      .meta({
        description: 'Text for the shop.',
        examples: ['Paid after the offer had expired'],
      }),
    network_fee_pays: z
      .enum(FEE_PAYERS)
      .nullish()
      .meta({
        description:
          'Payer of the network fee. Default `recipient`; lightning: `merchant`. Otherwise `merchant` needs `payouts:write`.',
        examples: ['recipient'],
      }),
    is_proven: z
      .boolean()
      .nullish()
      .meta({
        description:
          'The caller has proof that the buyer of the order asks. Only such a request can be approved by `REFUNDS=auto`. Default false.',
        examples: [true],
      }),
    estimate_only: z
      .boolean()
      .nullish()
      .meta({
        description:
          'Checks the request and returns the amounts without storing it. Default false.',
        examples: [false],
      }),
  })
  .meta({ description: 'A new refund.' });
export type CreateRefund = z.input<typeof createRefund>;

/** Payload of `PUT /v1/refunds/<ID>/`. */
export const approveRefund = z
  .object({
    is_approved: z.boolean().meta({
      description: 'True sends the refund; false rejects it.',
      examples: [true],
    }),
  })
  .meta({ description: 'Approval or rejection of a refund.' });

/** An element of `GET /v1/invoices/<ID>/refundable/`. */
export const refundable = z
  .object({
    transaction_id: transactionId,
    kind,
    cause,
    amount: amountObject.meta({ description: 'Amount that can be returned.' }),
    network_fee: amountObject.nullish().meta({
      description:
        'Fee that the recipient pays where the money must be swept first, with that of the sweep; null where the usual network fee applies, or the node does not answer.',
    }),
    is_ready: z.boolean().meta({
      description: 'False until the payment is final and its money is available.',
      examples: [true],
    }),
    replaces: orNull(z.string()).meta({
      description:
        'Id of the unproven refund of this money, which only a proven request replaces; null without one.',
      examples: [null],
    }),
  })
  .meta({ description: 'Money that can be returned to the buyer.' });
export type Refundable = z.infer<typeof refundable>;

/** Payload of `POST /v1/transactions/<ID>/offer-refund/`. */
export const offerRefund = z
  .object({
    amount: amountInput.meta({
      description: 'Most that the buyer may ask back of this transaction; `0` ends the offer.',
      examples: ['0.0001'],
    }),
  })
  .meta({ description: 'A refund that the shop offers.' });

import { z } from 'zod';
import { PAYOUT_STATUSES } from '../wire/status.ts';
import { amountInput, amountObject, amountText, orNull, timestamp } from './fields/amount.ts';
import {
  confirmationCount,
  createdAt,
  EXAMPLES,
  id,
  kind,
  network,
  notes,
  profileId,
  subKind,
} from './fields/common-fields.ts';
import { exchangeRateLimit, MAX_PASSTHROUGH } from './invoice.ts';
import { payoutCurrencyText, payoutKindText } from './fields/kind.ts';
import { receiverResponse, resendResult } from './fields/resend.ts';
import { codeList, openValues } from './fields/text.ts';

/** Recipients of one payout. */
export const MAX_RECIPIENTS = 100;
export const MAX_REFERENCE = 256;
const MAX_ADDRESS = 4096;

export const payoutRecipient = z
  .object({
    id,
    address: z.string().meta({
      description: 'Address of the recipient, as in the request.',
      examples: [EXAMPLES.address],
    }),
    amount: z
      .object({
        requested: amountObject.meta({
          description: 'Amount requested, in the currency of the request.',
          examples: [{ amount: '10', currency: 'USD' }],
        }),
        received: amountObject.meta({
          description:
            'Amount in the coin, after the custom fee and, if the recipient pays it, the network fee.',
        }),
      })
      .meta({ description: 'Requested amount and received amount.' }),
    custom_fee: orNull(amountObject).meta({
      description: 'Custom fee of the merchant; null without one.',
      examples: [null],
    }),
    notes,
    destination_tag: z
      .string()
      .nullish()
      .meta({ description: 'XRP and TON: tag of the request.', examples: [null] }),
  })
  .meta({ description: 'A recipient and its amount.' });
export type PayoutRecipient = z.infer<typeof payoutRecipient>;

const FEE_PAYERS = ['merchant', 'recipient'] as const;
const FEE_PRESETS = ['high', 'normal', 'economy'] as const;

/** The status can be any string: a reader must accept unknown ones. */
export const payout = z
  .object({
    id,
    kind,
    txid: orNull(z.string()).meta({
      description: 'Transaction id on the chain; empty until it is sent.',
      examples: [''],
    }),
    created_at: createdAt,
    approved_at: orNull(timestamp).meta({
      description:
        'Time of the approval of a draft, or of a payout that a policy held; null for other payouts.',
      examples: [null],
    }),
    executed_at: orNull(timestamp).meta({
      description: 'Time when it was sent.',
      examples: [null],
    }),
    profile_id: profileId,
    wallet_id: z
      .string()
      .meta({ description: 'Id of the wallet that pays.', examples: [EXAMPLES.walletId] }),
    confirmations: confirmationCount,
    status: z.string().meta({ description: openValues(PAYOUT_STATUSES), examples: ['new'] }),
    network,
    amount: z
      .object({
        total: amountText.meta({
          description: 'Total of all recipients, in the coin.',
          examples: ['0.000398'],
        }),
        network_fee: amountText.meta({ description: 'Network fee.', examples: ['0.0000141'] }),
        network_fee_currency: z
          .string()
          .meta({ description: 'Symbol of the coin of the network fee.', examples: ['BTC'] }),
      })
      .meta({
        description:
          'Total and network fee. On some chains the fee is final only after the payout was sent: read the payout again.',
      }),
    network_fee_pays: z.string().meta({
      description: `Payer of the network fee: ${codeList(FEE_PAYERS)}.`,
      examples: ['merchant'],
    }),
    network_fee_preset: z
      .string()
      .meta({ description: `Priority: ${codeList(FEE_PRESETS)}.`, examples: ['normal'] }),
    network_fee: orNull(z.int()).meta({
      description:
        'Satoshi per byte, as requested or from the preset; null on chains whose fees do not depend on size.',
      examples: [10],
    }),
    passthrough: orNull(z.string()).meta({
      description: 'Text of the caller, sent with every callback; null without one.',
      examples: [null],
    }),
    reference_id: orNull(z.string()).meta({
      description: 'Reference of the caller; null without one.',
      examples: ['payout-1001'],
    }),
    sub_kind: subKind,
    error: orNull(z.string()).meta({
      description: 'Reason of a failure; null without one.',
      examples: [null],
    }),
    approved_by: orNull(
      z.object({
        username: orNull(z.string()).meta({ description: 'Name of the key or operator.' }),
        email: orNull(z.string()).meta({
          description: 'E-mail address; null when it is not known.',
        }),
      }),
    ).meta({ description: 'Approver; null without an approval.', examples: [null] }),
    recipients: z.array(payoutRecipient).meta({ description: 'Recipients and their amounts.' }),
  })
  .meta({ description: 'An outgoing payment.' });
export type Payout = z.infer<typeof payout>;

const noId = orNull(z.string()).meta({
  description: 'Always null: an estimate is not stored.',
  examples: [null],
});

/** Answer of `estimate_only`. */
export const payoutEstimate = payout
  .extend({
    id: noId,
    recipients: z
      .array(payoutRecipient.extend({ id: noId }))
      .meta({ description: 'Recipients and their amounts.' }),
  })
  .meta({
    description:
      'Preview of a payout and its cost. Nothing is created, and the fee is not guaranteed.',
  });
export type PayoutEstimate = z.infer<typeof payoutEstimate>;

const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    // A lone surrogate has no UTF-8 and could not be returned unchanged.
    .refine((value) => !/\p{Surrogate}/u.test(value), 'must be well-formed Unicode');

export const createPayoutRecipient = z
  .object({
    amount: amountInput.optional().meta({
      description: 'Decimal amount. Lightning: optional for a BOLT11 request with an amount.',
      examples: ['10'],
    }),
    currency: payoutCurrencyText.max(16).meta({
      description:
        'Currency of the amount, or the coin of the payout; not USDT. The coin of TON is GRAM; TON is accepted too.',
      examples: ['USD'],
    }),
    address: text(MAX_ADDRESS)
      .min(1)
      .meta({
        description:
          'Address. Lightning: a BOLT11 request or an LNURL, with or without `lightning:`. XRP: also an X-address.',
        examples: [EXAMPLES.address],
      }),
    fee_amount: amountInput.nullish().meta({
      description: "Custom fee, deducted from the recipient's amount.",
      examples: ['0.10'],
    }),
    fee_currency: payoutCurrencyText
      .max(16)
      .nullish()
      .meta({
        description: 'Currency of the custom fee, with the values of `currency`; not USDT.',
        examples: ['USD'],
      }),
    destination_tag: z
      .union([text(120), z.int().nonnegative().transform(String)])
      .nullish()
      .meta({ description: 'XRP and TON only.', examples: ['12345'] }),
    notes: text(MAX_PASSTHROUGH)
      .nullish()
      .meta({
        description:
          'Internal note; with the prefix `memo:` a message on the chain (ETH, BSC, TON).',
        examples: ['memo: thank you'],
      }),
    exchange_rate_limit: exchangeRateLimit.nullish().meta({
      description:
        "Rejects the payout when the service's rate differs; for the coin of the payout, in any fiat currency.",
    }),
  })
  .meta({ description: 'A recipient and its amount.' });

/** Payload of `POST /v1/payouts/`, without the members that every request has. */
export const createPayout = z
  .object({
    kind: payoutKindText.max(40).meta({ description: 'Coin to send.', examples: ['BTC'] }),
    profile_id: z
      .string()
      .max(64)
      .meta({
        description: 'Id of the profile: it determines settings, callback URL and wallets.',
        examples: [EXAMPLES.profileId],
      }),
    wallet_id: z
      .string()
      .max(64)
      .nullish()
      .meta({
        description: "Id of the wallet that pays. Default: the profile's wallet of the kind.",
        examples: [EXAMPLES.walletId],
      }),
    passthrough: text(MAX_PASSTHROUGH)
      .nullish()
      .meta({
        description: 'Sent with every callback. Must be unique when there is no `reference_id`.',
        examples: ['order 1001'],
      }),
    reference_id: text(MAX_REFERENCE)
      .min(1)
      .nullish()
      .meta({
        description:
          'Unique reference. The same request again returns the same payout; a different request with it is rejected.',
        examples: ['payout-1001'],
      }),
    recipients: z
      .array(createPayoutRecipient)
      .min(1)
      .max(MAX_RECIPIENTS)
      .meta({ description: 'Recipients and their amounts; one for lightning.' }),
    network_fee_pays: z
      .enum(FEE_PAYERS)
      .nullish()
      .meta({
        description:
          'Payer of the network fee; with `recipient` the first recipient pays. Default `merchant`.',
        examples: ['merchant'],
      }),
    network_fee_preset: z
      .enum(FEE_PRESETS)
      .nullish()
      .meta({ description: 'Priority. Default `normal`.', examples: ['normal'] }),
    network_fee: z
      .int()
      .min(1)
      .nullish()
      .meta({
        description: 'Satoshi per byte, in place of a preset; bitcoin-like chains only.',
        examples: [12],
      }),
    estimate_only: z
      .boolean()
      .nullish()
      .meta({
        description: 'Validates the request and returns the fee without sending. Default false.',
        examples: [false],
      }),
    scheduled_at: z.iso
      .datetime({ offset: true })
      .nullish()
      .meta({
        description:
          'Earliest time of sending, at most a year ahead. A time in the last five minutes means at once.',
        examples: [null],
      }),
  })
  .meta({ description: 'A new payout.' });
/** The input of a caller; amounts are decimal strings. */
export type CreatePayout = z.input<typeof createPayout>;

/** Payload of `PUT /v1/payouts/<ID>/`. */
export const approvePayout = z
  .object({
    approve: z.boolean().meta({
      description: 'True sends a draft; false rejects a draft or a waiting payout.',
      examples: [true],
    }),
  })
  .meta({ description: 'Approval or rejection of a payout.' });

/** Answer of `POST /v1/payouts/<ID>/resend-callback/`. Status and error can be any string. */
export const payoutResent = z
  .object({ ...resendResult, response: receiverResponse })
  .meta({ description: 'Result of sending a callback again.' });
export type PayoutResent = z.infer<typeof payoutResent>;

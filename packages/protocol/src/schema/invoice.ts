import { z } from 'zod';
import { INVOICE_STATUSES } from '../wire/status.ts';
import {
  amountInput,
  amountObject,
  amountText,
  decimalText,
  orNull,
  timestamp,
} from './fields/amount.ts';
import {
  confirmationCount,
  createdAt,
  customFee,
  EXAMPLES,
  id,
  kind,
  network,
  notes,
  profileId,
  txid,
} from './fields/common-fields.ts';
import { currencyText, kindText } from './fields/kind.ts';
import { openValues } from './fields/text.ts';

/** Allowed lifetimes of a quote, in seconds. */
export const INVOICE_EXPIRATIONS = [
  60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800, 1209600,
] as const;
export type InvoiceExpiration = (typeof INVOICE_EXPIRATIONS)[number];

/** Characters in `order_id`, as in an order token. */
const MAX_ORDER_ID = 200;

/** Characters in `passthrough`. */
export const MAX_PASSTHROUGH = 4096;

export const lightning = z
  .object({
    payment_request: orNull(z.string()).meta({
      description: 'BOLT11 payment request; null for LNURL.',
      examples: ['lntb398u1p…'],
    }),
    payment_hash: orNull(z.string()).meta({
      description: 'Payment hash of the request.',
      examples: ['5fb3b5c3f8f5a1c0a6e6f9b8b9d9c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f60718'],
    }),
    lnurl: orNull(z.string()).meta({
      description: 'LNURL of an invoice of kind `BTC_LIGHTNING_LNURL`.',
      examples: [null],
    }),
    lnurl_invoice_id: orNull(z.string()).meta({
      description: 'Id of the LNURL invoice that created this invoice.',
      examples: [null],
    }),
  })
  .meta({ description: 'Lightning payment data of an invoice.' });
export type Lightning = z.infer<typeof lightning>;

export const invoiceTransaction = z
  .object({
    id,
    kind,
    txid,
    confirmations: confirmationCount,
    amount: amountText,
    created_at: createdAt,
  })
  .meta({ description: 'A payment of an invoice.' });
export type InvoiceTransaction = z.infer<typeof invoiceTransaction>;

const requested = amountObject.meta({
  description: "Amount requested, in the invoice's currency; 0 for an invoice without an amount.",
  examples: [{ amount: '19.90', currency: 'USD' }],
});
const invoiced = amountObject
  .extend({
    currency: z.string().meta({ description: 'Symbol of the coin.', examples: ['BTC'] }),
    rate_usd: decimalText
      .optional()
      .meta({ description: 'Price of one coin in US dollars.', examples: ['50000'] }),
  })
  .meta({ description: 'Amount to pay in the coin, including the custom fee.' });

/** An invoice inside a transaction: without status and transactions. */
export const embeddedInvoice = z
  .object({
    id,
    kind,
    created_at: createdAt,
    profile_id: profileId,
    address: orNull(z.string()).meta({
      description:
        'Address to pay to; null for lightning. XRP: account and destination tag, joined by a colon.',
      examples: [EXAMPLES.address],
    }),
    lightning: orNull(lightning).meta({
      description:
        'Lightning payment data; null for other coins. Beside an address until the first payment is seen.',
      examples: [null],
    }),
    network,
    amount: z
      .object({
        requested,
        invoiced,
        paid: orNull(amountObject).meta({
          description:
            'Amount received so far, after the custom fee; null before the first payment.',
          examples: [null],
        }),
        paid_total: amountObject.nullish().meta({
          description:
            'Amount received so far, before the custom fee; only present with a custom fee.',
          examples: [null],
        }),
      })
      .meta({ description: 'Requested amount, amount in the coin, and received amount.' }),
    custom_fee: customFee,
    min_confirmations: orNull(z.int()).meta({
      description: 'Confirmations that a payment needs to count; null for lightning.',
      examples: [1],
    }),
    zero_conf_enabled: orNull(z.boolean()).meta({
      description: 'True when payments can count before they are in a block.',
      examples: [false],
    }),
    notes,
    passthrough: orNull(z.string()).meta({
      description:
        'Text of the caller, returned unchanged and sent with every callback; null without one.',
      examples: ['order 1001'],
    }),
    x_address: z
      .string()
      .nullish()
      .meta({ description: 'XRP only: address and tag as an X-address.', examples: [null] }),
    public_address: z
      .string()
      .nullish()
      .meta({
        description: 'Liquid only: the address without its blinding key.',
        examples: [null],
      }),
    evm: z
      .object({
        chain_id: z.int().meta({ description: 'EIP-155 chain id.', examples: [560048] }),
        contract: orNull(z.string()).meta({
          description: 'Contract of the token there; null for the coin.',
          examples: [null],
        }),
      })
      .nullish()
      .meta({
        description:
          'EVM only: the network that a wallet has to use, where it differs from the one in the tables of kinds.',
        examples: [null],
      }),
  })
  .meta({ description: 'An invoice inside a transaction.' });
export type EmbeddedInvoice = z.infer<typeof embeddedInvoice>;

export const addressProof = z
  .object({
    kid: z.string().meta({
      description: 'JWK thumbprint of the public key.',
      examples: ['kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'],
    }),
    signature: z
      .string()
      .meta({ description: 'Ed25519 signature, as base64url.', examples: ['5aXk0PZ7c…'] }),
  })
  .meta({ description: 'Signature over coin, network, address, tag, amount and order.' });

/** The status can be any string: a reader must accept unknown ones. */
export const invoice = embeddedInvoice
  .extend({
    expires_at: orNull(timestamp).meta({
      description: 'Time when the price expires; null for reusable addresses and LNURL.',
      examples: ['2026-11-21T06:15:00.000000+00:00'],
    }),
    status: z.string().meta({ description: openValues(INVOICE_STATUSES), examples: ['new'] }),
    order_id: orNull(z.string()).meta({
      description: "The shop's order, as given at creation; null without one.",
      examples: ['1001'],
    }),
    proof: orNull(addressProof).meta({
      description:
        'Address proof; null for a text that cannot be signed, and in invoices of earlier versions.',
    }),
    lightning_proof: addressProof.nullish().meta({
      description: 'Proof of a lightning request beside an address; absent without one.',
    }),
    transactions: z
      .array(invoiceTransaction)
      .default([])
      .meta({ description: 'Payments of the invoice, oldest first.', examples: [[]] }),
  })
  .meta({ description: 'A payment request.' });
export type Invoice = z.infer<typeof invoice>;

export const listedInvoice = invoice
  .omit({ transactions: true })
  .meta({ description: 'An invoice in a list, without its transactions.' });

export const exchangeRateLimit = z
  .object({
    pair: z
      .string()
      .regex(/^[A-Za-z0-9.-]+:[A-Z]{3}$/, 'must be a crypto and a fiat symbol with a colon between')
      .meta({
        description: 'Crypto and fiat symbol, separated by a colon.',
        examples: ['BTC:USD'],
      }),
    exchange_rate: amountInput
      .refine((rate) => /[1-9]/.test(rate), 'must be more than zero')
      .meta({ description: 'Expected rate, more than zero.', examples: ['50000'] }),
    allowed_difference: amountInput.meta({
      description: 'Allowed difference as a fraction: 0.05 for 5 %.',
      examples: ['0.05'],
    }),
  })
  .meta({
    description:
      "Rejects the request when the service's rate differs by more than `allowed_difference`.",
  });

const freeText = z
  .string()
  .max(MAX_PASSTHROUGH)
  .refine((text) => !text.includes('\0'), 'must not contain NUL');

/** Payload of `POST /v1/invoices/`, without the members that every request has. */
export const createInvoice = z
  .object({
    profile_id: z.string().meta({
      description: 'Id of the profile: it determines settings, callback URL and wallets.',
      examples: [EXAMPLES.profileId],
    }),
    amount: amountInput.optional().meta({
      description: 'Decimal amount; omitted for a reusable address.',
      examples: ['19.90'],
    }),
    currency: currencyText.meta({ description: 'Currency of the amount.', examples: ['USD'] }),
    kind: kindText.meta({
      description:
        'Coin that the buyer pays with. The address of a native coin also accepts the tokens of its chain.',
      examples: ['BTC'],
    }),
    passthrough: freeText.nullish().meta({
      description:
        'Returned unchanged and sent with every callback; an object is stored as its JSON text.',
      examples: ['order 1001'],
    }),
    order_id: freeText
      .min(1)
      .max(MAX_ORDER_ID)
      .nullish()
      .meta({
        description: "The shop's order. Address proofs and receipts sign it.",
        examples: ['1001'],
      }),
    fee_amount: amountInput
      .nullish()
      .meta({ description: 'Custom fee in the coin, added to the amount.', examples: ['0.00001'] }),
    min_confirmations: z
      .int()
      .min(1)
      .max(5)
      .nullish()
      .meta({
        description:
          "Confirmations that a payment needs to count. Default: the value of the profile, capped at the chain's final depth.",
        examples: [1],
      }),
    notes: freeText.nullish().meta({
      description: 'Note in the dashboard and on the payment page.',
      examples: ['Two tickets'],
    }),
    zero_conf_enabled: z
      .boolean()
      .nullish()
      .meta({
        description:
          'Payments can count before they are in a block; on-chain bitcoin only. Default false.',
        examples: [false],
      }),
    with_lightning: z
      .boolean()
      .nullish()
      .meta({
        description:
          'On-chain bitcoin with an amount only: the invoice can also be paid over lightning, if lightning is enabled in the profile and can be received now.',
        examples: [false],
      }),
    exchange_rate_limit: exchangeRateLimit.nullish().meta({
      description:
        "Rejects the request when the service's rate differs; for the coin of `kind`, in any fiat currency.",
    }),
    invoice_expiration: z
      .literal(INVOICE_EXPIRATIONS, {
        error: `must be one of ${INVOICE_EXPIRATIONS.join(', ')} seconds`,
      })
      .nullish()
      .meta({
        description: 'Seconds until the price expires. Default: the value of the profile.',
        examples: [900],
      }),
  })
  .meta({ description: 'A new invoice.' });
/** The input of a caller; amounts are decimal strings. */
export type CreateInvoice = z.input<typeof createInvoice>;

/** Payload of `POST /v1/invoices/<ID>/renew/`. */
export const renewInvoice = z
  .object({
    extend: z
      .boolean()
      .nullish()
      .meta({
        description: 'Keeps the rate for one more period, once, while the price is valid.',
        examples: [false],
      }),
  })
  .meta({ description: 'Options of a renewal.' });

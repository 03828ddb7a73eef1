import { z } from 'zod';
import { RISK_LEVELS, TRANSACTION_STATUSES, ZERO_CONF_STATUSES } from '../wire/status.ts';
import { amountObject, decimalText, orNull, timestamp } from './fields/amount.ts';
import {
  confirmationCount,
  createdAt,
  id,
  kind,
  network,
  subKind,
  txid,
} from './fields/common-fields.ts';
import { embeddedInvoice } from './invoice.ts';
import { codeList, openValues } from './fields/text.ts';

export const quotedAmount = amountObject
  .extend({
    quotes: z
      .record(z.string(), decimalText)
      .default({})
      .meta({
        description: 'Value by symbol of the fiat currency; US dollars are always included.',
        examples: [{ USD: '19.90' }],
      }),
  })
  .meta({ description: 'An amount with its value in fiat currencies.' });
export type QuotedAmount = z.infer<typeof quotedAmount>;

/**
 * Status, risk level and zero-confirmation status can be any string: a reader must accept unknown
 * ones.
 */
export const transaction = z
  .object({
    id,
    kind,
    txid,
    invoice: orNull(embeddedInvoice).meta({
      description:
        'Invoice that it pays, without status and transactions; null for a payment to an address of a wallet.',
    }),
    amount: z
      .object({
        paid: quotedAmount.meta({ description: 'Amount after the custom fee.' }),
        paid_total: quotedAmount
          .nullish()
          .meta({ description: 'Amount before the custom fee; only present with a custom fee.' }),
        refunded: amountObject.optional().meta({
          description:
            'Part that is refunded, or for which a refund is requested: it counts for nothing else. Only present with a refund. Extension.',
        }),
      })
      .meta({ description: 'Received amount.' }),
    late_accepted: z
      .boolean()
      .optional()
      .meta({
        description:
          'True when the shop counts it although it came late. Only present then. Extension.',
        examples: [true],
      }),
    currency_rates: z
      .record(z.string(), z.record(z.string(), decimalText))
      .default({})
      .meta({
        description: 'Rates at the time of the payment, by crypto symbol and fiat symbol.',
        examples: [{ BTC: { USD: '50000' } }],
      }),
    created_at: createdAt,
    executed_at: orNull(timestamp).meta({
      description: 'Time when it was first in a block.',
      examples: [null],
    }),
    confirmed_at: orNull(timestamp).meta({
      description: 'Time when it had the required confirmations.',
      examples: [null],
    }),
    confirmations: confirmationCount,
    status: z
      .string()
      .meta({ description: openValues(TRANSACTION_STATUSES), examples: ['pending'] }),
    zero_conf_status: orNull(z.string()).meta({
      description: `Result of the zero-confirmation check: ${codeList(ZERO_CONF_STATUSES)}; null without a check. Accept unknown values.`,
      examples: [null],
    }),
    network,
    risk_level: orNull(z.string()).meta({
      description: `Result of the risk analysis: ${codeList(RISK_LEVELS)}; null without an analysis. Accept unknown values.`,
      examples: [null],
    }),
    risk_data: z
      .record(z.string(), z.unknown())
      .nullish()
      .transform((data) => data ?? {})
      .meta({ description: 'Details of the risk analysis; can be empty.', examples: [{}] }),
    sub_kind: subKind,
  })
  .meta({ description: 'An incoming payment. Identify a payment by `id`, not by `txid`.' });
export type Transaction = z.infer<typeof transaction>;

/** Answer of `GET /v1/transactions/<ID>/risk/`. */
export const transactionRisk = transaction
  .pick({ id: true, kind: true, risk_data: true })
  .meta({ description: 'Result of the risk analysis of a transaction.' });
export type TransactionRisk = z.infer<typeof transactionRisk>;

import { z } from 'zod';
import { amountInput, amountText, orNull } from './fields/amount.ts';
import { createdAt, displayName, EXAMPLES, id } from './fields/common-fields.ts';
import { kindText } from './fields/kind.ts';
import { openValues } from './fields/text.ts';

/** A reader must accept any other string. */
export const CONVERSION_STATUSES = ['draft', 'pending', 'complete', 'failed'] as const;
export type ConversionStatus = (typeof CONVERSION_STATUSES)[number];

export const walletReference = z
  .object({ id, name: displayName })
  .meta({ description: 'Id and name of a wallet.' });
export const exchangeReference = z
  .object({
    id: z.string().meta({ description: 'Id of the exchange.', examples: ['book'] }),
    title: orNull(z.string()).meta({ description: 'Display name.', examples: ['Built-in book'] }),
  })
  .meta({ description: 'An exchange.' });

/** The two sides of an exchange, as conversions and automatic rules show them. */
export const exchangeSides = {
  from_wallet: walletReference.meta({ description: 'Wallet that is debited.' }),
  from_kind: z.string().meta({ description: 'Kind of the sold coin.', examples: ['BTC'] }),
  to_wallet: walletReference.meta({ description: 'Wallet that is credited.' }),
  to_kind: z.string().meta({ description: 'Kind of the bought coin.', examples: ['ETH_USDT'] }),
};
export const chosenExchange = orNull(exchangeReference).meta({
  description: 'Exchange that carries it out; null when none is chosen.',
});

/** A conversion in lists and in answers to writes. */
export const conversion = z
  .object({
    id,
    created_at: createdAt,
    created_by: z.string().meta({
      description: 'Name of the key, operator or rule that created it.',
      examples: ['shop'],
    }),
    ...exchangeSides,
    amount: amountText.meta({ description: 'Sold amount.', examples: ['0.01'] }),
    to_amount: orNull(amountText).meta({
      description: 'Bought amount: first the estimate at the current rate, then the actual amount.',
      examples: ['498.5'],
    }),
    exchange: chosenExchange,
    status: z.string().meta({ description: openValues(CONVERSION_STATUSES), examples: ['draft'] }),
    is_approved: z.boolean().meta({
      description: 'True when it is carried out as soon as the wallet has enough.',
      examples: [false],
    }),
    approved_by: orNull(z.string()).meta({
      description: 'Name of the approver.',
      examples: [null],
    }),
    error: z
      .string()
      .nullish()
      .meta({ description: 'Reason of a failure.', examples: [null] }),
  })
  .meta({ description: 'One exchange between wallets.' });
export type Conversion = z.infer<typeof conversion>;

/** A conversion in the answer of `GET`. */
export const wholeConversion = conversion
  .extend({
    transaction: orNull(z.string()).meta({
      description:
        'Id of the transaction that delivered the coins, when an exchange sent them over a chain.',
      examples: [null],
    }),
    payout: orNull(z.string()).meta({
      description: 'Id of the payout that it funds; null without one.',
      examples: [null],
    }),
  })
  .meta({ description: 'One exchange between wallets, with its transaction and payout.' });
export type WholeConversion = z.infer<typeof wholeConversion>;

/** An id or a kind; the limit keeps look-ups cheap. */
export const idInput = z.string().max(64);
export const kindInput = kindText.max(40);

/** The two sides of an exchange in payloads. */
export const sideInputs = {
  from_wallet: idInput.meta({
    description: 'Id of the wallet to debit.',
    examples: [EXAMPLES.walletId],
  }),
  from_kind: kindInput.meta({ description: 'Kind of the sold coin.', examples: ['BTC'] }),
  to_wallet: idInput.meta({
    description: 'Id of the wallet to credit.',
    examples: ['0d8f4c3b-7a61-4e29-b5d8-6c1e9f2a3b47'],
  }),
  to_kind: kindInput.meta({ description: 'Kind of the bought coin.', examples: ['ETH_USDT'] }),
};
export const exchangeInput = idInput.nullish().meta({
  description: 'Id of the exchange. Default: the first exchange that trades the pair.',
  examples: ['book'],
});

const amount = amountInput.meta({
  description: 'Amount to sell, in `from_kind`.',
  examples: ['0.01'],
});
const isApproved = z
  .boolean()
  .nullish()
  .meta({
    description: 'Carry it out as soon as the wallet has enough. Default false.',
    examples: [false],
  });

/** Payload of `POST /v1/conversions/`, without the members that every request has. */
export const createConversion = z
  .object({ ...sideInputs, amount, exchange: exchangeInput, is_approved: isApproved })
  .meta({ description: 'A new conversion.' });
/** The input of a caller; amounts are decimal strings. */
export type CreateConversion = z.input<typeof createConversion>;

/** Payload of `PUT /v1/conversions/<ID>/`: an omitted member is not changed. */
export const updateConversion = z
  .object({
    to_wallet: sideInputs.to_wallet.nullish(),
    to_kind: sideInputs.to_kind.nullish(),
    amount: amount.nullish(),
    exchange: exchangeInput,
    is_approved: isApproved,
  })
  .meta({ description: 'Changes to a draft: an omitted member is not changed.' });
export type UpdateConversion = z.input<typeof updateConversion>;

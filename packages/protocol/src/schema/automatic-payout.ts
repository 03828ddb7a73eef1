import { z } from 'zod';
import { amountInput, amountText } from './fields/amount.ts';
import { EXAMPLES, id, kind } from './fields/common-fields.ts';
import { idInput, kindInput, walletReference } from './conversion.ts';

/** Minutes between two runs. */
export const AUTOMATIC_PAYOUT_INTERVALS = [5, 10, 15, 30, 60, 120, 240, 360] as const;
export type AutomaticPayoutInterval = (typeof AUTOMATIC_PAYOUT_INTERVALS)[number];

const MAX_ADDRESS = 256;

export const automaticPayout = z
  .object({
    id,
    wallet: walletReference.meta({ description: 'Wallet that pays.' }),
    kind,
    recipient_address: z
      .string()
      .meta({ description: 'Address of the recipient.', examples: [EXAMPLES.address] }),
    is_enabled: z
      .boolean()
      .meta({ description: 'True when the rule is active.', examples: [true] }),
    is_api_editable: z.boolean().meta({
      description:
        'True when the API can change the rule. False for rules from the command line, unless the operator allows it there.',
      examples: [true],
    }),
    min_amount: amountText.meta({ description: 'Smallest payout.', examples: ['0.001'] }),
    keep_amount: amountText.meta({
      description: 'Balance that stays in the wallet.',
      examples: ['0.1'],
    }),
    interval: z
      .int()
      .meta({ description: 'Minutes between two runs. Accept unknown values.', examples: [60] }),
  })
  .meta({
    description:
      'A rule that sends the balance of a wallet above an amount to an address, at a regular interval.',
  });
export type AutomaticPayout = z.infer<typeof automaticPayout>;

const keepAmount = amountInput.meta({
  description: 'Balance that stays in the wallet.',
  examples: ['0.1'],
});
const recipientAddress = z
  .string()
  .min(1)
  .max(MAX_ADDRESS)
  .meta({
    description: 'Address of the recipient. XRP: also with a tag, or as an X-address.',
    examples: [EXAMPLES.address],
  });
const optional = {
  kind: kindInput.nullish().meta({
    description: 'Kind to send. Default: the native coin of the chain of the wallet.',
    examples: ['BTC'],
  }),
  is_enabled: z
    .boolean()
    .nullish()
    .meta({ description: 'True activates the rule. Default false.', examples: [true] }),
  min_amount: amountInput
    .nullish()
    .meta({ description: 'Smallest payout. Default 0.', examples: ['0.001'] }),
  interval: z
    .literal(AUTOMATIC_PAYOUT_INTERVALS, {
      error: `must be one of ${AUTOMATIC_PAYOUT_INTERVALS.join(', ')} minutes`,
    })
    .nullish()
    .meta({ description: 'Minutes between two runs. Default 60.', examples: [60] }),
};

/** Payload of `POST /v1/automatic-payouts/`, without the members that every request has. */
export const createAutomaticPayout = z
  .object({
    wallet: idInput.meta({
      description: 'Id of the wallet that pays.',
      examples: [EXAMPLES.walletId],
    }),
    keep_amount: keepAmount,
    recipient_address: recipientAddress,
    ...optional,
  })
  .meta({ description: 'A new automatic payout.' });
/** The input of a caller; amounts are decimal strings. */
export type CreateAutomaticPayout = z.input<typeof createAutomaticPayout>;

/** Payload of `PUT /v1/automatic-payouts/<ID>/`: an omitted member is not changed. */
export const updateAutomaticPayout = z
  .object({
    keep_amount: keepAmount.nullish(),
    recipient_address: recipientAddress.nullish(),
    ...optional,
  })
  .meta({ description: 'Changes to an automatic payout: an omitted member is not changed.' });
export type UpdateAutomaticPayout = z.input<typeof updateAutomaticPayout>;

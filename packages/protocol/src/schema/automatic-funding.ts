import { z } from 'zod';
import { amountInput, amountText } from './fields/amount.ts';
import { id } from './fields/common-fields.ts';
import { chosenExchange, exchangeInput, exchangeSides, sideInputs } from './conversion.ts';

const MIN_AMOUNT = 'Smallest amount of one exchange.';
const MAX_AMOUNT = 'Largest amount of one exchange.';

/**
 * Automatic funding. `keep_amount`, `min_amount` and `max_amount` are in `to_kind`, the refilled
 * coin.
 */
export const automaticFunding = z
  .object({
    id,
    ...exchangeSides,
    keep_amount: amountText.meta({
      description: 'Balance to keep up, in the bought coin.',
      examples: ['0.1'],
    }),
    min_amount: amountText.meta({ description: MIN_AMOUNT, examples: ['0.001'] }),
    max_amount: amountText.meta({ description: MAX_AMOUNT, examples: ['1'] }),
    exchange: chosenExchange,
    is_enabled: z
      .boolean()
      .meta({ description: 'True when the rule is active.', examples: [true] }),
  })
  .meta({ description: 'A rule that refills a wallet to an amount, several times a day.' });
export type AutomaticFunding = z.infer<typeof automaticFunding>;

const amounts = {
  min_amount: amountInput.meta({ description: MIN_AMOUNT, examples: ['0.001'] }),
  max_amount: amountInput.meta({ description: MAX_AMOUNT, examples: ['1'] }),
  keep_amount: amountInput.meta({
    description:
      'Conversion: balance that stays in `from_wallet`. Funding: balance to keep up in `to_wallet`.',
    examples: ['0.1'],
  }),
};
const isEnabled = z
  .boolean()
  .nullish()
  .meta({ description: 'True activates the rule. Default false.', examples: [true] });

/** Payload of `POST /v1/automatic-funding/`, without the members that every request has. */
export const createAutomaticFunding = z
  .object({ ...sideInputs, ...amounts, is_enabled: isEnabled, exchange: exchangeInput })
  .meta({ description: 'A new automatic conversion or funding.' });
export type CreateAutomaticFunding = z.input<typeof createAutomaticFunding>;

/** Payload of `PUT /v1/automatic-funding/<ID>/`: an omitted member is not changed. */
export const updateAutomaticFunding = z
  .object({
    is_enabled: isEnabled,
    to_wallet: sideInputs.to_wallet.nullish(),
    to_kind: sideInputs.to_kind.nullish(),
    exchange: exchangeInput,
    min_amount: amounts.min_amount.nullish(),
    max_amount: amounts.max_amount.nullish(),
    keep_amount: amounts.keep_amount.nullish(),
  })
  .meta({
    description: 'Changes to an automatic conversion or funding: an omitted member is not changed.',
  });
export type UpdateAutomaticFunding = z.input<typeof updateAutomaticFunding>;

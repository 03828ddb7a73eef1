import { z } from 'zod';
import { amountText } from './fields/amount.ts';
import {
  automaticFunding,
  createAutomaticFunding,
  updateAutomaticFunding,
} from './automatic-funding.ts';
import { createdAt } from './fields/common-fields.ts';

/**
 * An automatic conversion. `keep_amount`, `min_amount` and `max_amount` are in `from_kind`, the
 * sold coin.
 */
export const automaticConversion = automaticFunding
  .extend({
    keep_amount: amountText.meta({
      description: 'Balance that stays, in the sold coin.',
      examples: ['0.1'],
    }),
    created_at: createdAt,
    created_by: z
      .string()
      .meta({ description: 'Name of the key or operator that created it.', examples: ['shop'] }),
  })
  .meta({
    description:
      'A rule that exchanges the balance of a wallet above an amount, several times a day.',
  });
export type AutomaticConversion = z.infer<typeof automaticConversion>;

/** Payload of `POST /v1/automatic-conversions/`, without the members that every request has. */
export const createAutomaticConversion = createAutomaticFunding;
export type CreateAutomaticConversion = z.input<typeof createAutomaticConversion>;

/** Payload of `PUT /v1/automatic-conversions/<ID>/`: an omitted member is not changed. */
export const updateAutomaticConversion = updateAutomaticFunding;
export type UpdateAutomaticConversion = z.input<typeof updateAutomaticConversion>;

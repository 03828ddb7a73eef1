import { z } from 'zod';
import { amountInput, amountText, orNull } from './amount.ts';
import { exchangeReference, idInput, kindInput, walletReference } from './conversion.ts';

/** §2.11: `keep_amount`, `min_amount` and `max_amount` are of `to_kind`, which is what is refilled. */
export const automaticFunding = z.object({
  id: z.string(),
  from_wallet: walletReference,
  from_kind: z.string(),
  to_wallet: walletReference,
  to_kind: z.string(),
  keep_amount: amountText,
  min_amount: amountText,
  max_amount: amountText,
  exchange: orNull(exchangeReference),
  is_enabled: z.boolean(),
});
export type AutomaticFunding = z.infer<typeof automaticFunding>;

/** Payload of `POST /v1/automatic-funding/` (§4.8), without the members of every request. */
export const createAutomaticFunding = z.object({
  from_wallet: idInput,
  from_kind: kindInput,
  to_wallet: idInput,
  to_kind: kindInput,
  min_amount: amountInput,
  max_amount: amountInput,
  keep_amount: amountInput,
  /** Default false. */
  is_enabled: z.boolean().nullish(),
  /** Default: the first that trades the two. */
  exchange: idInput.nullish(),
});
export type CreateAutomaticFunding = z.input<typeof createAutomaticFunding>;

/** Payload of `PUT /v1/automatic-funding/<ID>/`; what is left out stays. */
export const updateAutomaticFunding = z.object({
  is_enabled: z.boolean().nullish(),
  to_wallet: idInput.nullish(),
  to_kind: kindInput.nullish(),
  exchange: idInput.nullish(),
  min_amount: amountInput.nullish(),
  max_amount: amountInput.nullish(),
  keep_amount: amountInput.nullish(),
});
export type UpdateAutomaticFunding = z.input<typeof updateAutomaticFunding>;

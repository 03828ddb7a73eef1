import { z } from 'zod';
import { parseAmount } from '../amount.ts';
import { amountInput, decimalText, orNull } from './amount.ts';
import { MAX_NAME } from './api-key.ts';
import { line } from './text.ts';

/** §2.13, answer of `GET /v1/account/settings/`. */
export const accountSettings = z.object({ id: z.string(), name: z.string(), is_testnet: z.boolean(), url: orNull(z.string()) });
export type AccountSettings = z.infer<typeof accountSettings>;

/** §2.13. */
export const subAccount = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  is_testnet: z.boolean(),
  can_add_exchange: z.boolean(),
  show_internal_tx: z.boolean(),
  /** 0.1 means 10 %. */
  whitelabel_fee: orNull(decimalText),
  /** Ids. */
  profiles: z.array(z.string()),
  /** Signs the account's callbacks. */
  callback_token: z.string(),
  url: orNull(z.string()),
});
export type SubAccount = z.infer<typeof subAccount>;

const editable = {
  name: line(MAX_NAME),
  can_add_exchange: z.boolean().optional(),
  show_internal_tx: z.boolean().optional(),
  /** 0.1 for 10 %. */
  whitelabel_fee: amountInput.refine((fee) => parseAmount(fee) <= parseAmount('1'), 'must be from 0 to 1, which is 100 %').optional(),
};

/** Payload of `POST /v1/accounts/` (§4.10). */
export const createSubAccount = z.object(editable);
export type CreateSubAccount = z.input<typeof createSubAccount>;

/** Payload of `PUT /v1/accounts/<ID>/`: what is left out stays. */
export const updateSubAccount = z.object({ ...editable, name: editable.name.optional() });
export type UpdateSubAccount = z.input<typeof updateSubAccount>;

import { z } from 'zod';
import { amountInput, amountText } from './amount.ts';
import { idInput, kindInput, walletReference } from './conversion.ts';

/** Minutes between two runs (§2.10). */
export const AUTOMATIC_PAYOUT_INTERVALS = [5, 10, 15, 30, 60, 120, 240, 360] as const;
export type AutomaticPayoutInterval = (typeof AUTOMATIC_PAYOUT_INTERVALS)[number];

const MAX_ADDRESS = 256;
const interval = z.literal(AUTOMATIC_PAYOUT_INTERVALS, { error: `must be one of ${AUTOMATIC_PAYOUT_INTERVALS.join(', ')} minutes` });
const address = z.string().min(1).max(MAX_ADDRESS);

/** §2.10. */
export const automaticPayout = z.object({
  id: z.string(),
  wallet: walletReference,
  kind: z.string(),
  recipient_address: z.string(),
  is_enabled: z.boolean(),
  /** False for one that the operator made: it can't be changed over this interface. */
  is_api_editable: z.boolean(),
  /** Less is not sent. */
  min_amount: amountText,
  /** Stays in the wallet. */
  keep_amount: amountText,
  /** Minutes between two runs; any number: a reader must accept ones that it does not know. */
  interval: z.int(),
});
export type AutomaticPayout = z.infer<typeof automaticPayout>;

/** Payload of `POST /v1/automatic-payouts/` (§4.7), without the members of every request. */
export const createAutomaticPayout = z.object({
  wallet: idInput,
  keep_amount: amountInput,
  /** XRP: also with a tag, or an X-address. */
  recipient_address: address,
  /** Default: the own coin of the wallet's chain. */
  kind: kindInput.nullish(),
  /** Default false. */
  is_enabled: z.boolean().nullish(),
  /** Default 0: whatever the wallet has too much of. */
  min_amount: amountInput.nullish(),
  /** Default 60. */
  interval: interval.nullish(),
});
/** What a caller gives; amounts are decimal strings. */
export type CreateAutomaticPayout = z.input<typeof createAutomaticPayout>;

/** Payload of `PUT /v1/automatic-payouts/<ID>/`; what is left out stays. */
export const updateAutomaticPayout = z.object({
  keep_amount: amountInput.nullish(),
  recipient_address: address.nullish(),
  kind: kindInput.nullish(),
  is_enabled: z.boolean().nullish(),
  min_amount: amountInput.nullish(),
  interval: interval.nullish(),
});
export type UpdateAutomaticPayout = z.input<typeof updateAutomaticPayout>;

import { z } from 'zod';
import { confirmationCount, EXAMPLES, id } from './common-fields.ts';

/** Ids in one request. */
export const MAX_IDS = 500;

/** Payload of `POST /v1/transactions/confirmations/` and of payouts. */
export const askConfirmations = z
  .object({
    id: z
      .array(z.string())
      .min(1)
      .max(MAX_IDS)
      .meta({ description: `Ids, up to ${MAX_IDS}.`, examples: [[EXAMPLES.id]] }),
  })
  .meta({ description: 'Ids of the transactions or payouts.' });

export const confirmations = z
  .object({ id, confirmations: confirmationCount.nonnegative() })
  .meta({ description: 'The confirmations of one transaction or payout.' });
export type Confirmations = z.infer<typeof confirmations>;

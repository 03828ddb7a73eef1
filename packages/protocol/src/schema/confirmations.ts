import { z } from 'zod';

/** Ids that one question can name. */
export const MAX_IDS = 500;

/** Payload of `POST /v1/transactions/confirmations/` and of payouts. */
export const askConfirmations = z.object({ id: z.array(z.string()).min(1).max(MAX_IDS) });

/** How deep a resource is. */
export const confirmations = z.object({ id: z.string(), confirmations: z.int().nonnegative() });
export type Confirmations = z.infer<typeof confirmations>;

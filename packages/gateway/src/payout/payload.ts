import type { createPayout } from '@crypto-checkout/protocol/schema/payout';
import type { z } from 'zod';

/** The validated payload of a request that creates a payout. */
export type PayoutPayload = z.output<typeof createPayout>;
export type RecipientPayload = PayoutPayload['recipients'][number];

import { z } from 'zod';

/**
 * phoenixd's requests and answers as its published reference and its serialisers have them
 * (https://phoenix.acinq.co/server/api, version 0.8). Everything else is refused.
 */
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const whole = z.int().nonnegative();
const digits = z.string().regex(/^\d+$/);

const channel = z.strictObject({
  state: z.string(),
  channelId: hash.optional(),
  balanceSat: whole.optional(),
  inboundLiquiditySat: whole.optional(),
  capacitySat: whole.optional(),
  fundingTxId: hash.optional(),
});

const incomingPayment = z.strictObject({
  type: z.literal('incoming_payment'),
  subType: z.literal('lightning'),
  paymentHash: hash,
  preimage: hash,
  externalId: z.string().optional(),
  description: z.string().optional(),
  invoice: z.string().optional(),
  isPaid: z.boolean(),
  isExpired: z.boolean(),
  requestedSat: whole.optional(),
  receivedSat: whole,
  /** Millisatoshis. */
  fees: whole,
  expiresAt: whole.optional(),
  completedAt: whole.optional(),
  createdAt: whole,
});

const expiry = { amountSat: digits.optional(), expirySeconds: digits.optional() };

export interface Route {
  request: z.ZodType;
  answer: z.ZodType;
}

export const ROUTES: Readonly<Record<string, Route>> = {
  'GET /getinfo': {
    request: z.strictObject({}),
    answer: z.strictObject({
      nodeId: z.string().regex(/^0[23][0-9a-f]{64}$/),
      channels: z.array(channel),
      chain: z.string(),
      blockHeight: whole,
      version: z.string(),
    }),
  },
  'POST /createinvoice': {
    request: z.union([
      z.strictObject({ ...expiry, description: z.string().max(128) }),
      z.strictObject({ ...expiry, descriptionHash: hash }),
    ]),
    answer: z.strictObject({
      amountSat: whole.optional(),
      paymentHash: hash,
      serialized: z.string(),
    }),
  },
  'GET /payments/incoming': {
    request: z.strictObject({
      from: digits.optional(),
      to: digits.optional(),
      limit: digits.optional(),
      offset: digits.optional(),
    }),
    answer: z.array(incomingPayment),
  },
};

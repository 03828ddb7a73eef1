import { z } from 'zod';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const satoshis = z.int().nonnegative().transform(BigInt);

export const nodeInfo = z.object({
  nodeId: z.string().regex(/^0[23][0-9a-f]{64}$/),
  chain: z.string(),
  version: z.string(),
});

export const createdInvoice = z.object({ paymentHash: hash, serialized: z.string().min(1) });

/** A payment that came in. `fees` is in millisatoshi, and `receivedSat` is what they left. */
const lightningPayment = z.object({
  paymentHash: hash,
  isPaid: z.literal(true),
  receivedSat: satoshis,
  fees: satoshis,
  /** Milliseconds since the epoch. */
  completedAt: z.int().positive(),
});
export type PhoenixdPayment = z.output<typeof lightningPayment>;

/** Coins that came to the node over the chain have no payment hash. */
const otherPayment = z.object({ paymentHash: z.undefined() }).transform(() => null);
export const paymentList = z
  .array(z.union([lightningPayment, otherPayment]))
  .transform((listed) => ({
    length: listed.length,
    payments: listed.filter((payment) => payment !== null),
  }));

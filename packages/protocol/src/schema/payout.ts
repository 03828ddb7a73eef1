import { z } from 'zod';
import { amountInput, amountObject, amountText, orNull, timestamp } from './amount.ts';
import { exchangeRateLimit, MAX_PASSTHROUGH } from './invoice.ts';

/** Recipients that one payout can have. */
export const MAX_RECIPIENTS = 100;
export const MAX_REFERENCE = 256;
const MAX_ADDRESS = 4096;

export const payoutRecipient = z.object({
  id: z.string(),
  address: z.string(),
  amount: z.object({ requested: amountObject, received: amountObject }),
  custom_fee: orNull(amountObject),
  notes: orNull(z.string()),
  /** XRP and TON, when it was given. */
  destination_tag: z.string().nullish(),
});
export type PayoutRecipient = z.infer<typeof payoutRecipient>;

/** §2.6. The status is any string: a reader must accept ones that it does not know. */
export const payout = z.object({
  id: z.string(),
  kind: z.string(),
  /** Empty until it is sent. */
  txid: orNull(z.string()),
  created_at: timestamp,
  approved_at: orNull(timestamp),
  executed_at: orNull(timestamp),
  profile_id: z.string(),
  wallet_id: z.string(),
  confirmations: z.int(),
  status: z.string(),
  network: z.string(),
  /** On some chains the fee is final only after the payout was sent: later answers and callbacks have the true one. */
  amount: z.object({ total: amountText, network_fee: amountText, network_fee_currency: z.string() }),
  network_fee_pays: z.string(),
  network_fee_preset: z.string(),
  /** Satoshi per byte, as given or as the preset came to; null on chains without such a rate. */
  network_fee: orNull(z.int()),
  passthrough: orNull(z.string()),
  reference_id: orNull(z.string()),
  sub_kind: orNull(z.string()),
  error: orNull(z.string()),
  approved_by: orNull(z.object({ username: orNull(z.string()), email: orNull(z.string()) })),
  recipients: z.array(payoutRecipient),
});
export type Payout = z.infer<typeof payout>;

/** What `estimate_only` answers: a payout that does not exist, so it has no id and nothing of it is guaranteed. */
export const payoutEstimate = payout.extend({
  id: orNull(z.string()),
  recipients: z.array(payoutRecipient.extend({ id: orNull(z.string()) })),
});
export type PayoutEstimate = z.infer<typeof payoutEstimate>;

const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    // A lone surrogate has no UTF-8 and could not be returned unchanged.
    .refine((value) => !/\p{Surrogate}/u.test(value), 'must be well-formed Unicode');

export const createPayoutRecipient = z.object({
  /** May be left out only for a BOLT11 request that says its amount. */
  amount: amountInput.nullish(),
  currency: z.string().max(16),
  /** Lightning: a BOLT11 request or an LNURL, with or without `lightning:`. XRP: also an X-address. */
  address: text(MAX_ADDRESS).min(1),
  /** Custom fee, deducted from what the recipient gets. */
  fee_amount: amountInput.nullish(),
  fee_currency: z.string().max(16).nullish(),
  /** XRP and TON only. */
  destination_tag: z.union([text(120), z.int().nonnegative().transform(String)]).nullish(),
  /** Internal; with the prefix `memo:` a message on the chain (ETH, BSC, TON). */
  notes: text(MAX_PASSTHROUGH).nullish(),
  exchange_rate_limit: exchangeRateLimit.nullish(),
});

/** Payload of `POST /v1/payouts/` (§4.3), without the members of every request. */
export const createPayout = z.object({
  kind: z.string().max(40),
  profile_id: z.string().max(64),
  /** Default: the profile's wallet of the kind. */
  wallet_id: z.string().max(64).nullish(),
  /** Without `reference_id` it must be unique. */
  passthrough: text(MAX_PASSTHROUGH).nullish(),
  reference_id: text(MAX_REFERENCE).min(1).nullish(),
  recipients: z.array(createPayoutRecipient).min(1).max(MAX_RECIPIENTS),
  /** `recipient`: the first one pays. Default `merchant`. */
  network_fee_pays: z.enum(['merchant', 'recipient']).nullish(),
  /** Default `normal`. */
  network_fee_preset: z.enum(['high', 'normal', 'economy']).nullish(),
  /** Satoshi per byte. */
  network_fee: z.int().min(1).nullish(),
  /** Checks and estimates, and sends nothing. */
  estimate_only: z.boolean().nullish(),
  /** Not before this time (ours; the state `scheduled` of §3.3). */
  scheduled_at: z.iso.datetime({ offset: true }).nullish(),
});
/** What a caller gives; amounts are decimal strings. */
export type CreatePayout = z.input<typeof createPayout>;

/** Payload of `PUT /v1/payouts/<ID>/`. */
export const approvePayout = z.object({ approve: z.boolean() });

/** Answer of `POST /v1/payouts/<ID>/resend-callback/`; any status and error: a reader must accept ones that it does not know. */
export const payoutResent = z.object({
  status: z.string(),
  message: z.string(),
  error: z.string().nullish(),
  response: orNull(z.object({ status_code: orNull(z.int()), url: z.string() })),
});
export type PayoutResent = z.infer<typeof payoutResent>;

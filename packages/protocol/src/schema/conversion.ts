import { z } from 'zod';
import { amountInput, amountText, orNull, timestamp } from './amount.ts';

/** §2.7 names `draft` only; the others are ours. A reader must accept any other string. */
export const CONVERSION_STATUSES = ['draft', 'pending', 'complete', 'failed'] as const;
export type ConversionStatus = (typeof CONVERSION_STATUSES)[number];

export const walletReference = z.object({ id: z.string(), name: z.string() });
export const exchangeReference = z.object({ id: z.string(), title: orNull(z.string()) });

/** §2.7, as lists and the answers of writes show it. */
export const conversion = z.object({
  id: z.string(),
  created_at: timestamp,
  created_by: z.string(),
  from_wallet: walletReference,
  from_kind: z.string(),
  to_wallet: walletReference,
  to_kind: z.string(),
  /** What is sold. */
  amount: amountText,
  /** What it gives: expected at the rate of the moment, then what it gave. */
  to_amount: orNull(amountText),
  exchange: orNull(exchangeReference),
  status: z.string(),
  is_approved: z.boolean(),
  approved_by: orNull(z.string()),
  /** Why it failed; ours. */
  error: z.string().nullish(),
});
export type Conversion = z.infer<typeof conversion>;

/** As a GET shows it. */
export const wholeConversion = conversion.extend({
  /** Id of the transaction that brought the coins in, when an exchange sent them over a chain. */
  transaction: orNull(z.string()),
  /** Id of the payout that it is for, when it was made because a payout lacked money. */
  payout: orNull(z.string()),
});
export type WholeConversion = z.infer<typeof wholeConversion>;

/** An id or a kind of which only so much is looked at. */
export const idInput = z.string().max(64);
export const kindInput = z.string().max(40);

/** Payload of `POST /v1/conversions/` (§4.4), without the members of every request. */
export const createConversion = z.object({
  from_wallet: idInput,
  from_kind: kindInput,
  to_wallet: idInput,
  to_kind: kindInput,
  /** Of `from_kind`. */
  amount: amountInput,
  /** Default: the first that trades the two. */
  exchange: idInput.nullish(),
  /** Carried out as soon as there is enough in the wallet. Default false. */
  is_approved: z.boolean().nullish(),
});
/** What a caller gives; amounts are decimal strings. */
export type CreateConversion = z.input<typeof createConversion>;

/** Payload of `PUT /v1/conversions/<ID>/`; what is left out stays. */
export const updateConversion = z.object({
  to_wallet: idInput.nullish(),
  to_kind: kindInput.nullish(),
  amount: amountInput.nullish(),
  exchange: idInput.nullish(),
  is_approved: z.boolean().nullish(),
});
export type UpdateConversion = z.input<typeof updateConversion>;

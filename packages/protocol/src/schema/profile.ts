import { z } from 'zod';
import { parseAmount } from '../amount.ts';
import { EMAIL_EVENTS } from '../event.ts';
import { kindOf, PAYOUT_ONLY_KINDS } from '../kind.ts';
import { amountInput, amountObject, decimalText, orNull } from './amount.ts';
import { INVOICE_EXPIRATIONS } from './invoice.ts';
import { line } from './text.ts';

/** Seconds for which the address of an invoice can stay looked after (§2.8). */
export const ADDRESSES_EXPIRATIONS = [3600, 7200, 21600, 43200, 86400, 172800, 604800, 1209600] as const;
export type AddressesExpiration = (typeof ADDRESSES_EXPIRATIONS)[number];

export const profileCurrency = z.object({
  kind: z.string(),
  network: z.string().optional(),
  wallet_id: z.string(),
  custom_fee: orNull(amountObject),
  min_confirmations: z.int(),
  /** Bitcoin only. */
  zero_conf_max_amount: decimalText.nullish(),
});
export type ProfileCurrency = z.infer<typeof profileCurrency>;

/** §2.8. */
export const profile = z.object({
  id: z.string(),
  account: orNull(z.string()),
  account_id: z.string(),
  name: z.string(),
  notification_email: orNull(z.string()),
  invoice_expiration: z.int(),
  addresses_expiration: orNull(z.int()),
  notification_email_kinds: z
    .array(z.string())
    .nullish()
    .transform((kinds) => kinds ?? []),
  onramp_api_key: orNull(z.string()),
  allow_smart_contract_payouts: z.boolean().default(false),
  stablecoin_precision: z.int().min(0).max(6).default(2),
  acceptance_range: z
    .object({ positive_difference: decimalText, negative_difference: decimalText })
    .default({ positive_difference: '0.5', negative_difference: '0.5' }),
  reserve_wallet: orNull(
    z.object({ kind: z.string(), network: z.string().optional(), wallet: z.unknown().optional(), wallet_id: z.string().optional() }),
  ),
  callback_url: orNull(z.string()),
  currencies: z.array(profileCurrency),
});
export type Profile = z.infer<typeof profile>;

const id = z.string().max(64);

const seconds = <T extends number>(allowed: readonly T[]) => z.literal(allowed, { error: `must be one of ${allowed.join(', ')} seconds` });

/** More than any chain that we know needs until a payment is final. */
const MAX_CONFIRMATIONS = 1000;
/** Ten thousand times the amount: whatever is paid too much. */
const MAX_POSITIVE_DIFFERENCE = 1_000_000;

/** A percentage of an amount, to four decimals. */
const percent = (most: number) =>
  amountInput
    .refine((text) => /^\d+(\.\d{1,4}0*)?$/.test(text), 'may have at most four decimals')
    .refine((text) => parseAmount(text) <= parseAmount(String(most)), `must be from 0 to ${most} percent`)
    .optional();

/** A coin that a profile enables (§2.8), and where it goes. */
export const profileCurrencyInput = z.object({
  /** Any coin kind, and those that only payouts have. */
  kind: z.string().refine((kind) => kindOf(kind) !== undefined || PAYOUT_ONLY_KINDS.includes(kind), 'must be one of the coin kinds'),
  /** A wallet of the coin's chain. */
  wallet_id: id,
  /** Taken from every invoice that names no fee of its own. */
  custom_fee: z.object({ amount: amountInput, currency: z.string().max(16) }).nullish(),
  /** Of an invoice that asks for none; no payment waits longer than until it is final. Default 1. */
  min_confirmations: z.int().min(1).max(MAX_CONFIRMATIONS).nullish(),
  /** Bitcoin on its chain only: the most, in the coin, that may be accepted before it is in a block. Default: nothing is. */
  zero_conf_max_amount: amountInput.nullish(),
});
export type ProfileCurrencyInput = z.input<typeof profileCurrencyInput>;

/** The events that are mailed: text with commas between (§2.8), or a list. */
const emailKinds = z
  .union([
    z.string().transform((text) =>
      text
        .split(',')
        .map((kind) => kind.trim())
        .filter((kind) => kind !== ''),
    ),
    z.array(z.string()),
  ])
  .pipe(z.array(z.enum(EMAIL_EVENTS)))
  .transform((kinds) => [...new Set(kinds)]);

const reserveWallet = z
  .object({
    kind: z.string().refine((kind) => kindOf(kind) !== undefined, 'must be one of the coin kinds'),
    network: z.enum(['mainnet', 'testnet']).nullish(),
    wallet: id.nullish(),
    /** The same, as a get answers it. */
    wallet_id: id.nullish(),
  })
  .refine(({ wallet, wallet_id }) => (wallet ?? wallet_id ?? null) !== null, { error: 'is required', path: ['wallet'] });

const editable = {
  name: line(256),
  notification_email: z.email().max(254).nullish(),
  /** Default 900. */
  invoice_expiration: seconds(INVOICE_EXPIRATIONS).optional(),
  /** Default 604800. */
  addresses_expiration: seconds(ADDRESSES_EXPIRATIONS).optional(),
  notification_email_kinds: emailKinds.nullish(),
  onramp_api_key: line(512).nullish(),
  /** Default false. */
  allow_smart_contract_payouts: z.boolean().optional(),
  /** Default 2. */
  stablecoin_precision: z.int().min(0).max(6).optional(),
  /** In percent; default 0.5 each. */
  acceptance_range: z.object({ positive_difference: percent(MAX_POSITIVE_DIFFERENCE), negative_difference: percent(100) }).optional(),
  reserve_wallet: reserveWallet.nullish(),
  /** https, on a test network also http. */
  callback_url: z.string().max(2048).nullish(),
  /** What is left out of a write is disabled. */
  currencies: z
    .array(profileCurrencyInput)
    .max(200)
    .refine((list) => new Set(list.map(({ kind }) => kind)).size === list.length, 'must name each kind once'),
};

/** Payload of `POST /v1/profiles/` (§4.5). */
export const createProfile = z.object(editable);
export type CreateProfile = z.input<typeof createProfile>;

/** Payload of `PUT /v1/profiles/<ID>/`: what is left out stays, null clears what can be empty. */
export const updateProfile = z.object({ ...editable, name: editable.name.optional(), currencies: editable.currencies.optional() });
export type UpdateProfile = z.input<typeof updateProfile>;

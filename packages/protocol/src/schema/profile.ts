import { z } from 'zod';
import { amountObject, decimalText, orNull } from './amount.ts';

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

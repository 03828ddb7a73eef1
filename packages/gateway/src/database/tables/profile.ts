import type { Generated } from 'kysely';
import type {
  DefaultDecimal,
  Maybe,
  MaybeDecimal,
  MaybeJson,
  MaybeTimestamp,
  TextArray,
  Timestamp,
} from '../column.ts';

export interface ProfileTable {
  account_id: string;
  id: string;
  name: string;
  notification_email: Maybe<string>;
  invoice_expiration: number;
  addresses_expiration: number;
  notification_email_kinds: TextArray;
  onramp_api_key: Maybe<string>;
  allow_smart_contract_payouts: Generated<boolean>;
  stablecoin_precision: Generated<number>;
  positive_difference: DefaultDecimal;
  negative_difference: DefaultDecimal;
  reserve_wallet: MaybeJson;
  callback_url: Maybe<string>;
  created_at: Timestamp;
  deleted_at: MaybeTimestamp;
}

export interface ProfileCurrencyTable {
  account_id: string;
  profile_id: string;
  kind: string;
  wallet_id: string;
  custom_fee: MaybeJson<{ amount: string; currency: string }>;
  min_confirmations: Maybe<number>;
  zero_conf_max_amount: MaybeDecimal;
}

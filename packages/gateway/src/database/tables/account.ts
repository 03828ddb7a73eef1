import type { ColumnType, Generated } from 'kysely';
import type {
  DefaultDecimal,
  Maybe,
  MaybeDecimal,
  MaybeTimestamp,
  TextArray,
  Timestamp,
} from '../column.ts';

export interface AccountTable {
  id: string;
  name: string;
  is_testnet: boolean;
  callback_token_sealed: string;
  created_at: Timestamp;
  parent_id: Maybe<string>;
  slug: Maybe<string>;
  can_add_exchange: Generated<boolean>;
  show_internal_tx: Generated<boolean>;
  whitelabel_fee: DefaultDecimal;
}

export interface ApiKeyTable {
  account_id: string;
  id: string;
  api_key: string;
  secret_sealed: string;
  name: string;
  created_by: string;
  created_at: Timestamp;
  updated_at: Timestamp;
  is_integrator_key: Generated<boolean>;
  max_payout: MaybeDecimal;
  /** USD of its payouts without approval within 24 hours. */
  max_payout_daily: MaybeDecimal;
  whitelist_ip: TextArray;
  permissions: ColumnType<string[], string[], string[]>;
  nonce_window: Generated<boolean>;
  last_nonce: DefaultDecimal;
  recent_nonces: TextArray;
  previous_secret_sealed: Maybe<string>;
  previous_until_real: MaybeTimestamp;
}

export interface ProofKeyTable {
  account_id: string;
  /** JWK thumbprint of the public key. */
  kid: string;
  /** Base64url. */
  public_key: string;
  /** Null for a previous key. */
  private_key_sealed: Maybe<string>;
  state: 'next' | 'current' | 'previous';
  created_at: Timestamp;
}

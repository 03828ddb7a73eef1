import type { PayoutStatus } from '@crypto-checkout/protocol/status';
import type { ColumnType, Generated } from 'kysely';

/** `timestamptz`: read and written as text in the spec's form, see `timestamp`. */
export type Timestamp = ColumnType<string, string, string>;
type MaybeTimestamp = ColumnType<string | null, string | null | undefined, string | null>;
/** `numeric(60,18)`: decimal text, never a number. Read values carry all 18 places. */
export type Decimal = ColumnType<string, string, string>;
type MaybeDecimal = ColumnType<string | null, string | null | undefined, string | null>;
type DefaultDecimal = ColumnType<string, string | undefined, string>;
/** `jsonb`: read parsed, written as JSON text. */
export type Json<T = unknown> = ColumnType<T, string, string>;
type MaybeJson<T = unknown> = ColumnType<T | null, string | null | undefined, string | null>;
type Maybe<T> = ColumnType<T | null, T | null | undefined, T | null>;
type TextArray = ColumnType<string[], string[] | undefined, string[]>;

/** The schema as kysely sees it. A room with tables of its own adds them with `db.withTables<…>()`. */
export interface Tables {
  account: AccountTable;
  api_key: ApiKeyTable;
  wallet: WalletTable;
  profile: ProfileTable;
  profile_currency: ProfileCurrencyTable;
  invoice: InvoiceTable;
  quote: QuoteTable;
  deposit_target: DepositTargetTable;
  derivation: { key_group: string; next_index: Generated<number> };
  transaction: TransactionTable;
  unassigned: UnassignedTable;
  alarm: AlarmTable;
  posting: PostingTable;
  balance: BalanceTable;
  payout: PayoutTable;
  payout_recipient: PayoutRecipientTable;
  outgoing: OutgoingTable;
  conversion: ConversionTable;
  automatic_rule: AutomaticRuleTable;
  automatic_payout: AutomaticPayoutTable;
  callback: CallbackTable;
  callback_delivery: CallbackDeliveryTable;
  notice: NoticeTable;
  chain_cursor: { chain: string; cursor: Json; tip: number; scanned_at_real: Timestamp };
  dashboard_link: DashboardLinkTable;
  dashboard_session: DashboardSessionTable;
  lease: { name: string; holder: string; fence: number; until: Timestamp };
  list_count: { account_id: string; resource: string; until: string; count: number };
  setting: { name: string; value: Json };
  migration: { name: string; applied_at_real: Timestamp };
}

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
  whitelist_ip: TextArray;
  permissions: ColumnType<string[], string[], string[]>;
  nonce_window: Generated<boolean>;
  last_nonce: DefaultDecimal;
  recent_nonces: TextArray;
  previous_secret_sealed: Maybe<string>;
  previous_until_real: MaybeTimestamp;
}

export interface WalletTable {
  account_id: string;
  id: string;
  name: string;
  chain: string;
  address_format: Generated<'bech32' | 'p2sh'>;
  created_at: Timestamp;
}

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
  min_confirmations: Generated<number>;
  zero_conf_max_amount: MaybeDecimal;
}

export interface InvoiceTable {
  account_id: string;
  id: string;
  profile_id: string;
  wallet_id: string;
  kind: string;
  chain: string;
  status: 'new' | 'pending' | 'paid' | 'complete' | 'expired';
  created_at: Timestamp;
  expires_at: MaybeTimestamp;
  requested_text: Maybe<string>;
  requested_currency: string;
  invoiced: MaybeDecimal;
  rate_usd: MaybeDecimal;
  fee_amount: MaybeDecimal;
  min_confirmations: Maybe<number>;
  required_confirmations: number;
  positive_difference: Decimal;
  negative_difference: Decimal;
  zero_conf_enabled: Generated<boolean>;
  notes: Maybe<string>;
  passthrough: Maybe<string>;
  address: Maybe<string>;
  tag: Maybe<string>;
  x_address: Maybe<string>;
  public_address: Maybe<string>;
  lightning: MaybeJson<{ paymentRequest: string | null; paymentHash: string | null; lnurl: string | null }>;
  lnurl_invoice_id: Maybe<string>;
  renewals: Generated<number>;
  extended: Generated<boolean>;
  paid_total: DefaultDecimal;
  events: TextArray;
  version: Generated<number>;
  updated_at: Timestamp;
}

export interface QuoteTable {
  account_id: string;
  invoice_id: string;
  number: number;
  invoiced: Decimal;
  rate_usd: MaybeDecimal;
  currency_rates: Json;
  starts_at: Timestamp;
  expires_at: MaybeTimestamp;
}

export interface DepositTargetTable {
  watch_key: string;
  account_id: string;
  invoice_id: string;
  chain: string;
  created_at: Timestamp;
}

export interface TransactionTable {
  account_id: string;
  id: string;
  chain: string;
  observation_key: string;
  txid: string;
  kind: string;
  asset: string;
  invoice_id: string;
  profile_id: string;
  wallet_id: string;
  counted: boolean;
  quote_number: Maybe<number>;
  amount: Decimal;
  status: 'pending' | 'confirmed' | 'complete' | 'unconfirmed' | 'failed' | 'quarantined' | 'replaced';
  confirmations: Generated<number>;
  required_confirmations: number;
  final_confirmations: number;
  block_height: Maybe<number>;
  block_hash: Maybe<string>;
  in_mempool: Generated<boolean>;
  conflicts: TextArray;
  replaced_by: Maybe<string>;
  failure: Maybe<string>;
  credit: Generated<'none' | 'pending' | 'available' | 'frozen'>;
  zero_conf_status: Maybe<string>;
  risk_level: Maybe<string>;
  risk_data: ColumnType<unknown, string | undefined, string>;
  quotes: Json<Record<string, string>>;
  currency_rates: Json<Record<string, Record<string, string>>>;
  created_at: Timestamp;
  executed_at: MaybeTimestamp;
  confirmed_at: MaybeTimestamp;
  late: Generated<boolean>;
  events: TextArray;
  version: Generated<number>;
  updated_at: Timestamp;
  quarantined: Generated<boolean>;
  quarantined_by: Maybe<string>;
  released_by: Maybe<string>;
  risk_due_real: MaybeTimestamp;
  risk_tries: Generated<number>;
  owed: Generated<boolean>;
}

export interface UnassignedTable {
  chain: string;
  observation_key: string;
  txid: Maybe<string>;
  asset: string;
  address: string;
  amount: Decimal;
  reason: string;
  seen_at: Timestamp;
}

export interface AlarmTable {
  id: string;
  chain: Maybe<string>;
  resource_id: Maybe<string>;
  reason: string;
  raised_at: Timestamp;
}

export interface PostingTable {
  account_id: string;
  entry_id: string;
  line: number;
  book: 'wallet' | 'chain' | 'exchange';
  wallet_id: Maybe<string>;
  bucket: Maybe<Bucket>;
  currency: string;
  amount: Decimal;
  reason: string;
  resource_id: string;
  created_at: Timestamp;
}

/** `reserved`: held back for a payout. */
export type Bucket = 'pending' | 'available' | 'frozen' | 'reserved';

export interface BalanceTable {
  account_id: string;
  wallet_id: string;
  currency: string;
  bucket: Bucket;
  amount: DefaultDecimal;
}

export interface CallbackTable {
  account_id: string;
  id: string;
  resource: 'invoice' | 'transaction' | 'payout';
  resource_id: string;
  event: string;
  profile_id: string;
  url: string;
  body: string;
  state: Generated<'pending' | 'delivered' | 'failed'>;
  attempts: Generated<number>;
  resends: Generated<number>;
  next_at_real: Timestamp;
  locked_by: Maybe<string>;
  created_at_real: Timestamp;
  finished_at_real: MaybeTimestamp;
}

export interface CallbackDeliveryTable {
  account_id: string;
  callback_id: string;
  /** Sent again by hand; counted apart from the scheduled attempts. */
  resend: Generated<boolean>;
  attempt: number;
  url: Maybe<string>;
  request_headers: MaybeJson<Record<string, string>>;
  answer_headers: MaybeJson<Record<string, string>>;
  at_real: Timestamp;
  duration_ms: number;
  status_code: Maybe<number>;
  error: Maybe<string>;
  answer: Maybe<string>;
}

export interface NoticeTable {
  account_id: string;
  id: string;
  resource: 'invoice' | 'transaction' | 'payout';
  resource_id: string;
  event: string;
  profile_id: string;
  recipient: string;
  content: Json;
  state: Generated<'pending' | 'sent' | 'failed'>;
  attempts: Generated<number>;
  next_at_real: Timestamp;
  locked_by: Maybe<string>;
  error: Maybe<string>;
  created_at_real: Timestamp;
  finished_at_real: MaybeTimestamp;
}

export interface PayoutTable {
  account_id: string;
  id: string;
  profile_id: string;
  wallet_id: string;
  kind: string;
  chain: string;
  asset: string;
  fee_asset: string;
  status: PayoutStatus;
  sub_kind: Maybe<string>;
  created_at: Timestamp;
  scheduled_at: MaybeTimestamp;
  approved_at: MaybeTimestamp;
  approved_by: MaybeJson<{ username: string; email: string | null }>;
  executed_at: MaybeTimestamp;
  key_id: Maybe<string>;
  network_fee_pays: 'merchant' | 'recipient';
  network_fee_preset: 'high' | 'normal' | 'economy';
  network_fee: Maybe<number>;
  passthrough: Maybe<string>;
  reference_id: Maybe<string>;
  duplicate_key: Maybe<string>;
  fingerprint: string;
  total: Decimal;
  fee: Decimal;
  fee_reserve: Decimal;
  hold: Generated<'none' | 'held' | 'released' | 'spent'>;
  txid: Maybe<string>;
  block_height: Maybe<number>;
  block_hash: Maybe<string>;
  confirmations: Generated<number>;
  error: Maybe<string>;
  events: TextArray;
  version: Generated<number>;
  updated_at: Timestamp;
  number: Generated<number>;
}

export interface PayoutRecipientTable {
  account_id: string;
  payout_id: string;
  number: number;
  id: string;
  given_address: string;
  address: string;
  tag: Maybe<string>;
  destination_tag: Maybe<string>;
  requested_text: string;
  requested_currency: string;
  amount: Decimal;
  custom_fee: MaybeJson<{ amount: string; currency: string }>;
  notes: Maybe<string>;
  memo: Maybe<string>;
  payment_request: Maybe<string>;
  lnurl: Maybe<string>;
}

export interface OutgoingTable {
  id: string;
  purpose: string;
  chain: string;
  lane: Maybe<string>;
  nonce: Maybe<number>;
  plan: Json;
  raw: Maybe<string>;
  txid: Maybe<string>;
  tries: Generated<number>;
  result: Maybe<'ok' | 'failed' | 'unknown'>;
  reason: Maybe<string>;
  open: Generated<boolean>;
  created_at_real: Timestamp;
}

export interface DashboardLinkTable {
  token_hash: string;
  account_id: string;
  email: Maybe<string>;
  created_at_real: Timestamp;
  expires_at_real: Timestamp;
  used_at_real: MaybeTimestamp;
}

export interface DashboardSessionTable {
  token_hash: string;
  account_id: string;
  email: Maybe<string>;
  created_at_real: Timestamp;
  seen_at_real: Timestamp;
  ends_at_real: Timestamp;
}

export interface AutomaticPayoutTable {
  account_id: string;
  id: string;
  wallet_id: string;
  kind: string;
  asset: string;
  recipient_address: string;
  keep_amount: Decimal;
  min_amount: Decimal;
  interval_minutes: number;
  is_enabled: boolean;
  is_api_editable: boolean;
  created_by: string;
  created_at: Timestamp;
  updated_at: Timestamp;
  next_at: Timestamp;
  last_error: Maybe<string>;
  max_payout: MaybeDecimal;
  number: Generated<number>;
}

export interface ConversionTable {
  account_id: string;
  id: string;
  origin: 'caller' | 'automatic_conversion' | 'automatic_funding' | 'payout';
  natural_key: Maybe<string>;
  rule_id: Maybe<string>;
  created_at: Timestamp;
  created_by: string;
  from_wallet_id: string;
  from_kind: string;
  from_asset: string;
  to_wallet_id: string;
  to_kind: string;
  to_asset: string;
  amount_text: string;
  amount: Decimal;
  to_amount: Decimal;
  exchange: string;
  status: 'draft' | 'pending' | 'complete' | 'failed';
  is_approved: boolean;
  approved_by: Maybe<string>;
  hold: Generated<'none' | 'held' | 'released' | 'spent'>;
  tries: Generated<number>;
  next_at_real: MaybeTimestamp;
  error: Maybe<string>;
  transaction_id: Maybe<string>;
  payout_id: Maybe<string>;
  updated_at: Timestamp;
  version: Generated<number>;
  number: Generated<number>;
}

export interface AutomaticRuleTable {
  account_id: string;
  id: string;
  type: 'conversion' | 'funding';
  created_at: Timestamp;
  created_by: string;
  from_wallet_id: string;
  from_kind: string;
  from_asset: string;
  to_wallet_id: string;
  to_kind: string;
  to_asset: string;
  keep_amount: string;
  min_amount: string;
  max_amount: string;
  exchange: string;
  is_enabled: boolean;
  period: MaybeTimestamp;
  updated_at: Timestamp;
  version: Generated<number>;
  number: Generated<number>;
}

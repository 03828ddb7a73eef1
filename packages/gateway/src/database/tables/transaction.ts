import type { ColumnType, Generated } from 'kysely';
import type {
  Decimal,
  Json,
  Maybe,
  MaybeDecimal,
  MaybeJson,
  MaybeTimestamp,
  TextArray,
  Timestamp,
} from '../column.ts';

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
  status:
    | 'pending'
    | 'confirmed'
    | 'complete'
    | 'unconfirmed'
    | 'failed'
    | 'quarantined'
    | 'replaced';
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
  must_compare: Generated<boolean>;
  agreed_hash: Maybe<string>;
  finalized: Generated<boolean>;
  refunded: Generated<string>;
  refund_offer: MaybeDecimal;
  late_accepted: Generated<boolean>;
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
  id: Generated<string>;
  account_id: Maybe<string>;
  wallet_id: Maybe<string>;
  invoice_id: Maybe<string>;
  settled_at: MaybeTimestamp;
  settled_by: Maybe<string>;
  settled_reason: Maybe<string>;
  block_height: Maybe<number>;
}

export interface UnlistedTransferTable {
  chain: string;
  observation_key: string;
  txid: string;
  contract: string;
  watch_key: string;
  units: Decimal;
  block_height: number;
  seen_at: Timestamp;
  number: Generated<number>;
}

export interface UntracedBlockTable {
  chain: string;
  height: number;
  hash: string;
  tries: Generated<number>;
  read_at_real: Timestamp;
  due_at_real: Timestamp;
}

export interface FoundMoneyTable {
  chain: string;
  observation_key: string;
  address: string;
  asset: string;
  height: number;
}

export interface ExplainedPaymentTable {
  chain: string;
  observation_key: string;
  found_key: string;
  amount: Decimal;
  block_height: number;
}

export interface AlarmFunding {
  asset: string;
  /** Null where it is not known. */
  amount: string | null;
  address: string;
}

export interface AlarmTable {
  id: string;
  chain: Maybe<string>;
  resource_id: Maybe<string>;
  reason: string;
  raised_at: Timestamp;
  is_logged: Generated<boolean>;
  /** Removed then, unless the cause is met again; null: it stays. */
  lapses_at: MaybeTimestamp;
  /** Coins that end it when they are sent. */
  funding: MaybeJson<AlarmFunding>;
}

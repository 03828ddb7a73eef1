import type { Generated } from 'kysely';
import type { Decimal, Maybe, MaybeTimestamp, Timestamp } from '../column.ts';

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

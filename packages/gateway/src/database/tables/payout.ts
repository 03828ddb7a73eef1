import type { PayoutStatus } from '@crypto-checkout/protocol/status';
import type { Generated } from 'kysely';
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
  /** Fee rate that the caller set, in satoshi per byte. */
  network_fee: Maybe<number>;
  /** Fee rate used, in satoshi per byte, on chains that have one. */
  fee_rate: Maybe<number>;
  passthrough: Maybe<string>;
  reference_id: Maybe<string>;
  duplicate_key: Maybe<string>;
  fingerprint: string;
  total: Decimal;
  fee: Decimal;
  fee_reserve: Decimal;
  /** USD of all recipients when it was created. */
  usd_value: MaybeDecimal;
  /** Id of the transaction that it shares with other payouts. */
  batch_id: Maybe<string>;
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
  tries: Generated<number>;
  result: Maybe<'ok' | 'failed' | 'unknown'>;
  reason: Maybe<string>;
  open: Generated<boolean>;
  created_at_real: Timestamp;
}

export interface OutgoingAttemptTable {
  outgoing_id: string;
  number: number;
  intent: 'send' | 'bump' | 'cancel';
  plan: Json;
  raw: Maybe<string>;
  txid: Maybe<string>;
  chain_txid: Maybe<string>;
  is_tried: Generated<boolean>;
  created_at_real: Timestamp;
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
  last_at: MaybeTimestamp;
  last_payout_id: Maybe<string>;
  number: Generated<number>;
}

import type { RefundCause, RefundStatus } from '@crypto-checkout/protocol/status';
import type { Generated } from 'kysely';
import type {
  Decimal,
  Maybe,
  MaybeDecimal,
  MaybeJson,
  MaybeTimestamp,
  TextArray,
  Timestamp,
} from '../column.ts';

export interface RefundTable {
  account_id: string;
  id: string;
  transaction_id: string;
  invoice_id: string;
  profile_id: string;
  payout_id: Maybe<string>;
  kind: string;
  asset: string;
  cause: RefundCause;
  status: RefundStatus;
  address: string;
  destination_tag: Maybe<string>;
  /** Before the network fee. */
  amount: Decimal;
  /** After the network fee; an estimate before the payout. */
  received: Decimal;
  network_fee_pays: 'merchant' | 'recipient';
  is_proven: boolean;
  automatic: Generated<'no' | 'due' | 'done'>;
  usd_value: MaybeDecimal;
  reference_id: Maybe<string>;
  reason: Maybe<string>;
  fingerprint: string;
  key_id: Maybe<string>;
  decided_by: MaybeJson<{ username: string; email: string | null }>;
  decided_at: MaybeTimestamp;
  error: Maybe<string>;
  events: TextArray;
  version: Generated<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  number: Generated<number>;
}

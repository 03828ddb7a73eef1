import type { Generated } from 'kysely';
import type { Maybe, MaybeJson, MaybeTimestamp, Timestamp } from '../column.ts';

export interface CallbackTable {
  account_id: string;
  id: string;
  resource: 'invoice' | 'transaction' | 'payout' | 'refund';
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
  /** Manual attempts; counted apart from the scheduled ones. */
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

import type { Generated } from 'kysely';
import type { Json, Maybe, MaybeTimestamp, Timestamp } from '../column.ts';

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

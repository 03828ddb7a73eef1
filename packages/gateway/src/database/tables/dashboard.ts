import type { Maybe, MaybeTimestamp, Timestamp } from '../column.ts';

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

import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import type { NoticeContent } from './content.ts';

export interface ClaimedNotice {
  account_id: string;
  id: string;
  resource_id: string;
  event: string;
  recipient: string;
  content: NoticeContent;
  attempts: number;
  created_at_real: string;
}

export interface NoticeClaim {
  holder: string;
  now: string;
  /** Time after which another process may take them over. */
  until: string;
  limit: number;
}

/** Claims due notices, oldest first; no two processes get the same one. */
export async function claimNotices(
  db: Db,
  { holder, now, until, limit }: NoticeClaim,
): Promise<ClaimedNotice[]> {
  const { rows } = await sql<ClaimedNotice>`
    update notice set locked_by = ${holder}, next_at_real = ${until}
    where ctid = any(array(
      select ctid from notice where state = 'pending' and next_at_real <= ${now}::timestamptz
      order by next_at_real, id limit ${limit} for update skip locked))
    returning account_id, id, resource_id, event, recipient, content, attempts, created_at_real`.execute(
    db,
  );
  return rows.toSorted((a, b) => a.created_at_real.localeCompare(b.created_at_real));
}

export interface NoticeResult {
  /** Whether a send was attempted. */
  counted: boolean;
  state: 'pending' | 'sent' | 'failed';
  error: string | null;
  nextAt: string | null;
  finishedAt: string | null;
}

/** Stores the outcome of a notice if this process still holds its claim. */
export async function recordNotice(
  db: Db,
  { account_id, id }: ClaimedNotice,
  holder: string,
  result: NoticeResult,
): Promise<void> {
  await sql`
    update notice set state = ${result.state}, attempts = attempts + ${result.counted ? 1 : 0}, error = ${result.error}, locked_by = null,
      next_at_real = coalesce(${result.nextAt}::timestamptz, next_at_real), finished_at_real = ${result.finishedAt}::timestamptz
    where account_id = ${account_id} and id = ${id} and state = 'pending' and locked_by = ${holder}`.execute(
    db,
  );
}

import { sql } from 'kysely';
import type { Db } from '../database/database.ts';

export interface ClaimedCallback {
  account_id: string;
  id: string;
  url: string;
  body: string;
  /** Attempts, the one that was just claimed included. */
  attempts: number;
  created_at_real: string;
}

export interface Claim {
  holder: string;
  /** Real time in the spec's form. */
  now: string;
  /** When another process may take them over. */
  until: string;
  limit: number;
  /** Destinations that have enough to do. */
  busy: readonly string[];
}

/** Takes callbacks that are due, oldest first; processes never get the same one. */
export async function claimCallbacks(db: Db, { holder, now, until, limit, busy }: Claim): Promise<ClaimedCallback[]> {
  const { rows } = await sql<ClaimedCallback>`
    update callback set locked_by = ${holder}, attempts = attempts + 1, next_at_real = ${until}
    where (account_id, id) in (
      select account_id, id from callback
      where state = 'pending' and next_at_real <= ${now} and url <> all(${[...busy]}::text[])
      order by next_at_real, id limit ${limit} for update skip locked)
    returning account_id, id, url, body, attempts, created_at_real`.execute(db);
  return rows;
}

/** Whether a claimed callback is still ours; it is then for longer. */
export async function prolongClaim(db: Db, { account_id, id, attempts }: ClaimedCallback, holder: string, until: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update callback set next_at_real = ${until}
    where account_id = ${account_id} and id = ${id} and state = 'pending' and locked_by = ${holder} and attempts = ${attempts}`.execute(db);
  return numAffectedRows === 1n;
}

/** Gives back what was claimed and not begun. */
export async function releaseClaims(db: Db, callbacks: readonly ClaimedCallback[], holder: string, now: string): Promise<void> {
  await sql`
    update callback set locked_by = null, attempts = attempts - 1, next_at_real = ${now}
    where id = any(${callbacks.map(({ id }) => id)}::uuid[]) and locked_by = ${holder} and state = 'pending'`.execute(db);
}

export interface Attempt {
  at: string;
  durationMs: number;
  status: number | null;
  error: string | null;
  answer: string | null;
  state: 'pending' | 'delivered' | 'failed';
  /** When it is tried again; null when it is not. */
  nextAt: string | null;
  finishedAt: string | null;
}

/** Writes down an attempt and what follows from it, in one statement. */
export async function recordAttempt(db: Db, callback: ClaimedCallback, holder: string, attempt: Attempt): Promise<void> {
  const { account_id: accountId, id, attempts } = callback;
  await sql`
    with delivery as (
      insert into callback_delivery (account_id, callback_id, attempt, at_real, duration_ms, status_code, error, answer)
      values (${accountId}, ${id}, ${attempts}, ${attempt.at}, ${attempt.durationMs}, ${attempt.status}, ${attempt.error}, ${attempt.answer})
      on conflict do nothing)
    update callback set
      state = ${attempt.state}, locked_by = null, finished_at_real = ${attempt.finishedAt}::timestamptz,
      next_at_real = coalesce(${attempt.nextAt}::timestamptz, next_at_real)
    where account_id = ${accountId} and id = ${id} and state = 'pending' and locked_by = ${holder} and attempts = ${attempts}`.execute(db);
}

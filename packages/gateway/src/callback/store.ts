import type { Event } from '@crypto-checkout/protocol/event';
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import { sentBody } from './stored-body.ts';

/**
 * Callbacks of one account to one address. The address is a number here, because it may be too long
 * for an index.
 */
export interface DestinationKey {
  account_id: string;
  hash: string;
}

/**
 * Destinations of waiting callbacks in key order, and which of them have a due one. The cost does
 * not depend on the number of callbacks for a destination.
 * @param after continues after this one; null starts at the first
 */
export async function waitingDestinations(
  db: Db,
  { now, after, limit }: { now: string; after: DestinationKey | null; limit: number },
): Promise<(DestinationKey & { due: boolean })[]> {
  const { account_id, hash } = after ?? {
    account_id: '00000000-0000-0000-0000-000000000000',
    hash: '-9223372036854775808',
  };
  const next = (account: ReturnType<typeof sql>, number: ReturnType<typeof sql>) => sql`(
    select account_id, hashtextextended(url, 0) as hash from callback
    where state = 'pending' and (account_id, hashtextextended(url, 0)) > (${account}, ${number})
    order by account_id, hashtextextended(url, 0) limit 1)`;
  const { rows } = await sql<DestinationKey & { due: boolean }>`
    with recursive destination as (
      ${next(sql`${account_id}::uuid`, sql`${hash}::bigint`)}
      union all
      select following.* from destination d cross join lateral ${next(sql`d.account_id`, sql`d.hash`)} following)
    select account_id, hash::text as hash, coalesce((
      select true from callback c where c.state = 'pending' and c.account_id = d.account_id and hashtextextended(c.url, 0) = d.hash
        and c.next_at_real <= ${now}::timestamptz limit 1), false) as due
    from (select * from destination limit ${limit}) d`.execute(db);
  return rows;
}

// Written so that the planner looks up ids in the primary key. Without fresh statistics it would
// otherwise prefer the index of waiting callbacks, which holds every row of an account.
const IS_WAITING = sql.raw(`c.state || '' = 'pending'`);

export interface ClaimedCallback {
  account_id: string;
  id: string;
  hash: string;
  resource_id: string;
  event: Event;
  url: string;
  body: string;
  /** Scheduled attempts, including the one just claimed. */
  attempts: number;
  created_at_real: string;
}

export interface Claim {
  holder: string;
  /** Real time in the wire format. */
  now: string;
  /** Time after which another process may take them over. */
  until: string;
  /** The destinations to claim from, with a limit for each. */
  from: readonly (DestinationKey & { room: number })[];
}

/**
 * Claims due callbacks, the oldest first for each destination; no two processes get the same one.
 */
export async function claimCallbacks(
  db: Db,
  { holder, now, until, from }: Claim,
): Promise<ClaimedCallback[]> {
  if (from.length === 0) return [];
  const accounts = from.map(({ account_id }) => account_id);
  const hashes = from.map(({ hash }) => hash);
  const rooms = from.map(({ room }) => room);
  // By physical row position, so that no plan can read the whole table.
  const { rows } = await sql<ClaimedCallback>`
    update callback set locked_by = ${holder}, attempts = attempts + 1, next_at_real = ${until}
    where ctid = any(array(
      select due.place from unnest(${accounts}::uuid[], ${hashes}::bigint[], ${rooms}::integer[]) as d(account_id, hash, room)
      cross join lateral (
        select c.ctid as place from callback c
        where c.state = 'pending' and c.account_id = d.account_id and hashtextextended(c.url, 0) = d.hash
          and c.next_at_real <= ${now}::timestamptz
        order by c.next_at_real limit d.room for update skip locked) due))
    returning account_id, id, hashtextextended(url, 0)::text as hash, resource_id, event, url, body, attempts, created_at_real`.execute(
    db,
  );
  return rows.map((row) => ({ ...row, body: sentBody(row.body) }));
}

/**
 * Renews a claim.
 * @returns whether this process still held it
 */
export async function extendClaim(
  db: Db,
  { account_id, id, attempts }: ClaimedCallback,
  holder: string,
  until: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update callback c set next_at_real = ${until}
    where account_id = ${account_id} and id = ${id} and ${IS_WAITING} and locked_by = ${holder} and attempts = ${attempts}`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

/** Releases claims that were not started; no attempt is counted. */
export async function releaseClaims(
  db: Db,
  callbacks: readonly ClaimedCallback[],
  holder: string,
  now: string,
): Promise<void> {
  const claims = JSON.stringify(
    callbacks.map(({ account_id, id, attempts }) => ({ account_id, id, attempts })),
  );
  await sql`
    update callback c set locked_by = null, attempts = c.attempts - 1, next_at_real = ${now}
    from json_to_recordset(${claims}::json) as r(account_id uuid, id uuid, attempts integer)
    where c.account_id = r.account_id and c.id = r.id and c.attempts = r.attempts and c.locked_by = ${holder} and ${IS_WAITING}`.execute(
    db,
  );
}

/**
 * Makes callbacks due that were queued after now: the clock ran ahead then, and they would wait
 * until its wrong time.
 */
export async function bringForward(db: Db, now: string, queuedAfter: string): Promise<void> {
  await sql`
    update callback set next_at_real = ${now}, created_at_real = ${now}
    where state = 'pending' and next_at_real > ${queuedAfter}::timestamptz and created_at_real > ${queuedAfter}::timestamptz`.execute(
    db,
  );
}

export interface Attempt {
  account_id: string;
  id: string;
  attempt: number;
  url: string;
  request_headers: Record<string, string>;
  at: string;
  duration_ms: number;
  status_code: number | null;
  answer_headers: Record<string, string> | null;
  answer: string | null;
  error: string | null;
  state: 'pending' | 'delivered' | 'failed';
  /** Time of the next attempt; null when there is none. */
  next_at: string | null;
  finished_at: string | null;
}

/** Stores attempts and their consequences in one statement. */
export async function recordAttempts(
  db: Db,
  attempts: readonly Attempt[],
  holder: string,
): Promise<void> {
  await sql`
    with r as (
      select * from json_to_recordset(${JSON.stringify(attempts)}::json) as r(account_id uuid, id uuid, attempt integer, url text,
        request_headers jsonb, at timestamptz, duration_ms integer, status_code integer, answer_headers jsonb, answer text, error text,
        state text, next_at timestamptz, finished_at timestamptz)),
    delivery as (
      insert into callback_delivery (account_id, callback_id, attempt, url, request_headers, at_real, duration_ms, status_code,
        answer_headers, answer, error)
      select account_id, id, attempt, url, request_headers, at, duration_ms, status_code, answer_headers, answer, error from r
      on conflict do nothing)
    update callback c set
      state = r.state, locked_by = null, finished_at_real = r.finished_at, next_at_real = coalesce(r.next_at, c.next_at_real)
    from r
    where c.account_id = r.account_id and c.id = r.id and ${IS_WAITING} and c.locked_by = ${holder} and c.attempts = r.attempt`.execute(
    db,
  );
}

export interface Abandoned {
  /** Destinations whose breaker is open. */
  from: readonly DestinationKey[];
  queuedBefore: string;
  now: string;
  limit: number;
}

/** Gives up on expired callbacks whose receiver is still down. */
export async function abandonCallbacks(
  db: Db,
  { from, queuedBefore, now, limit }: Abandoned,
): Promise<void> {
  if (from.length === 0) return;
  const accounts = from.map(({ account_id }) => account_id);
  const hashes = from.map(({ hash }) => hash);
  await sql`
    update callback set state = 'failed', locked_by = null, finished_at_real = ${now}
    where ctid = any(array(
      select c.ctid from callback c join unnest(${accounts}::uuid[], ${hashes}::bigint[]) as d(account_id, hash)
        on c.account_id = d.account_id and hashtextextended(c.url, 0) = d.hash
      where c.state = 'pending' and c.next_at_real <= ${now}::timestamptz and c.created_at_real < ${queuedBefore}::timestamptz
      limit ${limit} for update of c skip locked))`.execute(db);
}

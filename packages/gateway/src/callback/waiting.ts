import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database/database.ts';

/** So many are counted, because each is read for it, body and all. */
const COUNTED = 1_000;

/** What was not delivered yet. */
export interface Waiting {
  count: number;
  /** Those of them that a receiver did not take, and which are tried again. */
  retried: number;
  /** When the oldest of those that were counted was made. */
  since: string | null;
  /** Whether there are more than were counted. */
  more: boolean;
}

const DELIVERIES = sql.raw('callback_delivery d where d.account_id = c.account_id and d.callback_id = c.id');

/**
 * What may still be delivered, until it is given up after three days; of very many, the first thousand.
 * @param accountId null for every account, which only the operator may see
 * @param resourceId of one invoice, transaction or payout
 */
export async function countWaiting(db: Db, accountId: string | null, resourceId?: string): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select least(count(*), ${sql.lit(COUNTED)}) as count, least(count(*) filter (where retried), ${sql.lit(COUNTED)}) as retried,
      min(created_at_real) filter (where retried) as since, count(*) > ${sql.lit(COUNTED)} as more from (
      select created_at_real, attempts > 0 and exists (select 1 from ${DELIVERIES}) as retried from (
        select account_id, id, created_at_real, attempts from callback
        where state = 'pending' and ${accountId === null ? sql`true` : sql`account_id = ${accountId}`}
          and ${resourceId === undefined ? sql`true` : sql`resource_id = ${resourceId}`}
        limit ${sql.lit(COUNTED + 1)}) c) waiting`.execute(db);
  return rows[0]!;
}

/** An address that did not take what it was sent, more than once. */
export interface FailingReceiver {
  /** Without what may be a secret: user and password, and all behind the path. */
  address: string;
  waiting: number;
  /** Whether there are more than were counted. */
  more: boolean;
  /** When the oldest of them was made. */
  since: string;
  /** Its newest answer; null where none came. */
  status_code: number | null;
  error: string | null;
  last_at: string;
}

/** However many wait for one address, so many of those that were tried are enough to know what it answers. */
const TRIED = 100;

const DESTINATIONS = 200;

/** The destination of an account that follows another one in the index: one look-up each, however many wait for it. */
const nextDestination = (accountId: string, after: RawBuilder<unknown>) => sql`
  select hashtextextended(url, 0) from callback
  where state = 'pending' and account_id = ${accountId} and hashtextextended(url, 0) > ${after} order by 1 limit 1`;

/** Receivers of an account that keep failing, with the most that wait first. One failure alone is mended by the next attempt. */
export const failingReceivers = (accountId: string, limit: number) => sql<FailingReceiver & { count?: number }>`
  with recursive hash as (
    select (${nextDestination(accountId, sql`-9223372036854775808`)}) as value, 1 as number
    union all
    select (${nextDestination(accountId, sql`hash.value`)}), number + 1 from hash
    where value is not null and number < ${sql.lit(DESTINATIONS)}),
  destination as (
    select url, waiting, since from hash cross join lateral (
      select min(url) as url, count(*) as waiting, min(created_at_real) as since from (
        select url, created_at_real from callback
        where state = 'pending' and account_id = ${accountId} and hashtextextended(url, 0) = hash.value
        order by next_at_real limit ${sql.lit(COUNTED + 1)}) counted) d
    where value is not null),
  receiver as (
    select regexp_replace(substring(url from '^[^?#]*'), '^([a-z]+://)[^/]*@', '\\1') as address, sum(least(waiting, ${sql.lit(COUNTED)}))::bigint as waiting,
      bool_or(waiting > ${sql.lit(COUNTED)}) as more, min(since) as since,
      sum(attempts) as attempts, max(at_real) as last_at,
      (array_agg(status_code order by at_real desc))[1] as status_code, (array_agg(error order by at_real desc))[1] as error
    from destination cross join lateral (
      select sum(attempt) over () as attempts, status_code, error, at_real from (
        select d.* from callback c cross join lateral (select * from ${DELIVERIES} order by at_real desc, resend desc, attempt desc limit 1) d
        where c.state = 'pending' and c.account_id = ${accountId} and c.attempts > 0
          and hashtextextended(c.url, 0) = hashtextextended(destination.url, 0)
        order by c.next_at_real desc limit ${sql.lit(TRIED)}) tried
      order by at_real desc limit 1) newest
    group by address)
  select address, waiting, more, since, status_code, error, last_at, count(*) over () as count from receiver
  where attempts > 1 order by waiting desc, address limit ${limit}`;

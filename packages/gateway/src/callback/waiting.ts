import type { FailingReceiver } from '@crypto-checkout/protocol/dashboard';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database/database.ts';

/** Limit of the count, because counting reads each row with its body. */
const COUNTED = 1_000;

/** Callbacks that are not delivered yet. */
export interface Waiting {
  count: number;
  /** Those that failed at least once and will be retried. */
  retried: number;
  /** Creation time of the oldest counted callback. */
  since: string | null;
  /** Whether there are more than were counted. */
  more: boolean;
}

const DELIVERIES = sql.raw(
  'callback_delivery d where d.account_id = c.account_id and d.callback_id = c.id',
);

/**
 * Counts callbacks that may still be delivered, up to a thousand; each is given up after three
 * days.
 * @param accountId null for all accounts, which only the operator may see
 * @param resourceId id of one invoice, transaction or payout
 */
export async function countWaiting(
  db: Db,
  accountId: string | null,
  resourceId?: string,
): Promise<Waiting> {
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

/** A sample of this many attempted callbacks is enough for an address. */
const TRIED = 100;

/** Limit of the addresses that are looked at, because each costs a look-up and a count. */
const DESTINATIONS = 200;

/**
 * The account's next destination in the index: one look-up each, however many callbacks wait for
 * it.
 */
const nextDestination = (accountId: string, after: RawBuilder<unknown>) => sql`
  select hashtextextended(url, 0) from callback
  where state = 'pending' and account_id = ${accountId} and hashtextextended(url, 0) > ${after} order by 1 limit 1`;

/**
 * Receivers of an account that keep failing, the largest backlog first. A single failure is
 * corrected by the next attempt.
 *
 * - `hash`: the hashes of the waiting callbacks' URLs, each found from the one before it.
 * - `destination`: each URL with the number of its waiting callbacks and the oldest of them.
 * - `receiver`: URLs that differ only in query, fragment or password are one receiver, with the
 *   attempts of its newest callbacks and the result of the latest one.
 */
export const failingReceivers = (accountId: string, limit: number) => sql<
  FailingReceiver & { count?: number }
>`
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

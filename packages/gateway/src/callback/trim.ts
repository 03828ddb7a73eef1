import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { timestamp } from '../database/database.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Callbacks of one statement. */
const LIMIT = 1_000;

/**
 * Removes the bodies and the deliveries of callbacks that ended long ago: most of what a payment
 * leaves in the database. The callbacks themselves stay, so that no event is reported twice. Safe
 * to run in several processes.
 * @returns whether more may be left
 */
export async function trimCallbacks({
  db,
  clock,
  config,
}: Pick<Context, 'db' | 'clock' | 'config'>): Promise<boolean> {
  const { callbackRetentionDays: days } = config;
  if (days === null) return false;
  const before = timestamp(clock.real() - days * DAY_MS);
  const { rows } = await sql<{ count: number }>`
    with old as (
      select account_id, id from callback
      where state <> 'pending' and body <> '' and finished_at_real < ${before}
      order by finished_at_real limit ${LIMIT} for update skip locked),
    deliveries as (
      delete from callback_delivery d using old where d.account_id = old.account_id and d.callback_id = old.id),
    trimmed as (
      update callback c set body = '' from old where c.account_id = old.account_id and c.id = old.id returning 1)
    select count(*)::int as count from trimmed`.execute(db);
  return rows[0]?.count === LIMIT;
}

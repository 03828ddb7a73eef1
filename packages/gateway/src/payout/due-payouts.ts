import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';

/** Payouts that wait for a date, for funds or for a policy. */
export async function waitingPayouts(db: Db, now: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from payout where status in ('awaiting_funds', 'awaiting_policies') or (status = 'scheduled' and scheduled_at <= ${now})
    order by number limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

export async function chainsWithPayouts(db: Db): Promise<ChainId[]> {
  const { rows } = await sql<{ chain: ChainId }>`
    select distinct chain from payout where status in ('new', 'queued', 'pending', 'unconfirmed', 'confirmed')`.execute(
    db,
  );
  return rows.map(({ chain }) => chain);
}

/** Payouts of a chain that may have been broadcast. */
export async function sentPayouts(db: Db, chain: ChainId, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id from payout p join outgoing o on o.id = coalesce(p.batch_id, p.id)
    where p.chain = ${chain} and p.status in ('new', 'queued', 'pending', 'unconfirmed', 'confirmed') and o.tries > 0
    order by p.number limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Payouts that failed since a time although they may have been broadcast. A block in which one of
 * them had no effect can leave the chain.
 */
export async function failedPayouts(
  db: Db,
  since: string,
  limit: number,
): Promise<{ id: string; chain: ChainId }[]> {
  const { rows } = await sql<{ id: string; chain: ChainId }>`
    select p.id, p.chain from payout p join outgoing o on o.id = coalesce(p.batch_id, p.id)
    where p.status = 'failed' and p.updated_at >= ${since} and o.tries > 0
    order by p.number desc limit ${limit}`.execute(db);
  return rows;
}

/** Payouts of a chain that were not sent yet, oldest first. */
export async function unsentPayouts(
  db: Db,
  chain: ChainId,
  now: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id from payout p left join outgoing o on o.id = coalesce(p.batch_id, p.id)
    where p.chain = ${chain} and p.status in ('new', 'queued') and coalesce(o.tries, 0) = 0
      and (p.scheduled_at is null or p.scheduled_at <= ${now})
    order by o.id is null, p.number limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

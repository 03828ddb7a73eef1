import { sql } from 'kysely';
import type { Db, Trx } from '../../database/database.ts';

/** The payouts that share a transaction, oldest first. */
export async function payoutsOfBatch(
  db: Db | Trx,
  batchId: string,
): Promise<{ id: string; fee_reserve: string }[]> {
  const { rows } = await sql<{ id: string; fee_reserve: string }>`
    select id, fee_reserve::text as fee_reserve from payout where batch_id = ${batchId} order by number`.execute(
    db,
  );
  return rows;
}

/** Locks a payout and those that share its transaction, in one order for all processes. */
export async function lockShared(trx: Trx, id: string): Promise<void> {
  await sql`
    select from payout
    where id = ${id} or batch_id = (select batch_id from payout where id = ${id})
    order by number for update`.execute(trx);
}

/** The payouts share this transaction from now on. */
export async function joinBatch(trx: Trx, batchId: string, ids: readonly string[]): Promise<void> {
  await sql`update payout set batch_id = ${batchId} where id = any(${[...ids]}::uuid[])`.execute(
    trx,
  );
}

/** Those of the payouts for which no transaction is planned, in the same order. */
export async function unplannedAmong(db: Db, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id from payout p where p.id = any(${[...ids]}::uuid[])
      and not exists (select from outgoing o where o.id = coalesce(p.batch_id, p.id)) order by p.number`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

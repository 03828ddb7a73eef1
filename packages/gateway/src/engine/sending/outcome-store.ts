import { sql } from 'kysely';
import { transact, type Db } from '../../database/database.ts';
import { releaseChangeKey } from '../coin-store.ts';
import type { Attempt, Outgoing } from './outgoing-store.ts';

/**
 * Counts a try before it is made, so that one without an answer counts too.
 * @param isSent whether the node gets the transaction now; otherwise it has refused it in a test
 * @returns whether an earlier try can have sent it; null if another process stored its refusal, so
 * that it must not be sent any more
 */
export async function countTry(
  db: Db,
  id: string,
  { number, isSent }: { number: number; isSent: boolean },
): Promise<boolean | null> {
  return transact(db, async (trx) => {
    // The lock orders the tries of several processes.
    const { rows: counted } = await sql`
      update outgoing set tries = tries + 1
      where id = ${id} and result is distinct from 'failed' returning id`.execute(trx);
    if (counted.length === 0) return null;
    const { rows } = await sql`
      select from outgoing_attempt where outgoing_id = ${id} and is_tried limit 1`.execute(trx);
    if (isSent)
      await sql`update outgoing_attempt set is_tried = true
        where outgoing_id = ${id} and number = ${number} and not is_tried`.execute(trx);
    return rows.length > 0;
  });
}

/** Never overwrites a certain result. */
export async function saveResult(
  db: Db,
  id: string,
  result: 'ok' | 'unknown',
  reason: string | null,
): Promise<void> {
  await sql`
    update outgoing set result = ${result}, reason = ${reason}
    where id = ${id} and result is distinct from 'ok' and result is distinct from 'failed'`.execute(
    db,
  );
}

/**
 * Stores a certain refusal. Inputs and change key of the transaction are free again.
 * @param wasTested it was refused in a test: certain only while no process has sent it
 * @returns false if it is not certain any more
 */
export async function saveFailure(
  db: Db,
  id: string,
  { reason, wasTested }: { reason: string; wasTested: boolean },
): Promise<boolean> {
  return transact(db, async (trx) => {
    // A try of another process ends before this, or does not begin.
    await sql`select from outgoing where id = ${id} for update`.execute(trx);
    const { rows: saved } = await sql`
      update outgoing o set result = 'failed', reason = ${reason}, open = false
      where id = ${id} and result is distinct from 'ok' and result is distinct from 'failed'
        and not (${wasTested} and exists (
          select from outgoing_attempt t where t.outgoing_id = o.id and t.is_tried)) returning id`.execute(
      trx,
    );
    if (saved.length === 0) return false;
    await sql`update outgoing_input set is_open = false where outgoing_id = ${id} and is_open`.execute(
      trx,
    );
    const { rows } = await sql<Pick<Attempt, 'plan'>>`
      select plan from outgoing_attempt where outgoing_id = ${id} order by number desc`.execute(
      trx,
    );
    for (const { plan } of rows) await releaseChangeKey(trx, plan);
    return true;
  });
}

/**
 * Frees the lane: the transaction is in a block, or can never be. The inputs of the mined attempt
 * are spent, all others are free.
 * @param txid of the attempt in the block; null without one
 */
export async function closeOutgoing(db: Db, id: string, txid: string | null): Promise<void> {
  if (txid === null) await freeSpentCoins(db, id);
  await sql`
    with closed as (
      update outgoing set open = false where id = ${id} and open returning id),
    mined as (
      select i ->> 'outpoint' as outpoint from outgoing_attempt t, jsonb_array_elements(t.plan -> 'inputs') i
      where t.outgoing_id = ${id} and t.txid = ${txid} and t.plan ->> 'family' = 'bitcoin'),
    settled as (
      update outgoing_input set is_open = false
      where is_open and outgoing_id in (select id from closed) returning chain, outpoint)
    update coin c set spent = true from settled s
    where c.chain = s.chain and c.outpoint = s.outpoint and s.outpoint in (select outpoint from mined)`.execute(
    db,
  );
}

/**
 * A block had the transaction and left the chain: it waits in its lane once more, and nothing is
 * planned behind it until the network has it again.
 */
export async function reopenOutgoing(db: Db, { id, open, lane }: Outgoing): Promise<void> {
  if (!open && lane !== null)
    await sql`update outgoing set open = true, result = 'unknown' where id = ${id} and not open`.execute(
      db,
    );
}

/**
 * A block had the transaction, left the chain, and another transaction took one of its inputs. The
 * node decides about the others.
 */
async function freeSpentCoins(db: Db, id: string): Promise<void> {
  await sql`
    update coin c set spent = false from outgoing_input i
    where i.outgoing_id = ${id} and c.chain = i.chain and c.outpoint = i.outpoint and c.spent
      and not exists (select from outgoing_input o
        where o.chain = i.chain and o.outpoint = i.outpoint and o.outgoing_id <> i.outgoing_id)`.execute(
    db,
  );
}

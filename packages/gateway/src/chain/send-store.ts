import { sql } from 'kysely';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Db, Trx } from '../database/database.ts';
import type { SendPlan, SignedTransaction } from './sender.ts';

/** Whatever is sent, from its plan on. One row for each purpose's id, so that nothing is planned twice. */
export interface Outgoing {
  id: string;
  chain: ChainId;
  lane: string | null;
  nonce: number | null;
  plan: SendPlan;
  raw: string | null;
  txid: string | null;
  tries: number;
  result: 'ok' | 'failed' | 'unknown' | null;
  reason: string | null;
  open: boolean;
}

export async function findOutgoing(db: Db, id: string): Promise<Outgoing | null> {
  const { rows } = await sql<Outgoing>`select * from outgoing where id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** The plan that was stored first stays. */
export async function keepPlan(
  trx: Trx,
  { id, purpose, chain, lane, nonce, plan }: Pick<Outgoing, 'id' | 'chain' | 'lane' | 'nonce' | 'plan'> & { purpose: string },
): Promise<void> {
  await sql`insert into outgoing (id, purpose, chain, lane, nonce, plan, created_at_real)
    values (${id}, ${purpose}, ${chain}, ${lane}, ${nonce}, ${JSON.stringify(plan)}::jsonb, clock_timestamp())
    on conflict (id) do nothing`.execute(trx);
}

/** Before anybody else sees them. */
export async function keepSigned(db: Db, id: string, { raw, txid }: SignedTransaction): Promise<void> {
  await sql`update outgoing set raw = ${raw}, txid = ${txid} where id = ${id} and raw is null`.execute(db);
}

/** Counted before it is made, so that one of which nothing was heard counts too. @returns how many, this one included */
export async function countTry(db: Db, id: string): Promise<number> {
  const { rows } = await sql<{ tries: number }>`update outgoing set tries = tries + 1 where id = ${id} returning tries`.execute(db);
  return rows[0]?.tries ?? 0;
}

/** What was certain once stays. */
export async function keepResult(db: Db, id: string, result: 'ok' | 'failed' | 'unknown', reason: string | null): Promise<void> {
  await sql`update outgoing set result = ${result}, reason = ${reason}, open = open and ${result !== 'failed'}
    where id = ${id} and result is distinct from 'ok' and result is distinct from 'failed'`.execute(db);
}

/** In a block, or certain never to be: the next of the lane may go. */
export async function closeOutgoing(db: Db, id: string): Promise<void> {
  await sql`update outgoing set open = false where id = ${id} and open`.execute(db);
}

/** Transactions that only moved our own money from one of our addresses to another: nobody paid. */
export async function internalTxids(db: Db, chain: ChainId, txids: readonly string[]): Promise<ReadonlySet<string>> {
  if (txids.length === 0) return new Set();
  const { rows } = await sql<{ txid: string }>`
    select txid from outgoing where txid = any(${[...txids]}::text[]) and chain = ${chain} and purpose in ('top_up', 'sweep')`.execute(db);
  return new Set(rows.map(({ txid }) => txid));
}

/** Whether a transaction of the lane is on its way, or may be. */
export async function isLaneBusy(db: Db, chain: ChainId, lane: string, except: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from outgoing where chain = ${chain} and lane = ${lane} and open and id <> ${except} limit 1`.execute(db);
  return rows.length > 0;
}

/** Below it every number of the lane is used, as far as we know. */
export async function minNonce(db: Db, chain: ChainId, lane: string | null): Promise<number> {
  const { rows } = await sql<{ next: number }>`
    select coalesce(max(nonce) + 1, 0) as next from outgoing
    where chain = ${chain} and lane = ${lane} and result is distinct from 'failed'`.execute(db);
  return rows[0]?.next ?? 0;
}

import { sql } from 'kysely';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { transact, type Db, type Trx } from '../../database/database.ts';
import type { SendPlan, SignedTransaction } from '@crypto-checkout/chains/sender';
import { releaseChangeKey, reserveInputs } from '../coin-store.ts';

/**
 * A payout, sweep or gas top-up on its way to the chain, stored from its first plan on. One row per
 * purpose prevents a second one.
 */
export interface Outgoing {
  id: string;
  chain: ChainId;
  lane: string | null;
  nonce: number | null;
  /** Broadcasts, and tests that the node answered, of all attempts. */
  tries: number;
  /** `ok`: the network accepted an attempt. */
  result: 'ok' | 'failed' | 'unknown' | null;
  reason: string | null;
  open: boolean;
  /** Oldest first, at least one. At most one of them can be mined. */
  attempts: Attempt[];
}

export interface Attempt {
  number: number;
  /** `bump`: the same for a higher fee; `cancel`: nothing is sent in its place. */
  intent: 'send' | 'bump' | 'cancel';
  plan: SendPlan;
  raw: string | null;
  txid: string | null;
  /** Whether a node can have it. */
  is_tried: boolean;
  created_at_real: string;
}

export type SignedAttempt = Attempt & SignedTransaction;

export const newestAttempt = ({ attempts }: Pick<Outgoing, 'attempts'>): Attempt =>
  attempts.at(-1)!;

export const isSigned = (attempt: Attempt): attempt is SignedAttempt =>
  attempt.raw !== null && attempt.txid !== null;

/** @param id of the transaction, or of a payout that shares one with others */
export async function findOutgoing(db: Db | Trx, id: string): Promise<Outgoing | null> {
  const { rows } = await sql<Outgoing>`
    select o.id, o.chain, o.lane, o.nonce, o.tries, o.result, o.reason, o.open, (
      select json_agg(json_build_object('number', t.number, 'intent', t.intent, 'plan', t.plan, 'raw', t.raw,
        'txid', t.txid, 'is_tried', t.is_tried, 'created_at_real', t.created_at_real) order by t.number)
      from outgoing_attempt t where t.outgoing_id = o.id) as attempts
    from outgoing o where o.id = coalesce((select batch_id from payout where id = ${id}), ${id})`.execute(
    db,
  );
  return rows[0] ?? null;
}

/** A signed transaction of ours, by its id. */
export async function findAttempt(
  db: Db,
  chain: ChainId,
  txid: string,
): Promise<SignedAttempt | null> {
  const { rows } = await sql<SignedAttempt>`
    select t.number, t.intent, t.plan, t.raw, t.txid, t.is_tried, t.created_at_real
    from outgoing_attempt t join outgoing o on o.id = t.outgoing_id
    where t.txid = ${txid} and o.chain = ${chain} limit 1`.execute(db);
  return rows[0] ?? null;
}

type NewOutgoing = Pick<Outgoing, 'id' | 'chain' | 'lane' | 'nonce'> & {
  purpose: string;
  plan: SendPlan;
  inputs?: readonly string[] | undefined;
};

/** Keeps an existing plan: a transaction is planned once. */
export async function savePlan(
  trx: Trx,
  { id, purpose, chain, lane, nonce, plan, inputs }: NewOutgoing,
): Promise<void> {
  const { rows } = await sql`
    insert into outgoing (id, purpose, chain, lane, nonce, created_at_real)
    values (${id}, ${purpose}, ${chain}, ${lane}, ${nonce}, clock_timestamp())
    on conflict (id) do nothing returning id`.execute(trx);
  if (rows.length > 0) await saveAttempt(trx, id, { number: 1, intent: 'send', plan, inputs });
}

/** @returns false if an attempt with this number exists: another process made it */
export async function saveAttempt(
  trx: Trx,
  id: string,
  {
    number,
    intent,
    plan,
    inputs = [],
  }: Pick<Attempt, 'number' | 'intent' | 'plan'> & Pick<NewOutgoing, 'inputs'>,
): Promise<boolean> {
  const { rows } = await sql`
    insert into outgoing_attempt (outgoing_id, number, intent, plan, created_at_real)
    values (${id}, ${number}, ${intent}, ${JSON.stringify(plan)}::jsonb, clock_timestamp())
    on conflict (outgoing_id, number) do nothing returning number`.execute(trx);
  if (rows.length > 0) await reserveInputs(trx, id, plan, inputs);
  return rows.length > 0;
}

/**
 * The plan of a transaction whose attempts have all expired. The earlier ones are kept: any of them
 * counts if the chain shows it after all.
 * @returns false if another process made this attempt
 */
export async function saveNextPlan(
  trx: Trx,
  id: string,
  { number, plan, nonce }: Pick<Attempt, 'number' | 'plan'> & Pick<Outgoing, 'nonce'>,
): Promise<boolean> {
  await sql`update outgoing set nonce = ${nonce}, result = null, reason = null where id = ${id}`.execute(
    trx,
  );
  return saveAttempt(trx, id, { number, intent: 'send', plan });
}

/**
 * Removes an attempt that was never signed; with the only one, its nonce and coins are free again.
 */
export async function discardAttempt(db: Db, id: string, number: number): Promise<void> {
  await transact(db, async (trx) => {
    const { rows } = await sql<Pick<Attempt, 'plan'>>`
      delete from outgoing_attempt where outgoing_id = ${id} and number = ${number} and raw is null returning plan`.execute(
      trx,
    );
    const [discarded] = rows;
    if (discarded === undefined || number > 1) return;
    await sql`delete from outgoing where id = ${id}`.execute(trx);
    await sql`delete from outgoing_input where outgoing_id = ${id}`.execute(trx);
    await releaseChangeKey(trx, discarded.plan);
  });
}

/** Forgets a transaction that the network refused at the first try, so that it was never sent. */
export async function discardFailed(db: Db, id: string): Promise<void> {
  await transact(db, async (trx) => {
    const { rows } = await sql`
      delete from outgoing where id = ${id} and result = 'failed' returning id`.execute(trx);
    if (rows.length === 0) return;
    await sql`delete from outgoing_attempt where outgoing_id = ${id}`.execute(trx);
    await sql`delete from outgoing_input where outgoing_id = ${id}`.execute(trx);
  });
}

/** Stored before the broadcast, so that a restart sends the same bytes. */
export async function saveSigned(
  db: Db,
  id: string,
  number: number,
  { raw, txid }: SignedTransaction,
): Promise<void> {
  await sql`update outgoing_attempt set raw = ${raw}, txid = ${txid}
    where outgoing_id = ${id} and number = ${number} and raw is null`.execute(db);
}

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

/** Where the chain gives a transaction its id later than its signer. */
export async function saveChainTxid(
  db: Db,
  id: string,
  { txid, chainTxid }: { txid: string; chainTxid: string },
): Promise<void> {
  await sql`update outgoing_attempt set chain_txid = ${chainTxid}
    where outgoing_id = ${id} and txid = ${txid} and chain_txid is distinct from ${chainTxid}`.execute(
    db,
  );
}

/**
 * Transactions between our own addresses, which are not payments.
 * @returns ids of the chain
 */
export async function internalTxids(
  db: Db,
  chain: ChainId,
  observations: readonly { txid: string; signedAs?: string }[],
): Promise<ReadonlySet<string>> {
  if (observations.length === 0) return new Set();
  const ids = observations.flatMap(({ txid, signedAs = txid }) => [...new Set([txid, signedAs])]);
  const { rows } = await sql<{ txid: string; chain_txid: string | null }>`
    select t.txid, t.chain_txid from outgoing_attempt t join outgoing o on o.id = t.outgoing_id
    where (t.txid = any(${ids}::text[]) or t.chain_txid = any(${ids}::text[]))
      and o.chain = ${chain} and o.purpose in ('top_up', 'sweep')`.execute(db);
  const own = new Set(rows.flatMap(({ txid, chain_txid }) => [txid, chain_txid]));
  return new Set(
    observations
      .filter(({ txid, signedAs = txid }) => own.has(txid) || own.has(signedAs))
      .map(({ txid }) => txid),
  );
}

/** Transactions from one address. */
export interface Lane {
  /** The lowest nonce that no other stored transaction uses. */
  minNonce: number;
  /** Those that wait for their blocks, or may, in the order of the nonces. */
  open: readonly (Pick<Outgoing, 'result'> & { attempts: number; plan: SendPlan })[];
}

/**
 * Read by one statement: a plan that another process stores and discards meanwhile would leave a
 * gap before the next nonce.
 */
export async function findLane(
  db: Db,
  { chain, lane }: Pick<Outgoing, 'chain' | 'lane'>,
  except: string,
): Promise<Lane> {
  const ofLane = sql`o.chain = ${chain} and o.lane = ${lane} and o.id <> ${except}`;
  const { rows } = await sql<Lane>`
    select (
      select coalesce(max(o.nonce) + 1, 0) from outgoing o
      where ${ofLane} and o.result is distinct from 'failed') as "minNonce", (
      select coalesce(json_agg(json_build_object('result', o.result, 'attempts', t.attempts, 'plan', t.plan)
        order by o.nonce), '[]')
      from outgoing o cross join lateral (
        select count(*) as attempts, (array_agg(plan order by number desc))[1] as plan
        from outgoing_attempt where outgoing_id = o.id) t
      where ${ofLane} and o.open) as open`.execute(db);
  return rows[0]!;
}

/**
 * Whether one more transaction may follow: only behind transactions that the network has, none of
 * which was replaced. Anything else could leave a gap, or hold up what follows.
 */
export const hasRoom = ({ open }: Lane, maxInFlight: number): boolean =>
  open.length === 0 ||
  (open.length < maxInFlight &&
    open.every(({ result, attempts }) => result === 'ok' && attempts === 1));

/** Whether an earlier transaction of its address waits for a block, and this one behind it. */
export async function isBehindAnother(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from outgoing o join outgoing earlier using (chain, lane)
    where o.id = ${id} and earlier.open and earlier.nonce < o.nonce limit 1`.execute(db);
  return rows.length > 0;
}

/** Whether another payout was planned to pay this lightning request. */
export async function isRequestTaken(db: Db, paymentHash: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from outgoing_attempt
    where plan->>'family' = 'lightning' and plan->>'paymentHash' = ${paymentHash} and outgoing_id <> ${id}`.execute(
    db,
  );
  return rows.length > 0;
}

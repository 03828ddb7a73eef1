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
  /** As `ChainSender.lane`: the address whose transactions are sent one after another. */
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

/** Whether another payout was planned to pay this lightning request. */
export async function isRequestTaken(db: Db, paymentHash: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from outgoing_attempt
    where plan->>'family' = 'lightning' and plan->>'paymentHash' = ${paymentHash} and outgoing_id <> ${id}`.execute(
    db,
  );
  return rows.length > 0;
}

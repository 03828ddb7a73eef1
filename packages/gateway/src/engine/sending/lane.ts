import type { SendPlan } from '@crypto-checkout/chains/sender';
import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';
import type { Outgoing } from './outgoing-store.ts';

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

import type { Observation } from '@crypto-checkout/chains/adapter';
import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Trx } from '../database/database.ts';
import { addressOf } from './address-of.ts';

/** Reports whether the money of a payment is in the books already, without its transaction. */
export type IsExplained = (observation: Observation) => Promise<boolean>;

/**
 * A comparison of the balance may have shown the money of a payment before its transaction. The
 * payment explains that money. If an operator decided about it, the payment is not credited. If it
 * still waits, the payment is credited, and no operator can decide any more.
 */
export async function explainer(
  trx: Trx,
  chain: ChainId,
  observations: readonly Observation[],
): Promise<IsExplained> {
  const addresses = observations.flatMap(({ block, watchKey }) =>
    block === null ? [] : [addressOf(watchKey)],
  );
  if (addresses.length === 0 || !(await lockFound(trx, chain, addresses))) return async () => false;
  return async (observation) => {
    const { key, block } = observation;
    if (block === null || (await isListed(trx, chain, key))) return false;
    if (await wasExplained(trx, chain, key)) return true;
    const all = await findFound(trx, chain, observation);
    const found = all.find(({ rest }) => rest > 0n);
    if (found === undefined) return false;
    const amount = observation.amount < found.rest ? observation.amount : found.rest;
    await sql`
      insert into explained_payment (chain, observation_key, found_key, amount, block_height)
      values (${chain}, ${key}, ${found.key}, ${formatAmount(amount)}, ${block.height})`.execute(
      trx,
    );
    return !found.waits;
  };
}

/**
 * Locks what waits on these addresses, so that an operator's decision comes before or after.
 * @returns false when nothing was ever found there
 */
async function lockFound(trx: Trx, chain: ChainId, addresses: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ observation_key: string }>`
    select observation_key from found_money
    where chain = ${chain} and address = any(${[...addresses]}::text[])`.execute(trx);
  if (rows.length === 0) return false;
  const keys = rows.map(({ observation_key }) => observation_key);
  await sql`
    select 1 from unassigned where chain = ${chain} and observation_key = any(${keys}::text[])
    order by id for update`.execute(trx);
  return true;
}

/** Unassigned payments with a transaction of their own are in the books already. */
async function isListed(trx: Trx, chain: ChainId, key: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from unassigned where chain = ${chain} and observation_key = ${key}`.execute(trx);
  return rows.length > 0;
}

async function wasExplained(trx: Trx, chain: ChainId, key: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from explained_payment where chain = ${chain} and observation_key = ${key}`.execute(
    trx,
  );
  return rows.length > 0;
}

interface Found {
  key: string;
  /** No operator has decided about it. */
  waits: boolean;
  /** Not explained by a payment yet. */
  rest: Amount;
}

/** Money that comparisons found at the payment's block or later; the first has its own. */
async function findFound(
  trx: Trx,
  chain: ChainId,
  { watchKey, asset, block }: Observation,
): Promise<Found[]> {
  const { rows } = await sql<{ key: string; waits: boolean; rest: string }>`
    select f.observation_key as key, u.id is not null and u.settled_at is null as waits,
      coalesce(u.amount, t.amount) - coalesce((select sum(e.amount) from explained_payment e
        where e.chain = f.chain and e.found_key = f.observation_key), 0) as rest
    from found_money f
      left join unassigned u on u.chain = f.chain and u.observation_key = f.observation_key
      left join transaction t on t.chain = f.chain and t.observation_key = f.observation_key
    where f.chain = ${chain} and f.address = ${addressOf(watchKey)} and f.asset = ${asset}
      and f.height >= ${block?.height ?? 0} and (u.id is not null or t.id is not null)
    order by f.height, f.observation_key`.execute(trx);
  return rows.map(({ key, waits, rest }) => ({ key, waits, rest: parseAmount(rest) }));
}

/** Whether a credited payment explains money that waits; the next comparison takes it back. */
export async function isExplainedByNow(
  trx: Trx,
  { chain, observation_key: key }: { chain: string; observation_key: string },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from explained_payment where chain = ${chain} and found_key = ${key} limit 1`.execute(
    trx,
  );
  return rows.length > 0;
}

/**
 * Removes waiting money that credited payments explain, whatever else came to the address since.
 * @returns whether there was some
 */
export async function takeBackExplained(
  trx: Trx,
  { chain, watchKey, asset }: { chain: ChainId; watchKey: string; asset: string },
): Promise<boolean> {
  const { rows } = await sql`
    delete from unassigned u
    where u.chain = ${chain} and u.address = ${addressOf(watchKey)} and u.asset = ${asset}
      and u.settled_at is null and exists (select from explained_payment e
        where e.chain = u.chain and e.found_key = u.observation_key)
    returning 1`.execute(trx);
  return rows.length > 0;
}

/**
 * Remembers the height of the balance that showed this money. Its key can be that of money that was
 * taken off the list.
 */
export async function saveFound(
  trx: Trx,
  chain: ChainId,
  { key, address, asset, height }: { key: string; address: string; asset: string; height: number },
): Promise<void> {
  await sql`
    insert into found_money (chain, observation_key, address, asset, height)
    values (${chain}, ${key}, ${address}, ${asset}, ${height})
    on conflict (chain, observation_key) do update set height = excluded.height`.execute(trx);
  await sql`
    delete from explained_payment where chain = ${chain} and found_key = ${key}`.execute(trx);
}

/** The payments of blocks that left the chain explain nothing. */
export async function deleteExplainedAbove(
  trx: Trx,
  chain: ChainId,
  height: number,
): Promise<void> {
  await sql`delete from explained_payment where chain = ${chain} and block_height > ${height}`.execute(
    trx,
  );
}

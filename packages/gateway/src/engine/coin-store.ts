import { sql } from 'kysely';
import { formatAmount, parseAmount, toUnits } from '@crypto-checkout/protocol/amount';
import { type ChainId, KINDS } from '@crypto-checkout/protocol/kind';
import type { ChainAdapter, Observation } from '@crypto-checkout/chains/adapter';
import { isUtxoChain } from '@crypto-checkout/chains/bitcoin/network';
import type { Coin } from '@crypto-checkout/chains/bitcoin/send/coins';
import { FUNDING_KEY } from '@crypto-checkout/chains/bitcoin/send/own-key';
import { watchKeyOf } from '@crypto-checkout/chains/deposit-target';
import type { SendPlan } from '@crypto-checkout/chains/sender';
import type { Db, Trx } from '../database/database.ts';

/** Whether the wallet of this chain holds single outputs, which the database lists. */
export const hasCoins = (adapter: ChainAdapter | undefined): boolean =>
  adapter?.source === 'node' && isUtxoChain(adapter.chain);

/** The outputs of this wallet that may be spent; the node decides. */
export async function unspentCoins(db: Db, chain: ChainId): Promise<Coin[]> {
  const { rows } = await sql<{
    outpoint: string;
    watch_key: string;
    amount: string;
    branch: 0 | 1;
    key_index: string;
    in_block: boolean;
  }>`
    select c.outpoint, c.watch_key, c.amount::text as amount, c.branch, c.key_index::text as key_index, c.in_block
    from coin c where c.chain = ${chain} and not c.spent and (c.in_block or (c.branch = 1 and exists (
      select from outgoing_attempt t join outgoing p on p.id = t.outgoing_id
      -- a transaction that joins coins pays a low fee, and payouts do not wait for it
      where t.txid = split_part(c.outpoint, ':', 1) and p.purpose <> 'sweep'
        -- of several attempts another one can be mined
        and not exists (select from outgoing_attempt o where o.outgoing_id = t.outgoing_id and o.number <> t.number))))
    order by c.outpoint`.execute(db);
  const decimals = KINDS.find((kind) => kind.chain === chain)!.decimals;
  return rows.map(({ outpoint, watch_key, amount, branch, key_index, in_block }) => ({
    outpoint,
    units: toUnits(parseAmount(amount), decimals),
    address: watch_key.slice(watch_key.indexOf(':') + 1),
    branch,
    index: Number(key_index),
    isOwnChange: branch === 1 && !in_block,
  }));
}

/**
 * A scan shows an output twice that left its block meanwhile; the node decides whether it is deep.
 */
function onceEach(observations: readonly Observation[]): Observation[] {
  const inBlocks = observations.filter(({ block }) => block !== null);
  return [...new Map([...observations, ...inBlocks].map((one) => [one.key, one])).values()];
}

/** Lists what a scan found on addresses of this wallet. */
export async function saveCoins(
  trx: Trx,
  adapter: ChainAdapter | undefined,
  observations: readonly Observation[],
): Promise<void> {
  const observed = onceEach(observations.filter(({ amount }) => amount > 0n));
  if (adapter === undefined || !hasCoins(adapter) || observed.length === 0) return;
  const { chain } = adapter;
  const of = <T>(read: (observation: Observation) => T): T[] => observed.map(read);
  await sql`
    insert into coin as c (chain, outpoint, watch_key, amount, branch, key_index, in_block)
    select ${chain}, o.outpoint, o.watch_key, o.amount, k.branch, k.key_index, o.in_block
    from unnest(${of(({ key }) => key)}::text[], ${of(({ watchKey }) => watchKey)}::text[],
      ${of(({ amount }) => formatAmount(amount))}::numeric[], ${of(({ block }) => block !== null)}::boolean[])
      as o (outpoint, watch_key, amount, in_block)
    join (
      select watch_key, 0 as branch, key_index from deposit_target
        where watch_key = any(${of(({ watchKey }) => watchKey)}::text[]) and key_index is not null
      union all
      select watch_key, 1, key_index from change_key where watch_key = any(${of(({ watchKey }) => watchKey)}::text[])
    ) k using (watch_key)
    on conflict (chain, outpoint) do update set in_block = excluded.in_block
      where c.in_block is distinct from excluded.in_block`.execute(trx);
}

/** Those of the watch keys that hold change of our transactions, with the index of each key. */
export async function changeKeysAmong(
  db: Db,
  watchKeys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (watchKeys.length === 0) return new Map();
  const { rows } = await sql<{ watch_key: string; key_index: string }>`
    select watch_key, key_index::text as key_index from change_key
    where watch_key = any(${[...watchKeys]}::text[])`.execute(db);
  return new Map(rows.map(({ watch_key, key_index }) => [watch_key, Number(key_index)]));
}

/** Watches the address that an operator sends coins to; a later call changes nothing. */
export async function watchFunding(db: Db, chain: ChainId, address: string): Promise<void> {
  await sql`
    insert into change_key (watch_key, chain, key_index)
    values (${watchKeyOf(chain, address)}, ${chain}, ${FUNDING_KEY.index}) on conflict do nothing`.execute(
    db,
  );
}

const SENT_BY_OPERATOR =
  'sent to the address for funding: assign it to the wallet that pays out from it';
const SENT_TO_CHANGE = 'someone else paid an address for change of this wallet';

/**
 * Finds change among observations: that of our transactions, which is no payment, or the reason why
 * money of others on its address is unassigned. Null for every other address.
 */
export async function findChange(
  trx: Trx,
  adapter: ChainAdapter | undefined,
  observations: readonly Observation[],
): Promise<(observation: Observation) => string | null> {
  if (adapter === undefined || !hasCoins(adapter) || observations.length === 0) return () => null;
  const keys = await changeKeysAmong(
    trx,
    observations.map(({ watchKey }) => watchKey),
  );
  const { rows } = await sql<{ txid: string }>`
    select txid from outgoing_attempt
    where txid = any(${observations.map(({ txid }) => txid)}::text[])`.execute(trx);
  const own = new Set(rows.map(({ txid }) => txid));
  const others = observations.filter(({ watchKey, txid }) => keys.has(watchKey) && !own.has(txid));
  for (const txid of await sentElsewhere(trx, adapter.chain, others)) own.add(txid);
  return ({ watchKey, txid }) => {
    const index = keys.get(watchKey);
    if (index === undefined) return null;
    if (own.has(txid)) return 'own';
    return index === FUNDING_KEY.index ? SENT_BY_OPERATOR : SENT_TO_CHANGE;
  };
}

/** Those that spend outputs of this wallet: its owner sent a payout again from another wallet. */
async function sentElsewhere(
  trx: Trx,
  chain: ChainId,
  observations: readonly Observation[],
): Promise<string[]> {
  if (observations.length === 0) return [];
  const spent = observations.flatMap(({ txid, conflicts }) =>
    conflicts.map((outpoint) => ({ txid, outpoint })),
  );
  const { rows } = await sql<{ txid: string }>`
    select s.txid from unnest(${spent.map(({ txid }) => txid)}::text[], ${spent.map(({ outpoint }) => outpoint)}::text[])
      as s (txid, outpoint)
    where exists (select from outgoing_input i where i.chain = ${chain} and i.outpoint = s.outpoint)`.execute(
    trx,
  );
  return rows.map(({ txid }) => txid);
}

/** Index of a change key that no plan uses. */
export async function nextChangeIndex(db: Db, chain: ChainId): Promise<number> {
  const { rows } = await sql<{ next: string }>`
    select (coalesce(max(key_index), -1) + 1)::text as next from change_key where chain = ${chain}`.execute(
    db,
  );
  return Number(rows[0]?.next ?? 0);
}

/**
 * Reserves the inputs of a plan and watches the address of its change.
 * @throws Error when another open plan spends one of them; the caller must roll back
 */
export async function reserveInputs(
  trx: Trx,
  id: string,
  plan: SendPlan,
  inputs: readonly string[],
): Promise<void> {
  if (plan.family !== 'bitcoin') return;
  const { chain, change } = plan;
  await requireFinalParents(trx, chain, inputs);
  await sql`
    insert into outgoing_input (chain, outpoint, outgoing_id)
    select ${chain}, outpoint, ${id}::uuid from unnest(${[...inputs]}::text[]) as i (outpoint)
    on conflict (outgoing_id, outpoint) do nothing`.execute(trx);
  if (change === null) return;
  await sql`
    insert into change_key (watch_key, chain, key_index)
    values (${watchKeyOf(chain, change.address)}, ${chain}, ${change.index}) on conflict do nothing`.execute(
    trx,
  );
}

/**
 * Gives back the key for the change of a plan that is never sent, if it is the newest one.
 * Otherwise a signer that refuses again and again would leave a gap, in which other wallets find no
 * coins. The key for funding stays.
 */
export async function releaseChangeKey(trx: Trx, plan: SendPlan): Promise<void> {
  if (plan.family !== 'bitcoin' || plan.change === null) return;
  const { chain, change } = plan;
  await sql`
    delete from change_key k where k.watch_key = ${watchKeyOf(chain, change.address)} and k.key_index <> ${FUNDING_KEY.index}
      and k.key_index = (select max(key_index) from change_key where chain = ${chain})
      and not exists (select from coin c where c.chain = ${chain} and c.watch_key = k.watch_key)
      and not exists (
        select from outgoing o join outgoing_attempt t on t.outgoing_id = o.id
        where o.chain = ${chain} and o.open and t.plan -> 'change' ->> 'address' = ${change.address})`.execute(
    trx,
  );
}

/**
 * Change can be spent before its block only while its transaction has no replacement. The lock
 * keeps one from being stored meanwhile.
 */
async function requireFinalParents(
  trx: Trx,
  chain: ChainId,
  inputs: readonly string[],
): Promise<void> {
  const { rows } = await sql<{ attempts: number }>`
    select (select count(*)::int from outgoing_attempt t where t.outgoing_id = o.id) as attempts
    from outgoing o where o.id in (
      select t.outgoing_id from coin c join outgoing_attempt t on t.txid = split_part(c.outpoint, ':', 1)
      where c.chain = ${chain} and c.outpoint = any(${[...inputs]}::text[]) and not c.in_block)
    for share`.execute(trx);
  if (rows.some(({ attempts }) => attempts > 1))
    throw new Error('The transaction whose change is spent was replaced meanwhile');
}

/** The outputs that open plans of a chain spend. */
export async function takenInputs(db: Db, chain: ChainId): Promise<string[]> {
  const { rows } = await sql<{ outpoint: string }>`
    select outpoint from outgoing_input where chain = ${chain} and is_open`.execute(db);
  return rows.map(({ outpoint }) => outpoint);
}

/** Whether a later plan spends an output of one of these transactions. */
export async function isSpentFurther(db: Db | Trx, txids: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select 1 from outgoing_input where is_open and split_part(outpoint, ':', 1) = any(${[...txids]}::text[]) limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { type ChainId, kindOf } from '@crypto-checkout/protocol/kind';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { isService } from '../alarm/store.ts';
import type { Db, Trx } from '../database/database.ts';
import type { UnassignedTable } from '../database/tables/transaction.ts';

export type UnassignedRow = Selectable<UnassignedTable>;

/** Money that came to us and to nobody's invoice (an unknown tag), and where somebody put it. */
export type Unassigned = ReturnType<typeof present>;

export function present({ id, chain, txid, address, amount, asset, reason, seen_at, ...row }: UnassignedRow) {
  return {
    id,
    chain,
    txid,
    address,
    amount: formatAmount(parseAmount(amount)),
    currency: kindOf(asset)?.symbol ?? asset,
    reason,
    seen_at,
    account_id: row.account_id,
    wallet_id: row.wallet_id,
    settled_at: row.settled_at,
    settled_by: row.settled_by,
    settled_reason: row.settled_reason,
  };
}

/** What waits for somebody's decision, or was decided, newest first. */
export async function listUnassigned(db: Db, { settled, limit }: { settled: boolean; limit: number }): Promise<Unassigned[]> {
  const { rows } = await (
    settled
      ? sql<UnassignedRow>`select * from unassigned where settled_at is not null order by settled_at desc, id limit ${limit}`
      : sql<UnassignedRow>`select * from unassigned where settled_at is null order by seen_at desc, id limit ${limit}`
  ).execute(db);
  return rows.map(present);
}

/** What waits, for whoever runs the service and for nobody else: each with how many there are in all. */
export const unassignedOf = (
  accountId: string,
  limit: number,
): RawBuilder<{
  id: string;
  chain: string;
  txid: string | null;
  amount: string;
  asset: string;
  address: string;
  reason: string;
  seen_at: string;
  count?: number;
}> => sql`
  select id, chain, txid, amount, asset, address, reason, seen_at, count(*) over () as count from unassigned
  where settled_at is null and ${isService(accountId)} order by seen_at desc, id limit ${limit}`;

/** Locks one: what becomes of it is decided by whoever holds it. */
export async function lockUnassigned(trx: Trx, id: string): Promise<UnassignedRow | null> {
  const { rows } = await sql<UnassignedRow>`select * from unassigned where id = ${id} for update`.execute(trx);
  return rows[0] ?? null;
}

/** Which of these observations nobody owned until now, and whether somebody has decided about them; locked, so that nobody does meanwhile. */
export async function unassignedAmong(
  trx: Trx,
  chain: ChainId,
  keys: readonly string[],
): Promise<ReadonlyMap<string, { decided: boolean }>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<{ observation_key: string; decided: boolean }>`
    select observation_key, settled_at is not null as decided from unassigned
    where chain = ${chain} and observation_key = any(${[...keys]}::text[]) order by id for update`.execute(trx);
  return new Map(rows.map(({ observation_key, decided }) => [observation_key, { decided }]));
}

/** A transaction has it now. */
export async function forgetUnassigned(trx: Trx, chain: ChainId, key: string): Promise<void> {
  await sql`delete from unassigned where chain = ${chain} and observation_key = ${key} and settled_at is null`.execute(trx);
}

/** Whether a transaction has what was observed, after all. */
export async function isCredited(trx: Trx, { chain, observation_key }: UnassignedRow): Promise<boolean> {
  const { rows } = await sql`select 1 from transaction where chain = ${chain} and observation_key = ${observation_key}`.execute(trx);
  return rows.length > 0;
}

/** Of `unassigned u`: a payout took it to an address at which nobody pays us, so that it is not ours any more. */
export const paidAway = sql`
  exists (select from outgoing o where o.chain = u.chain and o.txid = u.txid and o.purpose = 'payout')
  and not exists (select from deposit_target d where d.watch_key = u.address or split_part(d.watch_key, ':', 2) = u.address)`;

export async function isPaidAway(trx: Trx, { id }: UnassignedRow): Promise<boolean> {
  const { rows } = await sql`select 1 from unassigned u where id = ${id} and ${paidAway}`.execute(trx);
  return rows.length > 0;
}

/** Whose address it came to; null where many share one, and for an address that was never given out. */
export async function invoiceAt(trx: Trx, watchKeys: readonly string[]): Promise<{ account_id: string; invoice_id: string } | null> {
  const { rows } = await sql<{ account_id: string; invoice_id: string }>`
    select account_id, invoice_id from deposit_target where watch_key = any(${[...watchKeys]}::text[]) limit 1`.execute(trx);
  return rows[0] ?? null;
}

export type Settlement = Pick<UnassignedRow, 'account_id' | 'wallet_id' | 'invoice_id' | 'settled_at' | 'settled_by' | 'settled_reason'>;

export async function saveSettlement(trx: Trx, id: string, settlement: Settlement): Promise<void> {
  await trx.updateTable('unassigned').set(settlement).where('id', '=', id).execute();
}

/** It lies on its address, with what else came there, until it is moved together (§2.9). */
export async function addDeposit(
  trx: Trx,
  { chain, asset, amount }: UnassignedRow,
  { account_id, wallet_id, invoice_id, settled_at }: Settlement,
): Promise<void> {
  await sql`
    insert into deposit as d (chain, invoice_id, asset, account_id, wallet_id, amount, since)
    values (${chain}, ${invoice_id}, ${asset}, ${account_id}, ${wallet_id}, ${amount}, ${settled_at})
    on conflict (chain, invoice_id, asset) do update set amount = d.amount + excluded.amount, since = coalesce(d.since, excluded.since)`.execute(
    trx,
  );
}

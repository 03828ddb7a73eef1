import type { UnexplainedFunds } from '@crypto-checkout/chains/adapter';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { type ChainId, kindOf } from '@crypto-checkout/protocol/kind';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { isService } from '../alarm/store.ts';
import type { Db, Trx } from '../database/database.ts';
import { paidAway } from '../ledger/paid-away.ts';
import type { UnassignedTable } from '../database/tables/transaction.ts';

export type UnassignedRow = Selectable<UnassignedTable>;

/** Received funds that match no invoice (e.g. an unknown tag), and how they were settled. */
export type Unassigned = ReturnType<typeof present>;

export function present({
  id,
  chain,
  txid,
  address,
  amount,
  asset,
  reason,
  seen_at,
  ...row
}: UnassignedRow) {
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

/** Unassigned funds that are waiting, or settled ones, newest first. */
export async function listUnassigned(
  db: Db,
  { settled, limit }: { settled: boolean; limit: number },
): Promise<Unassigned[]> {
  const { rows } = await (
    settled
      ? sql<UnassignedRow>`select * from unassigned where settled_at is not null order by settled_at desc, id limit ${limit}`
      : sql<UnassignedRow>`select * from unassigned where settled_at is null order by seen_at desc, id limit ${limit}`
  ).execute(db);
  return rows.map(present);
}

/** Selects waiting funds with their total count; empty for every account but the service's own. */
export const selectWaitingFunds = (
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

export async function findUnassigned(db: Db, id: string): Promise<UnassignedRow | null> {
  const { rows } = await sql<UnassignedRow>`select * from unassigned where id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** Locks a row for the decision about it. */
export async function lockUnassigned(trx: Trx, id: string): Promise<UnassignedRow | null> {
  const { rows } =
    await sql<UnassignedRow>`select * from unassigned where id = ${id} for update`.execute(trx);
  return rows[0] ?? null;
}

/** Locks the unassigned rows of these observations; `decided` is true for settled ones. */
export async function lockUnassignedByKeys(
  trx: Trx,
  chain: ChainId,
  keys: readonly string[],
): Promise<ReadonlyMap<string, { decided: boolean }>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<{ observation_key: string; decided: boolean }>`
    select observation_key, settled_at is not null as decided from unassigned
    where chain = ${chain} and observation_key = any(${[...keys]}::text[]) order by id for update`.execute(
    trx,
  );
  return new Map(rows.map(({ observation_key, decided }) => [observation_key, { decided }]));
}

/** Deletes waiting funds that are now credited as a transaction. */
export async function deleteUnassigned(trx: Trx, chain: ChainId, key: string): Promise<void> {
  await sql`delete from unassigned where chain = ${chain} and observation_key = ${key} and settled_at is null`.execute(
    trx,
  );
}

/** Settles funds without an operator. */
const GATEWAY = 'gateway';

/**
 * Deletes funds of blocks that left the chain, unless an operator decided about them; those that
 * are mined again are listed again.
 */
export async function deleteUnassignedAbove(
  trx: Trx,
  chain: ChainId,
  height: number,
): Promise<void> {
  await sql`delete from unassigned where chain = ${chain} and block_height > ${height}
    and (settled_at is null or settled_by = ${GATEWAY})`.execute(trx);
}

/** Reports whether the observation is credited as a transaction. */
export async function isCredited(
  trx: Trx,
  { chain, observation_key }: UnassignedRow,
): Promise<boolean> {
  const { rows } =
    await sql`select 1 from transaction where chain = ${chain} and observation_key = ${observation_key}`.execute(
      trx,
    );
  return rows.length > 0;
}

export async function isPaidAway(trx: Trx, { id }: UnassignedRow): Promise<boolean> {
  const { rows } = await sql`select 1 from unassigned u where id = ${id} and ${paidAway}`.execute(
    trx,
  );
  return rows.length > 0;
}

/** Account and invoice of the address; null for a shared address and for one never issued. */
export async function invoiceAt(
  trx: Trx,
  watchKeys: readonly string[],
): Promise<{ account_id: string; invoice_id: string } | null> {
  const { rows } = await sql<{ account_id: string; invoice_id: string }>`
    select account_id, invoice_id from deposit_target where watch_key = any(${[...watchKeys]}::text[]) limit 1`.execute(
    trx,
  );
  return rows[0] ?? null;
}

export type Settlement = Pick<
  UnassignedRow,
  'account_id' | 'wallet_id' | 'invoice_id' | 'settled_at' | 'settled_by' | 'settled_reason'
>;

export async function saveSettlement(trx: Trx, id: string, settlement: Settlement): Promise<void> {
  await trx.updateTable('unassigned').set(settlement).where('id', '=', id).execute();
}

/** Adds the amount to the deposit address, from where it is swept. */
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

/** Stores a payment that no operator has to decide about: no wallet gets it. */
export async function saveDismissed(
  trx: Trx,
  chain: ChainId,
  money: UnexplainedFunds,
  at: string,
): Promise<void> {
  const { key, txid, asset, address, amount, reason, height } = money;
  await sql`
    insert into unassigned (chain, observation_key, txid, asset, address, amount, reason, block_height, seen_at,
      settled_at, settled_by, settled_reason)
    values (${chain}, ${key}, ${txid}, ${asset}, ${address}, ${formatAmount(amount)}, ${reason}, ${height}, ${at},
      ${at}, ${GATEWAY}, ${reason})
    on conflict (chain, observation_key) do nothing`.execute(trx);
}

/**
 * Stores a payment without an invoice for the operator's unassigned list; repeating it changes
 * nothing.
 */
export async function saveUnassigned(
  trx: Trx,
  chain: ChainId,
  money: UnexplainedFunds,
  at: string,
): Promise<void> {
  const { key, txid, asset, address, amount, reason, height } = money;
  await sql`
    insert into unassigned (chain, observation_key, txid, asset, address, amount, reason, block_height, seen_at)
    values (${chain}, ${key}, ${txid}, ${asset}, ${address}, ${formatAmount(amount)}, ${reason}, ${height}, ${at})
    on conflict (chain, observation_key) do update set block_height = excluded.block_height
      where unassigned.settled_at is null`.execute(trx);
}

/** Height up to which payments of a chain were looked for; 0 before the first scan. */
export async function scannedHeight(db: Db, chain: ChainId): Promise<number> {
  const { rows } = await sql<{ height: number }>`
    select (cursor->>'height')::bigint as height from chain_cursor where chain = ${chain}`.execute(
    db,
  );
  return rows[0]?.height ?? 0;
}

import { sql } from 'kysely';
import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { RiskLevel } from '@crypto-checkout/protocol/status';
import { milliseconds, timestamp, type Db, type Trx } from '../database/database.ts';
import type { BlockReference } from '@crypto-checkout/chains/cursor';

export type TransactionState = 'mempool' | 'block' | 'replaced' | 'dropped' | 'failed';

export interface SandboxOutput {
  asset: string;
  address: string;
  watchKey: string;
  amount: Amount;
}

/** Facts about a payment for the checks that use other sources on a real chain. */
export interface SandboxFlags {
  /** Result of the risk check. */
  risk?: RiskLevel | undefined;
  /** The sender can still replace it, so it is not safe without a confirmation. */
  replaceable?: boolean | undefined;
}

export interface SandboxTransaction {
  chain: ChainId;
  txid: string;
  state: TransactionState;
  conflicts: string[];
  replacedBy: string | null;
}

export interface SandboxBlock extends BlockReference {
  parent: string | null;
  time: number;
}

export interface StoredOutput extends SandboxOutput {
  txid: string;
  slot: number;
  conflicts: string[];
  /** Null in the mempool. */
  blockHash: string | null;
}

/** The tip, with the chain's row locked: concurrent changes of a chain wait for each other. */
export async function lockChain(trx: Trx, chain: ChainId): Promise<BlockReference> {
  return firstRow(
    await sql<BlockReference>`select height, hash from sandbox_chain where chain = ${chain} for update`.execute(
      trx,
    ),
  );
}

/** The tip, and whether the mempool has transactions: the one query of an idle chain. */
export async function readTip(
  db: Db | Trx,
  chain: ChainId,
): Promise<BlockReference & { hasMempool: boolean }> {
  return firstRow(
    await sql<BlockReference & { hasMempool: boolean }>`
      select height, hash, exists (
        select 1 from sandbox_transaction t where t.chain = c.chain and t.state = 'mempool') as "hasMempool"
      from sandbox_chain c where chain = ${chain}`.execute(db),
  );
}

export async function insertTransaction(
  trx: Trx,
  { chain, txid, conflicts }: Pick<SandboxTransaction, 'chain' | 'txid' | 'conflicts'>,
  outputs: readonly SandboxOutput[],
  { risk, replaceable }: SandboxFlags = {},
): Promise<void> {
  await sql`insert into sandbox_transaction (chain, txid, state, conflicts, risk, replaceable)
    values (${chain}, ${txid}, 'mempool', ${conflicts}, ${risk ?? null}, ${replaceable ?? false})`.execute(
    trx,
  );
  for (const [slot, { asset, address, watchKey, amount }] of outputs.entries()) {
    await sql`insert into sandbox_output (chain, txid, slot, asset, address, watch_key, amount)
      values (${chain}, ${txid}, ${slot}, ${asset}, ${address}, ${watchKey}, ${formatAmount(amount)})`.execute(
      trx,
    );
  }
}

/**
 * A payment into an empty mempool starts the wait for the next block, however long the chain was
 * idle.
 */
export async function startBlockTimer(trx: Trx, chain: ChainId, realNow: number): Promise<void> {
  await sql`update sandbox_chain set mined_at_real = ${timestamp(realNow)}
    where chain = ${chain} and not exists (select 1 from sandbox_transaction where chain = ${chain} and state = 'mempool')`.execute(
    trx,
  );
}

/** Appends blocks; the first one takes the whole mempool. */
export async function appendBlocks(
  trx: Trx,
  chain: ChainId,
  blocks: readonly SandboxBlock[],
  realNow: number,
): Promise<void> {
  const [first] = blocks;
  const last = blocks.at(-1);
  if (first === undefined || last === undefined) return;
  await sql`insert into sandbox_block (chain, hash, parent, height, time)
    select ${chain}, * from unnest(
      ${blocks.map(({ hash }) => hash)}::text[], ${blocks.map(({ parent }) => parent)}::text[],
      ${blocks.map(({ height }) => height)}::bigint[], ${blocks.map(({ time }) => timestamp(time))}::timestamptz[])`.execute(
    trx,
  );
  await sql`update sandbox_chain set height = ${last.height}, hash = ${last.hash}, mined_at_real = ${timestamp(realNow)}
    where chain = ${chain}`.execute(trx);
}

export async function mineMempool(trx: Trx, chain: ChainId, blockHash: string): Promise<void> {
  await sql`update sandbox_transaction set state = 'block', block_hash = ${blockHash}
    where chain = ${chain} and state = 'mempool'`.execute(trx);
}

/** Removes every block above a height. Their transactions return to the mempool or are dropped. */
export async function removeBlocksAbove(
  trx: Trx,
  chain: ChainId,
  height: number,
  then: 'mempool' | 'dropped',
): Promise<void> {
  await sql`update sandbox_transaction t set state = ${then}, block_hash = null
    from sandbox_block b
    where b.chain = t.chain and b.hash = t.block_hash and t.chain = ${chain} and b.best and b.height > ${height}`.execute(
    trx,
  );
  await sql`update sandbox_block set best = false where chain = ${chain} and best and height > ${height}`.execute(
    trx,
  );
}

export async function blockAt(trx: Trx, chain: ChainId, height: number): Promise<BlockReference> {
  return firstRow(await selectBlockAt(trx, chain, height));
}

export async function findBlockAt(
  db: Db,
  chain: ChainId,
  height: number,
): Promise<BlockReference | null> {
  return (await selectBlockAt(db, chain, height)).rows[0] ?? null;
}

function selectBlockAt(db: Db | Trx, chain: ChainId, height: number) {
  return sql<BlockReference>`select height, hash from sandbox_block where chain = ${chain} and height = ${height} and best`.execute(
    db,
  );
}

export async function findTransaction(
  db: Db | Trx,
  txid: string,
): Promise<SandboxTransaction | undefined> {
  const { rows } =
    await sql<SandboxTransaction>`select chain, txid, state, conflicts, replaced_by as "replacedBy"
    from sandbox_transaction where txid = ${txid} limit 1`.execute(db);
  return rows[0];
}

/** The transaction in a block or in the mempool with this first input. */
export async function findSpender(
  trx: Trx,
  chain: ChainId,
  input: string,
): Promise<SandboxTransaction | undefined> {
  const { rows } =
    await sql<SandboxTransaction>`select chain, txid, state, conflicts, replaced_by as "replacedBy"
    from sandbox_transaction where chain = ${chain} and conflicts[1] = ${input}
      and state in ('mempool', 'block') limit 1`.execute(trx);
  return rows[0];
}

export async function setState(
  trx: Trx,
  { chain, txid }: Pick<SandboxTransaction, 'chain' | 'txid'>,
  state: Exclude<TransactionState, 'block'>,
  replacedBy: string | null = null,
): Promise<void> {
  await sql`update sandbox_transaction set state = ${state}, block_hash = null, replaced_by = ${replacedBy}
    where chain = ${chain} and txid = ${txid}`.execute(trx);
}

export async function statesOf(
  db: Db | Trx,
  chain: ChainId,
  txids: readonly string[],
): Promise<SandboxTransaction[]> {
  const { rows } =
    await sql<SandboxTransaction>`select chain, txid, state, conflicts, replaced_by as "replacedBy"
    from sandbox_transaction where chain = ${chain} and txid = any(${[...new Set(txids)]}::text[])`.execute(
      db,
    );
  return rows;
}

export async function hashesOnBestChain(
  db: Db | Trx,
  chain: ChainId,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ hash: string }>`select hash from sandbox_block
    where chain = ${chain} and best and hash = any(${hashes}::text[])`.execute(db);
  return new Set(rows.map(({ hash }) => hash));
}

export async function blocksAfter(
  db: Db | Trx,
  chain: ChainId,
  height: number,
  limit: number,
): Promise<SandboxBlock[]> {
  const { rows } = await sql<
    Omit<SandboxBlock, 'time'> & { time: string }
  >`select height, hash, parent, time from sandbox_block
    where chain = ${chain} and best and height > ${height} order by height limit ${limit}`.execute(
    db,
  );
  return rows.map((row) => ({ ...row, time: milliseconds(row.time) }));
}

export async function outputsOf(
  db: Db | Trx,
  chain: ChainId,
  txid: string,
): Promise<StoredOutput[]> {
  return readOutputs(db, sql`o.chain = ${chain} and o.txid = ${txid}`);
}

export async function outputsInBlocks(
  db: Db | Trx,
  chain: ChainId,
  hashes: readonly string[],
): Promise<StoredOutput[]> {
  return readOutputs(db, sql`o.chain = ${chain} and t.block_hash = any(${hashes}::text[])`);
}

export async function outputsInMempool(db: Db | Trx, chain: ChainId): Promise<StoredOutput[]> {
  return readOutputs(db, sql`o.chain = ${chain} and t.state = 'mempool'`);
}

async function readOutputs(db: Db | Trx, where: ReturnType<typeof sql>): Promise<StoredOutput[]> {
  const { rows } = await sql<Omit<StoredOutput, 'amount'> & { amount: string }>`
    select o.txid, o.slot, o.asset, o.address, o.watch_key as "watchKey", o.amount, t.conflicts, t.block_hash as "blockHash"
    from sandbox_output o join sandbox_transaction t on t.chain = o.chain and t.txid = o.txid
    where ${where} order by t.number, o.slot`.execute(db);
  return rows.map((row) => ({ ...row, amount: parseAmount(row.amount) }));
}

/**
 * Chains whose next block is due: the mempool has transactions, or one of our transactions is not
 * final yet.
 */
export async function chainsDue(db: Db, minedBefore: number): Promise<ChainId[]> {
  const { rows } = await sql<{ chain: ChainId }>`select chain from sandbox_chain c
    where c.mined_at_real <= ${timestamp(minedBefore)} and c.chain <> 'lightning' and (
      exists (select 1 from sandbox_transaction t where t.chain = c.chain and t.state = 'mempool')
      or exists (select 1 from payout o where o.chain = c.chain and o.status = 'confirmed')
      or exists (select 1 from sweep o where o.chain = c.chain and o.status in ('topping_up', 'sending'))
      or exists (select 1 from transaction o where o.chain = c.chain and o.status in ('pending', 'confirmed') and o.block_height is not null))`.execute(
    db,
  );
  return rows.map(({ chain }) => chain);
}

function firstRow<T>({ rows }: { rows: T[] }): T {
  const [row] = rows;
  if (row === undefined)
    throw new Error('Unknown sandbox chain or block: the migration did not run');
  return row;
}

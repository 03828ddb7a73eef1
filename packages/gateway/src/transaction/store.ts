import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { TransactionEvent } from '@crypto-checkout/protocol/event';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { OpenTransaction } from '@crypto-checkout/chains/adapter';
import { runConcurrently, type Db, type Trx } from '../database/database.ts';
import { recordset, type ColumnType } from '../database/recordset.ts';
import type { TransactionTable } from '../database/tables/transaction.ts';
import type { InvoiceRow } from '../invoice/store.ts';

/** A row of `transaction`, with amounts and times as the database returns them. */
export interface TransactionRow extends Omit<
  Selectable<TransactionTable>,
  | 'events'
  | 'confirmations'
  | 'version'
  | 'quarantined'
  | 'risk_tries'
  | 'owed'
  | 'must_compare'
  | 'finalized'
  | 'refunded'
  | 'late_accepted'
> {
  events: TransactionEvent[];
  confirmations: number;
  version: number;
  quarantined: boolean;
  risk_tries: number;
  owed: boolean;
  must_compare: boolean;
  finalized: boolean;
  /** Sum of its refunds, without rejected and failed ones. */
  refunded: string;
  late_accepted: boolean;
}

const OPEN = sql`status in ('pending', 'confirmed', 'unconfirmed', 'quarantined')`;
/** Complete, and not yet at or below the chain's own finalized block. */
const NOT_FINALIZED = sql`(status = 'complete' and credit = 'pending')`;
/** Limit of the open transactions passed to an adapter in one scan. */
const OPEN_LIMIT = 50_000;

/** Transactions that are not final, which the adapter checks in each scan. */
export async function openTransactions(db: Db, chain: ChainId): Promise<OpenTransaction[]> {
  const { rows } = await sql<
    Pick<TransactionRow, 'observation_key' | 'txid' | 'conflicts' | 'block_height' | 'block_hash'>
  >`
    select observation_key, txid, conflicts, block_height, block_hash from transaction
    where chain = ${chain} and (${OPEN} or ${NOT_FINALIZED} or credit = 'frozen' or owed)
    order by created_at desc limit ${OPEN_LIMIT}`.execute(db);
  return rows.map((row) => ({
    key: row.observation_key,
    txid: row.txid,
    conflicts: row.conflicts,
    block:
      row.block_height === null || row.block_hash === null
        ? null
        : { height: row.block_height, hash: row.block_hash },
  }));
}

export interface AffectedQuery {
  chain: ChainId;
  /** Observation keys in the events of the scan. */
  keys: readonly string[];
  /** Blocks above this height left the best chain. */
  rollbackTo: number | null;
  tip: number;
  /** Height of the chain's own finalized block; null without one. */
  finalized: number | null;
}

/**
 * Invoices that a scan can change besides those with new payments: they have a transaction that is
 * named in the events, rolled back or reaches a depth.
 */
export async function affectedInvoices(
  trx: Trx,
  { chain, keys, rollbackTo, tip, finalized }: AffectedQuery,
): Promise<string[]> {
  const { rows } = await sql<{ invoice_id: string }>`
    select invoice_id from transaction where chain = ${chain} and observation_key = any(${[...keys]}::text[])
    union
    select invoice_id from transaction where chain = ${chain} and block_height > ${rollbackTo ?? Number.MAX_SAFE_INTEGER}
    union
    select invoice_id from transaction where ${isNewTip(chain, tip)} and chain = ${chain} and ${OPEN} and ${reachesDepth(tip)}
    union
    select invoice_id from transaction where chain = ${chain} and ${OPEN} and ${isFinalized(finalized)}
    union
    select invoice_id from transaction where chain = ${chain} and ${NOT_FINALIZED} and ${isFinalized(finalized)}
    union
    select invoice_id from transaction where chain = ${chain} and credit = 'frozen' and status = 'complete' and block_height is not null
    union
    select invoice_id from transaction where chain = ${chain} and owed`.execute(trx);
  return rows.map((row) => row.invoice_id);
}

/**
 * False while the tip is unchanged, and so are all depths. PostgreSQL evaluates it once and then
 * reads no rows.
 */
const isNewTip = (chain: ChainId, tip: number) =>
  sql`(select tip from chain_cursor where chain = ${chain}) is distinct from ${tip}`;

/**
 * The status of a mined transaction may change at this tip, because its depth crosses a threshold.
 * A quarantined transaction changes only by a release.
 */
const reachesDepth = (tip: number) => sql`block_height is not null and status <> 'quarantined' and (
  ${tip} - block_height + 1 >= final_confirmations
  or (status in ('pending', 'unconfirmed') and ${tip} - block_height + 1 >= required_confirmations)
  or (status = 'confirmed' and ${tip} - block_height + 1 < required_confirmations))`;

const isFinalized = (height: number | null) =>
  sql`not finalized and block_height <= ${height ?? -1}`;

/**
 * Transactions of locked invoices: all of an invoice with an amount, only those that can change of
 * a reusable address, which may have any number. The lateral join with `offset 0` forces one index
 * lookup per invoice: without it the planner may read every transaction of the chain.
 */
export async function transactionsOf(
  trx: Trx,
  invoices: readonly Pick<InvoiceRow, 'id' | 'requested_text'>[],
  changing: AffectedQuery | { ids: readonly string[] },
): Promise<TransactionRow[]> {
  const idsOf = (hasAmount: boolean) =>
    invoices
      .filter(({ requested_text }) => (requested_text !== null) === hasAmount)
      .map(({ id }) => id);
  const found = async (ids: string[], which: RawBuilder<unknown>): Promise<TransactionRow[]> => {
    if (ids.length === 0) return [];
    const { rows } = await sql<TransactionRow>`
      select t.* from unnest(${ids}::uuid[]) as one(id)
      cross join lateral (select * from (select * from transaction where invoice_id = one.id offset 0) all_of_it where ${which}) t`.execute(
      trx,
    );
    return rows;
  };
  return [
    ...(await found(idsOf(true), sql`true`)),
    ...(await found(idsOf(false), isChanging(changing))),
  ];
}

function isChanging(changing: AffectedQuery | { ids: readonly string[] }) {
  if ('ids' in changing) return sql`id = any(${[...changing.ids]}::uuid[])`;
  const { chain, keys, rollbackTo, tip, finalized } = changing;
  return sql`chain = ${chain} and (observation_key = any(${[...keys]}::text[])
    or block_height > ${rollbackTo ?? Number.MAX_SAFE_INTEGER}
    or (${OPEN} and ${reachesDepth(tip)})
    or ((${OPEN} or ${NOT_FINALIZED}) and ${isFinalized(finalized)})
    or (credit = 'frozen' and status = 'complete' and block_height is not null)
    or (zero_conf_status = 'confirmed' and block_height is null) or owed)`;
}

const COLUMNS = {
  account_id: 'uuid',
  id: 'uuid',
  chain: 'text',
  observation_key: 'text',
  txid: 'text',
  kind: 'text',
  asset: 'text',
  invoice_id: 'uuid',
  profile_id: 'uuid',
  wallet_id: 'uuid',
  counted: 'boolean',
  quote_number: 'integer',
  required_confirmations: 'integer',
  final_confirmations: 'integer',
  created_at: 'timestamptz',
  late: 'boolean',
  risk_due_real: 'timestamptz',
  risk_tries: 'integer',
  must_compare: 'boolean',
} as const satisfies Partial<Record<keyof TransactionRow, ColumnType>>;

/** Columns that may change after the insert. */
const CHANGING = {
  status: 'text',
  amount: 'numeric',
  confirmations: 'integer',
  block_height: 'bigint',
  block_hash: 'text',
  in_mempool: 'boolean',
  conflicts: 'text[]',
  replaced_by: 'text',
  failure: 'text',
  credit: 'text',
  zero_conf_status: 'text',
  risk_level: 'text',
  risk_data: 'jsonb',
  quotes: 'jsonb',
  currency_rates: 'jsonb',
  executed_at: 'timestamptz',
  confirmed_at: 'timestamptz',
  events: 'text[]',
  version: 'bigint',
  updated_at: 'timestamptz',
  quarantined: 'boolean',
  quarantined_by: 'text',
  released_by: 'text',
  owed: 'boolean',
  finalized: 'boolean',
  refunded: 'numeric',
} as const satisfies Partial<Record<keyof TransactionRow, ColumnType>>;

const newRows = recordset({ ...COLUMNS, ...CHANGING });
const changedRows = recordset({ id: 'uuid', ...CHANGING });
const NAMES = sql.raw(Object.keys({ ...COLUMNS, ...CHANGING }).join(', '));
const CHANGES = sql.raw(
  Object.keys(CHANGING)
    .map((name) => `${name} = r.${name}`)
    .join(', '),
);

/**
 * Writes new and changed transactions with one statement each. Both are sent before any later
 * statement of the caller.
 */
export async function saveTransactions(
  trx: Trx,
  inserted: readonly TransactionRow[],
  updated: readonly TransactionRow[],
): Promise<void> {
  const insert = sql`insert into transaction (${NAMES}) select ${NAMES} from ${newRows(inserted)} as r`;
  const update = sql`update transaction t set ${CHANGES} from ${changedRows(updated)} as r where t.id = r.id`;
  await runConcurrently(
    ...(inserted.length > 0 ? [insert.execute(trx)] : []),
    ...(updated.length > 0 ? [update.execute(trx)] : []),
  );
}

/**
 * Saves new depths of transactions whose status stays the same. Call it before the cursor is saved.
 */
export async function saveDepths(trx: Trx, chain: ChainId, tip: number, at: string): Promise<void> {
  await sql`update transaction set confirmations = greatest(0, ${tip} - block_height + 1), version = version + 1, updated_at = ${at}
    where ${isNewTip(chain, tip)} and chain = ${chain} and ${OPEN} and block_height is not null
      and confirmations <> greatest(0, ${tip} - block_height + 1)`.execute(trx);
}

/** Pending transactions without a block, first seen before `before`. */
export async function unminedTransactions(
  trx: Trx,
  before: string,
  limit: number,
): Promise<{ id: string; invoice_id: string }[]> {
  const { rows } = await sql<{ id: string; invoice_id: string }>`
    select id, invoice_id from transaction where status = 'pending' and block_height is null and created_at < ${before}
    order by created_at limit ${limit}`.execute(trx);
  return rows;
}

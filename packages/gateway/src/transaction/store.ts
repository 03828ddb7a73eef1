import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { TransactionEvent } from '@crypto-checkout/protocol/event';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { OpenTransaction } from '../chain/adapter.ts';
import { sideBySide, type Db, type Trx } from '../database/database.ts';
import { countRows } from '../database/list-count.ts';
import { recordset, type ColumnType } from '../database/recordset.ts';
import type { TransactionTable } from '../database/tables/transaction.ts';
import { hasAddress } from '../invoice/by-address.ts';
import { invoiceRows, type InvoiceRow } from '../invoice/store.ts';
import { txidForms } from './txid.ts';

/** A transaction as it is stored; amounts and times as the database writes them. */
export interface TransactionRow extends Omit<
  Selectable<TransactionTable>,
  'events' | 'confirmations' | 'version' | 'quarantined' | 'risk_tries' | 'owed'
> {
  events: TransactionEvent[];
  confirmations: number;
  version: number;
  quarantined: boolean;
  risk_tries: number;
  owed: boolean;
}

const OPEN = sql`status in ('pending', 'confirmed', 'unconfirmed', 'quarantined')`;
/** Transactions that an adapter is asked to look after in one scan. */
const OPEN_LIMIT = 50_000;

/** Transactions that are not final: an adapter looks whether they are still there. */
export async function openTransactions(db: Db, chain: ChainId): Promise<OpenTransaction[]> {
  const { rows } = await sql<Pick<TransactionRow, 'observation_key' | 'txid' | 'conflicts' | 'block_height' | 'block_hash'>>`
    select observation_key, txid, conflicts, block_height, block_hash from transaction
    where chain = ${chain} and (${OPEN} or credit = 'frozen' or owed)
    order by created_at desc limit ${OPEN_LIMIT}`.execute(db);
  return rows.map((row) => ({
    key: row.observation_key,
    txid: row.txid,
    conflicts: row.conflicts,
    block: row.block_height === null || row.block_hash === null ? null : { height: row.block_height, hash: row.block_hash },
  }));
}

export interface AffectedQuery {
  chain: ChainId;
  /** Observations that events name. */
  keys: readonly string[];
  /** Blocks above it left the best chain. */
  rollbackTo: number | null;
  tip: number;
}

/** Invoices that a scan can change beside those that it saw paid: with a transaction that it names, that is rolled back or reaches a depth. */
export async function affectedInvoices(trx: Trx, { chain, keys, rollbackTo, tip }: AffectedQuery): Promise<string[]> {
  const { rows } = await sql<{ invoice_id: string }>`
    select invoice_id from transaction where chain = ${chain} and observation_key = any(${[...keys]}::text[])
    union
    select invoice_id from transaction where chain = ${chain} and block_height > ${rollbackTo ?? Number.MAX_SAFE_INTEGER}
    union
    select invoice_id from transaction where ${isNewTip(chain, tip)} and chain = ${chain} and ${OPEN} and ${reachesDepth(tip)}
    union
    select invoice_id from transaction where chain = ${chain} and credit = 'frozen' and status = 'complete' and block_height is not null
    union
    select invoice_id from transaction where chain = ${chain} and owed`.execute(trx);
  return rows.map((row) => row.invoice_id);
}

/** With the tip of the look before everything is as deep as it was; asked once for a statement, which then reads no row. */
const isNewTip = (chain: ChainId, tip: number) => sql`(select tip from chain_cursor where chain = ${chain}) is distinct from ${tip}`;

/** The status of a transaction in a block may change at this tip: it is deep enough, or not any more. What is held waits for a decision. */
const reachesDepth = (tip: number) => sql`block_height is not null and status <> 'quarantined' and (
  ${tip} - block_height + 1 >= final_confirmations
  or (status in ('pending', 'unconfirmed') and ${tip} - block_height + 1 >= required_confirmations)
  or (status = 'confirmed' and ${tip} - block_height + 1 < required_confirmations))`;

/**
 * Transactions of locked invoices: all of them where a sum is to be matched; of a reusable address, which may have any number,
 * only those that can change. Each invoice is looked up for itself, whatever the database has counted: left to its choice, it once read
 * every transaction of the chain (`offset 0` keeps the conditions out of the lookup).
 */
export async function transactionsOf(
  trx: Trx,
  invoices: readonly Pick<InvoiceRow, 'id' | 'requested_text'>[],
  changing: AffectedQuery | { ids: readonly string[] },
): Promise<TransactionRow[]> {
  const idsOf = (fixed: boolean) => invoices.filter(({ requested_text }) => (requested_text !== null) === fixed).map(({ id }) => id);
  const found = async (ids: string[], which: RawBuilder<unknown>): Promise<TransactionRow[]> => {
    if (ids.length === 0) return [];
    const { rows } = await sql<TransactionRow>`
      select t.* from unnest(${ids}::uuid[]) as one(id)
      cross join lateral (select * from (select * from transaction where invoice_id = one.id offset 0) all_of_it where ${which}) t`.execute(
      trx,
    );
    return rows;
  };
  return [...(await found(idsOf(true), sql`true`)), ...(await found(idsOf(false), isChanging(changing)))];
}

function isChanging(changing: AffectedQuery | { ids: readonly string[] }) {
  if ('ids' in changing) return sql`id = any(${[...changing.ids]}::uuid[])`;
  const { chain, keys, rollbackTo, tip } = changing;
  return sql`chain = ${chain} and (observation_key = any(${[...keys]}::text[])
    or block_height > ${rollbackTo ?? Number.MAX_SAFE_INTEGER}
    or (${OPEN} and ${reachesDepth(tip)})
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
  amount: 'numeric',
  required_confirmations: 'integer',
  final_confirmations: 'integer',
  created_at: 'timestamptz',
  late: 'boolean',
  risk_due_real: 'timestamptz',
  risk_tries: 'integer',
} as const satisfies Partial<Record<keyof TransactionRow, ColumnType>>;

/** What may change in a row that is there. */
const CHANGING = {
  status: 'text',
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
} as const satisfies Partial<Record<keyof TransactionRow, ColumnType>>;

const newRows = recordset({ ...COLUMNS, ...CHANGING });
const changedRows = recordset({ id: 'uuid', ...CHANGING });
const NAMES = sql.raw(Object.keys({ ...COLUMNS, ...CHANGING }).join(', '));
const CHANGES = sql.raw(
  Object.keys(CHANGING)
    .map((name) => `${name} = r.${name}`)
    .join(', '),
);

/** Writes new and changed transactions, each kind in one statement, however many there are, before whatever else the caller sends. */
export async function saveTransactions(trx: Trx, inserted: readonly TransactionRow[], updated: readonly TransactionRow[]): Promise<void> {
  const insert = sql`insert into transaction (${NAMES}) select ${NAMES} from ${newRows(inserted)} as r`;
  const update = sql`update transaction t set ${CHANGES} from ${changedRows(updated)} as r where t.id = r.id`;
  await sideBySide(...(inserted.length > 0 ? [insert.execute(trx)] : []), ...(updated.length > 0 ? [update.execute(trx)] : []));
}

/** New depths of transactions whose status does not change by it, before the cursor is saved. */
export async function saveDepths(trx: Trx, chain: ChainId, tip: number, at: string): Promise<void> {
  await sql`update transaction set confirmations = greatest(0, ${tip} - block_height + 1), version = version + 1, updated_at = ${at}
    where ${isNewTip(chain, tip)} and chain = ${chain} and ${OPEN} and block_height is not null
      and confirmations <> greatest(0, ${tip} - block_height + 1)`.execute(trx);
}

/** Transactions outside of a block, first seen before `before`. */
export async function waitingSince(trx: Trx, before: string, limit: number): Promise<{ id: string; invoice_id: string }[]> {
  const { rows } = await sql<{ id: string; invoice_id: string }>`
    select id, invoice_id from transaction where status = 'pending' and block_height is null and created_at < ${before}
    order by created_at limit ${limit}`.execute(trx);
  return rows;
}

/** What the presentation of a transaction needs beside it. */
export interface Beside {
  /** Sum of the live transactions that came before it to the same invoice, for the custom fee. */
  paid_before: string;
  invoice: InvoiceRow;
}

export interface TransactionView extends TransactionRow, Beside {}

/** As a GET shows them, in no particular order. */
export async function findTransactions(db: Db | Trx, ids: readonly string[], accountId?: string): Promise<TransactionView[]> {
  const { rows } = await sql<TransactionRow>`select * from transaction where id = any(${[...ids]}::uuid[])`.execute(db);
  return withInvoices(db, accountId === undefined ? rows : rows.filter((row) => row.account_id === accountId));
}

export interface TransactionFilter {
  txid?: string | undefined;
  address?: string | undefined;
  invoice_id?: string | undefined;
  profile_id?: string | undefined;
  /** From this time on. */
  from?: string | undefined;
  /** Before this time. */
  before?: string | undefined;
  /** Null finds those without an analysis. */
  risk_level?: string | null | undefined;
}

/** One page, newest first, and how many there are in all. */
export async function listTransactions(
  db: Db,
  accountId: string,
  filter: TransactionFilter,
  { limit, offset, now }: { limit: number; offset: number; now: number },
): Promise<{ rows: TransactionView[]; count: number }> {
  const narrowed = conditions(accountId, filter);
  const where = sql`t.account_id = ${accountId} and ${sql.join(narrowed, sql` and `)}`;
  const [page, total] = await Promise.all([
    sql<TransactionRow>`
      select t.* from transaction t where ${where}
      order by t.created_at desc, t.number desc limit ${limit} offset ${offset}`.execute(db),
    // The whole list is counted in part only.
    narrowed.length === 1
      ? countRows(db, 'transaction', accountId, now)
      : sql<{ count: number }>`select count(*) as count from transaction t where ${where}`
          .execute(db)
          .then(({ rows }) => rows[0]?.count ?? 0),
  ]);
  return { rows: await withInvoices(db, page.rows), count: total };
}

function conditions(accountId: string, filter: TransactionFilter) {
  const { txid, address, invoice_id, profile_id, from, before, risk_level } = filter;
  return [
    sql`true`,
    ...(txid === undefined ? [] : [sql`t.txid = any(${txidForms(txid)}::text[])`]),
    ...(address === undefined
      ? []
      : [sql`t.invoice_id in (select i.id from invoice i where i.account_id = ${accountId} and ${hasAddress(address)})`]),
    ...(invoice_id === undefined ? [] : [sql`t.invoice_id = ${invoice_id}`]),
    ...(profile_id === undefined ? [] : [sql`t.profile_id = ${profile_id}`]),
    ...(from === undefined ? [] : [sql`t.created_at >= ${from}`]),
    ...(before === undefined ? [] : [sql`t.created_at < ${before}`]),
    ...(risk_level === undefined ? [] : [risk_level === null ? sql`t.risk_level is null` : sql`t.risk_level = ${risk_level}`]),
  ];
}

async function withInvoices(db: Db | Trx, rows: readonly TransactionRow[]): Promise<TransactionView[]> {
  const invoices = await invoiceRows(db, [...new Set(rows.map((row) => row.invoice_id))]);
  const byId = new Map(invoices.map((invoice) => [invoice.id, invoice]));
  const before = await paidBefore(
    db,
    invoices.filter(({ fee_amount }) => fee_amount !== null).map(({ id }) => id),
  );
  return rows.map((row) => {
    const invoice = byId.get(row.invoice_id);
    if (!invoice) throw new Error(`Transaction ${row.id} has no invoice`);
    return { ...row, invoice, paid_before: before.get(row.id) ?? '0' };
  });
}

/** Per transaction of these invoices, what came before it. */
export async function paidBefore(db: Db | Trx, invoiceIds: readonly string[]): Promise<Map<string, string>> {
  if (invoiceIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; before: string }>`
    select id, coalesce(sum(amount) filter (where counted and status not in ('replaced', 'failed', 'quarantined')
        and (in_mempool or block_height is not null)) over earlier, 0)::text as before
    from transaction where invoice_id = any(${[...invoiceIds]}::uuid[])
    window earlier as (partition by invoice_id order by created_at, number rows between unbounded preceding and 1 preceding)`.execute(db);
  return new Map(rows.map(({ id, before }) => [id, before]));
}

/** Depths of the given transactions of an account; unknown ids are left out. */
export async function confirmationsOf(db: Db, accountId: string, ids: readonly string[]): Promise<{ id: string; confirmations: number }[]> {
  const { rows } = await sql<{ id: string; account_id: string; confirmations: number }>`
    select id, account_id, confirmations from transaction where id = any(${[...ids]}::uuid[])`.execute(db);
  return rows.filter((row) => row.account_id === accountId).map(({ id, confirmations }) => ({ id, confirmations }));
}

/** For the operator's attention. */
export async function raiseAlarm(
  trx: Trx,
  alarm: { id: string; chain: string | null; resource_id: string | null; reason: string; raised_at: string },
): Promise<void> {
  await trx.insertInto('alarm').values(alarm).execute();
}

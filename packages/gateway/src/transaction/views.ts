import { sql } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import { countRows } from '../database/list-count.ts';
import { invoiceRows, type InvoiceRow } from '../invoice/store.ts';
import { hasAddress } from '../search/address.ts';
import { txidForms } from '../search/txid.ts';
import type { TransactionRow } from './store.ts';

/** Further data needed to present a transaction. */
export interface PresentationContext {
  /** Sum of the earlier live transactions of the invoice, for the custom fee. */
  paid_before: string;
  invoice: InvoiceRow;
}

export interface TransactionView extends TransactionRow, PresentationContext {}

/** Transactions as a GET returns them, in no particular order. */
export async function findTransactions(
  db: Db | Trx,
  ids: readonly string[],
  accountId?: string,
): Promise<TransactionView[]> {
  const { rows } =
    await sql<TransactionRow>`select * from transaction where id = any(${[...ids]}::uuid[])`.execute(
      db,
    );
  return withInvoices(
    db,
    accountId === undefined ? rows : rows.filter((row) => row.account_id === accountId),
  );
}

export interface TransactionFilter {
  txid?: string | undefined;
  address?: string | undefined;
  invoice_id?: string | undefined;
  profile_id?: string | undefined;
  /** First time included. */
  from?: string | undefined;
  /** First time excluded. */
  before?: string | undefined;
  /** Null matches transactions without an analysis. */
  risk_level?: string | null | undefined;
}

/** One page, newest first, and the total count. */
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
    // Without filters the stored count is used: counting a million rows takes 0.1 s.
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
      : [
          sql`t.invoice_id in (select i.id from invoice i where i.account_id = ${accountId} and ${hasAddress(address)})`,
        ]),
    ...(invoice_id === undefined ? [] : [sql`t.invoice_id = ${invoice_id}`]),
    ...(profile_id === undefined ? [] : [sql`t.profile_id = ${profile_id}`]),
    ...(from === undefined ? [] : [sql`t.created_at >= ${from}`]),
    ...(before === undefined ? [] : [sql`t.created_at < ${before}`]),
    ...(risk_level === undefined
      ? []
      : [risk_level === null ? sql`t.risk_level is null` : sql`t.risk_level = ${risk_level}`]),
  ];
}

async function withInvoices(
  db: Db | Trx,
  rows: readonly TransactionRow[],
): Promise<TransactionView[]> {
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

/** The sum of the earlier live transactions, by transaction id. */
export async function paidBefore(
  db: Db | Trx,
  invoiceIds: readonly string[],
): Promise<Map<string, string>> {
  if (invoiceIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; before: string }>`
    select id, coalesce(sum(greatest(amount - refunded, 0)) filter (where counted and status not in ('replaced', 'failed', 'quarantined')
        and (in_mempool or block_height is not null)) over earlier, 0)::text as before
    from transaction where invoice_id = any(${[...invoiceIds]}::uuid[])
    window earlier as (partition by invoice_id order by created_at, number rows between unbounded preceding and 1 preceding)`.execute(
    db,
  );
  return new Map(rows.map(({ id, before }) => [id, before]));
}

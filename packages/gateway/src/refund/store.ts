import type { RefundEvent } from '@crypto-checkout/protocol/event';
import type { PayoutStatus, RefundStatus } from '@crypto-checkout/protocol/status';
import { sql, type Insertable, type Selectable } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import type { RefundTable } from '../database/tables/refund.ts';

/** A row of `refund`, with amounts and times as the database returns them. */
export interface RefundRow extends Omit<
  Selectable<RefundTable>,
  'events' | 'version' | 'automatic'
> {
  events: RefundEvent[];
  version: number;
  automatic: 'no' | 'due' | 'done';
}

/** A refund with all that answers show. */
export interface RefundView extends RefundRow {
  is_testnet: boolean;
  /** Of its payout; null before it is sent. */
  txid: string | null;
  payout_status: PayoutStatus | null;
  payout_error: string | null;
}

const VIEW = sql`
  select r.*, a.is_testnet, p.txid, p.status as payout_status, p.error as payout_error
  from refund r join account a on a.id = r.account_id left join payout p on p.id = r.payout_id`;

/** Finds refunds by id, in no particular order. */
export async function findRefunds(
  db: Db | Trx,
  ids: readonly string[],
  accountId?: string,
): Promise<RefundView[]> {
  const { rows } = await sql<RefundView>`${VIEW} where r.id = any(${[...ids]}::uuid[])`.execute(db);
  return accountId === undefined ? rows : rows.filter((row) => row.account_id === accountId);
}

/** All refunds of a transaction, oldest first. */
export async function refundsOf(db: Db | Trx, transactionId: string): Promise<RefundView[]> {
  const { rows } =
    await sql<RefundView>`${VIEW} where r.transaction_id = ${transactionId} order by r.number`.execute(
      db,
    );
  return rows;
}

export async function findByReference(
  db: Db | Trx,
  accountId: string,
  reference: string,
): Promise<RefundView | null> {
  const { rows } =
    await sql<RefundView>`${VIEW} where r.account_id = ${accountId} and r.reference_id = ${reference}`.execute(
      db,
    );
  return rows[0] ?? null;
}

export async function insertRefund(trx: Trx, row: Insertable<RefundTable>): Promise<void> {
  await trx.insertInto('refund').values(row).execute();
}

/** Locks a refund. Lock the invoice before. */
export async function lockRefund(trx: Trx, id: string): Promise<RefundRow | null> {
  const { rows } = await sql<RefundRow>`select * from refund where id = ${id} for update`.execute(
    trx,
  );
  return rows[0] ?? null;
}

export type RefundChange = Partial<
  Pick<
    RefundRow,
    'payout_id' | 'received' | 'automatic' | 'usd_value' | 'is_proven' | 'decided_at' | 'error'
  >
> & { decided_by?: { username: string; email: string | null } };

/** Writes a change of a locked refund. */
export async function saveRefund(
  trx: Trx,
  row: RefundRow,
  { decided_by, ...change }: RefundChange & Pick<RefundRow, 'status' | 'events' | 'updated_at'>,
): Promise<void> {
  await trx
    .updateTable('refund')
    .set({
      ...change,
      ...(decided_by === undefined ? {} : { decided_by: JSON.stringify(decided_by) }),
      version: row.version + 1,
    })
    .where('id', '=', row.id)
    .execute();
}

export interface RefundFilter {
  status?: RefundStatus | 'waiting' | undefined;
  transaction_id?: string | undefined;
  invoice_id?: string | undefined;
  reference_id?: string | undefined;
}

/** Returns one page, newest first, and the total count. Null lists the refunds of all accounts. */
export async function listRefunds(
  db: Db,
  accountId: string | null,
  { status, transaction_id, invoice_id, reference_id }: RefundFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: RefundView[]; count: number }> {
  const where = sql.join(
    [
      sql`true`,
      ...(accountId === null ? [] : [sql`r.account_id = ${accountId}`]),
      ...(status === undefined ? [] : [hasStatus(status)]),
      ...(transaction_id === undefined ? [] : [sql`r.transaction_id = ${transaction_id}`]),
      ...(invoice_id === undefined ? [] : [sql`r.invoice_id = ${invoice_id}`]),
      ...(reference_id === undefined ? [] : [sql`r.reference_id = ${reference_id}`]),
    ],
    sql` and `,
  );
  const [page, total] = await Promise.all([
    sql<RefundView>`${VIEW} where ${where} order by r.created_at desc, r.number desc limit ${limit} offset ${offset}`.execute(
      db,
    ),
    sql<{ count: number }>`select count(*) as count from refund r where ${where}`.execute(db),
  ]);
  return { rows: page.rows, count: total.rows[0]?.count ?? 0 };
}

const hasStatus = (status: RefundStatus | 'waiting') =>
  status === 'waiting' ? sql`r.status in ('requested', 'draft')` : sql`r.status = ${status}`;

/** Refunds whose payout may have moved on, oldest first. */
export async function followingRefunds(
  db: Db,
  limit: number,
): Promise<{ id: string; transaction_id: string; invoice_id: string }[]> {
  const { rows } = await sql<{ id: string; transaction_id: string; invoice_id: string }>`
    select r.id, r.transaction_id, r.invoice_id from refund r join payout p on p.id = r.payout_id
    where (r.status in ('draft', 'approved') and p.status in ('rejected', 'failed', 'complete'))
      or (r.status = 'draft' and p.status <> 'draft') or (r.status = 'failed' and p.status = 'complete')
    order by r.number limit ${limit}`.execute(db);
  return rows;
}

/** Requests that `REFUNDS=auto` has to decide, oldest first. */
export async function dueRefunds(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from refund where automatic = 'due' and status = 'requested' order by number limit ${limit}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/**
 * US dollars of the refunds that were approved by themselves since a time. The account's row is
 * locked, so that two approvals cannot both pass the limit.
 */
export async function automaticSince(trx: Trx, accountId: string, since: string): Promise<string> {
  await sql`select 1 from account where id = ${accountId} for no key update`.execute(trx);
  const { rows } = await sql<{ sum: string }>`
    select coalesce(sum(usd_value), 0)::text as sum from refund
    where account_id = ${accountId} and automatic = 'done' and decided_at > ${since}
      and status not in ('rejected', 'failed')`.execute(trx);
  return rows[0]!.sum;
}

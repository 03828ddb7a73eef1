import { PAYOUT_STATUSES, type PayoutStatus } from '@crypto-checkout/protocol/status';
import { sql, type RawBuilder } from 'kysely';
import { timestamp, type Db } from '../database/database.ts';
import { countRows } from '../database/list-count.ts';
import { hasAddress } from '../search/address.ts';
import { txidForms } from '../search/txid.ts';
import { isMove } from './state.ts';
import { PAYOUT_VIEW, type PayoutView } from './store.ts';

/** For operators: a status, or `waiting` for all that can be rejected. */
export type StatusFilter = PayoutStatus | 'waiting';

/** Mirrors `isWaiting`. The statuses are literals, so that the partial indexes match. */
function hasStatus(status: StatusFilter, now: number): RawBuilder<unknown> {
  if (status !== 'waiting') return sql`p.status = ${sql.lit(status)}`;
  const waiting = PAYOUT_STATUSES.filter((candidate) => isMove(candidate, 'rejected')).map(
    (candidate) => sql.lit(candidate),
  );
  return sql`p.status in (${sql.join(waiting)}) and (p.status <> 'new' or p.scheduled_at > ${timestamp(now)})`;
}

export interface PayoutFilter {
  status?: StatusFilter | undefined;
  txid?: string | undefined;
  address?: string | undefined;
  reference_id?: string | undefined;
  profile_id?: string | undefined;
  /** Inclusive. */
  from?: string | undefined;
  /** Exclusive. */
  before?: string | undefined;
}

/** Returns one page, newest first, and the total count. */
export async function listPayouts(
  db: Db,
  accountId: string,
  { status, txid, address, reference_id, profile_id, from, before }: PayoutFilter,
  { limit, offset, now }: { limit: number; offset: number; now: number },
): Promise<{ rows: PayoutView[]; count: number }> {
  const conditions = [
    sql`p.account_id = ${accountId}`,
    ...(status === undefined ? [] : [hasStatus(status, now)]),
    ...(txid === undefined ? [] : [sql`p.txid = any(${txidForms(txid)}::text[])`]),
    ...(address === undefined ? [] : [sql`p.id in (${recipientsAt(accountId, address)})`]),
    ...(reference_id === undefined ? [] : [sql`p.reference_id = ${reference_id}`]),
    ...(profile_id === undefined ? [] : [sql`p.profile_id = ${profile_id}`]),
    ...(from === undefined ? [] : [sql`p.created_at >= ${from}`]),
    ...(before === undefined ? [] : [sql`p.created_at < ${before}`]),
  ];
  const where = sql.join(conditions, sql` and `);
  const [page, total] = await Promise.all([
    sql<PayoutView>`${PAYOUT_VIEW} where ${where} order by p.created_at desc, p.number desc limit ${limit} offset ${offset}`.execute(
      db,
    ),
    // Counting a whole list would be slow: it has a cached count.
    conditions.length === 1
      ? countRows(db, 'payout', accountId, now)
      : sql<{ count: number }>`select count(*) as count from payout p where ${where}`
          .execute(db)
          .then(({ rows }) => rows[0]?.count ?? 0),
  ]);
  return { rows: page.rows, count: total };
}

interface OperatorFilter {
  accountId: string | null;
  /** Null for all. */
  status: StatusFilter | null;
  now: number;
  limit: number;
  offset: number;
}

/** For operators: payouts of one account, or of all (null), newest first. */
export async function newestPayouts(
  db: Db,
  { accountId, status, now, limit, offset }: OperatorFilter,
): Promise<PayoutView[]> {
  const { rows } = await sql<PayoutView>`${PAYOUT_VIEW}
    where ${status === null ? sql`true` : hasStatus(status, now)} and ${accountId === null ? sql`true` : sql`p.account_id = ${accountId}`}
    order by p.created_at desc, p.number desc limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/** Payouts to an address, in the form that was stated or in any other form. */
const recipientsAt = (accountId: string, address: string) => sql`
  select i.payout_id from (select payout_id, account_id, address, tag, null as x_address, null as public_address, given_address,
      payment_request, lnurl
    from payout_recipient) i
  where i.account_id = ${accountId}
    and (${sql.join([sql`i.given_address = ${address}`, hasAddress(address), ...requestConditions(address)], sql` or `)})`;

/** Lightning requests are stored without the scheme. */
function requestConditions(text: string): RawBuilder<unknown>[] {
  const plain = text.replace(/^lightning:/i, '').toLowerCase();
  return plain.startsWith('ln')
    ? [sql`i.payment_request = ${plain}`, sql`lower(i.lnurl) = ${plain}`]
    : [];
}

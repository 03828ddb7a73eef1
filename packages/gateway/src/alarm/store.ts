import type { Alarm } from '@crypto-checkout/protocol/dashboard';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import type { AlarmFunding } from '../database/tables/transaction.ts';
import { isUuid } from '../http/id.ts';

/** The operator's account: the one of the first start. */
export const isService = (accountId: string): RawBuilder<boolean> => sql`exists (
  select 1 from setting where name = 'first_start' and value->>'account_id' = ${accountId})`;

/** The operator's account alone. */
export async function isOperatorAccount(db: Db, accountId: string): Promise<boolean> {
  const { rows } = await sql<{ yes: boolean }>`select ${isService(accountId)} as yes`.execute(db);
  return rows[0]?.yes === true;
}

/** With its resource, the account and the money of it; an alarm about a chain has none. */
const ABOUT = sql.raw(`alarm m left join lateral (
    select 'transaction' as resource, t.account_id, t.amount, t.asset, i.order_id as reference
      from transaction t left join invoice i on i.id = t.invoice_id where t.id = m.resource_id
    union all select 'payout', account_id, total, asset, reference_id from payout where id = m.resource_id
    union all select 'invoice', account_id, null, kind, order_id from invoice where id = m.resource_id
    union all select 'conversion', account_id, amount, from_asset, null from conversion where id = m.resource_id
    union all select 'automatic ' || type, account_id, null, from_asset, null from automatic_rule where id = m.resource_id
    union all select 'automatic payout', account_id, null, asset, null from automatic_payout where id = m.resource_id) r on true`);

const COLUMNS = sql.raw(
  'm.id, m.chain, r.resource, m.resource_id, m.reason, m.raised_at, m.funding, r.amount, r.asset, r.reference',
);

/** An alarm as the database returns it. */
export interface AlarmRow extends Omit<Alarm, 'network' | 'about' | 'funding'> {
  funding: AlarmFunding | null;
  amount: string | null;
  asset: string | null;
  reference: string | null;
}

/**
 * Alarms about resources of the account; those about chains are for the operator's account. Null is
 * the operator, who sees all.
 */
const isFor = (accountId: string | null): RawBuilder<unknown> =>
  accountId === null
    ? sql`true`
    : sql`(r.account_id = ${accountId} or (r.account_id is null and ${isService(accountId)}))`;

/** Newest first, each with the total count. */
export const raisedAlarms = (
  accountId: string | null,
  limit: number,
): RawBuilder<AlarmRow & { count?: number }> => sql`
  select ${COLUMNS}, count(*) over () as count from ${ABOUT}
  where ${isFor(accountId)} order by m.raised_at desc, m.id limit ${limit}`;

/** An alarm about a resource that ended or continued is removed. */
export async function deleteAlarmsAbout(trx: Trx, resourceId: string): Promise<void> {
  await sql`delete from alarm where resource_id = ${resourceId}`.execute(trx);
}

/**
 * Removes a dismissed alarm. It is raised again when its cause is found again.
 * @param accountId null for the operator
 * @returns the alarm; null for an unknown id or another account's
 */
export async function takeAlarm(
  db: Db,
  accountId: string | null,
  id: string,
): Promise<AlarmRow | null> {
  if (!isUuid(id)) return null;
  const { rows } = await sql<AlarmRow>`
    with found as (
      select ${COLUMNS} from ${ABOUT} where m.id = ${id} and ${isFor(accountId)}),
    gone as (delete from alarm where id in (select id from found) returning id)
    select found.* from found join gone using (id)`.execute(db);
  return rows[0] ?? null;
}

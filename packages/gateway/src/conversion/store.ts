import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import type { ConversionTable } from '../database/tables/conversion.ts';

/** A conversion as it is stored; amounts and times as the database writes them. */
export type ConversionRow = Selectable<ConversionTable>;
export type NewConversion = Insertable<ConversionTable>;

/** As a GET shows it. */
export interface ConversionView extends ConversionRow {
  from_wallet_name: string;
  to_wallet_name: string;
}

const VIEW = sql`
  select c.*, f.name as from_wallet_name, t.name as to_wallet_name from conversion c
  join wallet f on f.account_id = c.account_id and f.id = c.from_wallet_id
  join wallet t on t.account_id = c.account_id and t.id = c.to_wallet_id`;

export async function findConversion(db: Db | Trx, accountId: string, id: string): Promise<ConversionView | null> {
  const { rows } = await sql<ConversionView>`${VIEW} where c.account_id = ${accountId} and c.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** Newest first: as many as the limit, and all that are open. */
export async function listConversions(db: Db, accountId: string, limit: number): Promise<ConversionView[]> {
  const { rows } = await sql<ConversionView>`
    ${VIEW} where c.account_id = ${accountId} and c.number in (
      (select number from conversion where account_id = ${accountId} order by number desc limit ${limit})
      union select number from conversion where account_id = ${accountId} and status in ('draft', 'pending'))
    order by c.number desc`.execute(db);
  return rows;
}

/** @returns false when there is one with this natural key */
export async function insertConversion(db: Db | Trx, conversion: NewConversion): Promise<boolean> {
  const inserted = await db
    .insertInto('conversion')
    .values(conversion)
    .onConflict((conflict) => conflict.column('natural_key').doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Locks a conversion: its next status is decided by whoever holds it. */
export async function lockConversion(trx: Trx, id: string): Promise<ConversionRow | null> {
  return (await trx.selectFrom('conversion').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()) ?? null;
}

/** @returns false when somebody else changed it since it was read */
export async function saveConversion(
  db: Db | Trx,
  { id, version }: Pick<ConversionRow, 'id' | 'version'>,
  change: Updateable<ConversionTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('conversion')
    .set({ ...change, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function deleteConversion(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('conversion').where('id', '=', id).execute();
}

/** What can be carried out now: what was begun, and approved drafts that have enough. */
const isDue = (now: string) => sql`(
  (c.status = 'pending' and (c.next_at_real is null or c.next_at_real <= ${now}))
  or (c.status = 'draft' and c.is_approved and exists (
    select 1 from balance b where b.account_id = c.account_id and b.wallet_id = c.from_wallet_id and b.currency = c.from_asset
      and b.bucket = 'available' and b.amount >= c.amount)))`;

/** Exchanges that have something to do. @param now real time */
export async function busyExchanges(db: Db, now: string): Promise<string[]> {
  const { rows } = await sql<{ exchange: string }>`select distinct c.exchange from conversion c where ${isDue(now)}`.execute(db);
  return rows.map(({ exchange }) => exchange);
}

/** In the order in which they came. @param now real time */
export async function dueConversions(db: Db, exchange: string, now: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select c.id from conversion c where c.exchange = ${exchange} and ${isDue(now)} order by c.number limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Conversions that were made for a payout, oldest first. */
export async function conversionsFor(db: Db | Trx, payoutId: string): Promise<ConversionRow[]> {
  return db.selectFrom('conversion').selectAll().where('payout_id', '=', payoutId).orderBy('number').execute();
}

/** Whether a rule's last conversion is still on its way. */
export async function hasOpenConversion(db: Db | Trx, ruleId: string): Promise<boolean> {
  const row = await db
    .selectFrom('conversion')
    .select('id')
    .where('rule_id', '=', ruleId)
    .where('status', '=', 'pending')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

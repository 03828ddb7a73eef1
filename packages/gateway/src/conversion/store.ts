import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import type { ConversionTable } from '../database/tables/conversion.ts';

/** A row of `conversion`, with amounts and times as the database returns them. */
export type ConversionRow = Selectable<ConversionTable>;
export type NewConversion = Insertable<ConversionTable>;

/** A conversion with its wallet names. */
export interface ConversionView extends ConversionRow {
  from_wallet_name: string;
  to_wallet_name: string;
}

const VIEW = sql`
  select c.*, f.name as from_wallet_name, t.name as to_wallet_name from conversion c
  join wallet f on f.account_id = c.account_id and f.id = c.from_wallet_id
  join wallet t on t.account_id = c.account_id and t.id = c.to_wallet_id`;

export async function findConversion(
  db: Db | Trx,
  accountId: string,
  id: string,
): Promise<ConversionView | null> {
  const { rows } =
    await sql<ConversionView>`${VIEW} where c.account_id = ${accountId} and c.id = ${id}`.execute(
      db,
    );
  return rows[0] ?? null;
}

/** The newest conversions up to the limit and all open ones, newest first. */
export async function listConversions(
  db: Db,
  accountId: string,
  limit: number,
): Promise<ConversionView[]> {
  const { rows } = await sql<ConversionView>`
    ${VIEW} where c.account_id = ${accountId} and c.number in (
      (select number from conversion where account_id = ${accountId} order by number desc limit ${limit})
      union select number from conversion where account_id = ${accountId} and status in ('draft', 'pending'))
    order by c.number desc`.execute(db);
  return rows;
}

/** @returns false if the natural key exists already */
export async function insertConversion(db: Db | Trx, conversion: NewConversion): Promise<boolean> {
  const inserted = await db
    .insertInto('conversion')
    .values(conversion)
    .onConflict((conflict) => conflict.column('natural_key').doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Locks a conversion for a status change. */
export async function lockConversion(trx: Trx, id: string): Promise<ConversionRow | null> {
  return (
    (await trx
      .selectFrom('conversion')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()) ?? null
  );
}

/** @returns false if it was changed since it was read */
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

/** Condition of due conversions: pending ones, and approved drafts whose wallet has enough. */
const isDue = (now: string) => sql`(
  (c.status = 'pending' and (c.next_at_real is null or c.next_at_real <= ${now}))
  or (c.status = 'draft' and c.is_approved and exists (
    select 1 from balance b where b.account_id = c.account_id and b.wallet_id = c.from_wallet_id and b.currency = c.from_asset
      and b.bucket = 'available' and b.amount >= c.amount)))`;

/** Exchanges with due conversions. @param now real time */
export async function busyExchanges(db: Db, now: string): Promise<string[]> {
  const { rows } = await sql<{
    exchange: string;
  }>`select distinct c.exchange from conversion c where ${isDue(now)}`.execute(db);
  return rows.map(({ exchange }) => exchange);
}

/** Due conversions, oldest first. @param now real time */
export async function dueConversions(
  db: Db,
  exchange: string,
  now: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select c.id from conversion c where c.exchange = ${exchange} and ${isDue(now)} order by c.number limit ${limit}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Conversions created for a payout, oldest first. */
export async function conversionsFor(db: Db | Trx, payoutId: string): Promise<ConversionRow[]> {
  return db
    .selectFrom('conversion')
    .selectAll()
    .where('payout_id', '=', payoutId)
    .orderBy('number')
    .execute();
}

/** Reports whether a rule has a pending conversion. */
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

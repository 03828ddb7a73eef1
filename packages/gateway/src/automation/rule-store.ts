import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import type { AutomaticRuleTable } from '../database/tables/conversion.ts';

/** A row of `automatic_rule`: an automatic conversion or automatic funding. */
export type RuleRow = Selectable<AutomaticRuleTable>;
export type NewRule = Insertable<AutomaticRuleTable>;
export type RuleType = RuleRow['type'];

/** A rule with its wallet names. */
export interface RuleView extends RuleRow {
  from_wallet_name: string;
  to_wallet_name: string;
}

const VIEW = sql`
  select r.*, f.name as from_wallet_name, t.name as to_wallet_name from automatic_rule r
  join wallet f on f.account_id = r.account_id and f.id = r.from_wallet_id
  join wallet t on t.account_id = r.account_id and t.id = r.to_wallet_id`;

export async function findRule(
  db: Db | Trx,
  accountId: string,
  type: RuleType,
  id: string,
): Promise<RuleView | null> {
  const { rows } = await sql<RuleView>`
    ${VIEW} where r.account_id = ${accountId} and r.type = ${type} and r.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** Newest first. Not paged: there is at most one per wallet and kind. */
export async function listRules(db: Db, accountId: string, type: RuleType): Promise<RuleView[]> {
  const { rows } = await sql<RuleView>`
    ${VIEW} where r.account_id = ${accountId} and r.type = ${type} order by r.number desc`.execute(
    db,
  );
  return rows;
}

export async function insertRule(trx: Trx, rule: NewRule): Promise<void> {
  await trx.insertInto('automatic_rule').values(rule).execute();
}

/** @returns false if it was changed since it was read */
export async function saveRule(
  trx: Trx,
  { id, version }: Pick<RuleRow, 'id' | 'version'>,
  change: Updateable<AutomaticRuleTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('automatic_rule')
    .set({ ...change, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** @returns false if it did not exist */
export async function deleteRule(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('automatic_rule')
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Enabled rules that did not run in this period, oldest first. */
export async function dueRules(db: Db, period: string, limit: number): Promise<RuleRow[]> {
  return db
    .selectFrom('automatic_rule')
    .selectAll()
    .where('is_enabled', '=', true)
    .where((where) => where.or([where('period', 'is', null), where('period', '<', period)]))
    .orderBy('number')
    .limit(limit)
    .execute();
}

/**
 * Marks a rule as run in a period.
 * @returns false if it ran in the period already, or was changed since it was read
 */
export async function markRule(
  db: Db | Trx,
  { id, version }: Pick<RuleRow, 'id' | 'version'>,
  period: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('automatic_rule')
    .set({ period })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('is_enabled', '=', true)
    .where((where) => where.or([where('period', 'is', null), where('period', '<', period)]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Available balances of an account, by wallet and asset. */
export async function availableOf(
  db: Db,
  accountId: string,
): Promise<{ wallet_id: string; currency: string; amount: string }[]> {
  return db
    .selectFrom('balance')
    .select(['wallet_id', 'currency', 'amount'])
    .where('account_id', '=', accountId)
    .where('bucket', '=', 'available')
    .execute();
}

/** The amounts that enabled automatic fundings of an account keep. */
export async function fundingFloors(
  db: Db,
  accountId: string,
): Promise<Pick<RuleRow, 'to_wallet_id' | 'to_asset' | 'keep_amount'>[]> {
  return db
    .selectFrom('automatic_rule')
    .select(['to_wallet_id', 'to_asset', 'keep_amount'])
    .where('account_id', '=', accountId)
    .where('type', '=', 'funding')
    .where('is_enabled', '=', true)
    .execute();
}

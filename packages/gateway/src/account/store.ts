import { sql, type Selectable } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import type { AccountTable } from '../database/tables/account.ts';

export interface AccountRow extends Selectable<AccountTable> {
  /** Account ids, oldest first. */
  profiles: string[];
}

/** The sub accounts of an account, oldest first. */
export async function listSubAccounts(db: Db | Trx, parentId: string): Promise<AccountRow[]> {
  const { rows } = await selectAccounts(sql`a.parent_id = ${parentId}::uuid`).execute(db);
  return rows;
}

export async function findSubAccount(
  db: Db | Trx,
  parentId: string,
  id: string,
): Promise<AccountRow | null> {
  const { rows } = await selectAccounts(
    sql`a.parent_id = ${parentId}::uuid and a.id = ${id}::uuid`,
  ).execute(db);
  return rows[0] ?? null;
}

/** Any account, without an access check. */
export async function findAccount(db: Db | Trx, id: string): Promise<AccountRow | null> {
  const { rows } = await selectAccounts(sql`a.id = ${id}::uuid`).execute(db);
  return rows[0] ?? null;
}

function selectAccounts(condition: ReturnType<typeof sql>) {
  return sql<AccountRow>`
    select a.*, array(select p.id::text from profile p where p.account_id = a.id and p.deleted_at is null
      order by p.created_at, p.id) as profiles
    from account a where ${condition} order by a.created_at, a.id`;
}

/**
 * Slugs of an account's sub accounts that begin like this one. Locked until the end of the
 * transaction, so that no other request takes one.
 */
export async function takenSlugs(
  trx: Trx,
  parentId: string,
  beginning: string,
): Promise<Set<string>> {
  await sql`select id from account where id = ${parentId} for no key update`.execute(trx);
  const { rows } = await sql<{ slug: string }>`
    select slug from account where parent_id = ${parentId} and starts_with(slug, ${beginning})`.execute(
    trx,
  );
  return new Set(rows.map(({ slug }) => slug));
}

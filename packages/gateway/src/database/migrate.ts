import { sql } from 'kysely';
import type { Db, Trx } from './database.ts';
import { type Migration, migrations as all } from './migrations/index.ts';
import { isDuplicate, errorCode, withoutTimeout } from './transact.ts';

const OBJECT_EXISTS = '42P07';

/**
 * Brings the schema up to date, each migration in a transaction of its own. Several processes may start at once:
 * the row `migrate` is locked while one of them works (a row, so that every PostgreSQL-like database can do it).
 */
export async function migrate(db: Db, migrations: readonly Migration[] = all): Promise<void> {
  await createBookkeeping(db);
  for (const migration of migrations) {
    await db.transaction().execute((trx) => apply(trx, migration));
  }
}

async function apply(trx: Trx, migration: Migration): Promise<void> {
  await withoutTimeout(trx);
  await sql`select name from migration where name = 'lease' for update`.execute(trx);
  const done = await trx.selectFrom('migration').select('name').where('name', '=', migration.name).executeTakeFirst();
  if (done) return;
  await sql.raw(migration.sql).execute(trx);
  await sql`insert into migration (name, applied_at_real) values (${migration.name}, clock_timestamp())`.execute(trx);
}

async function createBookkeeping(db: Db): Promise<void> {
  try {
    await sql`create table if not exists migration (name text primary key, applied_at_real timestamptz not null)`.execute(db);
  } catch (error) {
    // "if not exists" still collides when two processes create it in the same moment.
    if (!isDuplicate(error) && errorCode(error) !== OBJECT_EXISTS) throw error;
  }
  await sql`insert into migration (name, applied_at_real) values ('lease', clock_timestamp()) on conflict do nothing`.execute(db);
}

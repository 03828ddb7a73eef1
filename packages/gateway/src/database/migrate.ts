import { sql } from 'kysely';
import type { Db, Trx } from './database.ts';
import { type Migration, migrations as all } from './migrations/index.ts';
import { isDuplicate, errorCode, withoutTimeout } from './transact.ts';

const OBJECT_EXISTS = '42P07';

/**
 * Brings the schema up to date, each migration in a transaction of its own. Several processes may
 * start at once: while one works, it locks the row `lease` of the table `migration` (a row, so that
 * every PostgreSQL-compatible database supports it).
 * @throws NewerSchemaError when a newer version has changed the schema
 */
export async function migrate(db: Db, migrations: readonly Migration[] = all): Promise<void> {
  await createBookkeeping(db);
  await requireKnown(db, migrations);
  for (const migration of migrations) {
    await db.transaction().execute((trx) => apply(trx, migration));
  }
}

/** The message is one sentence that ends in the remedy. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}

const LEASE = 'lease';

/** An older program would write rows that a newer schema does not mean like that. */
async function requireKnown(db: Db, migrations: readonly Migration[]): Promise<void> {
  const known = new Set([LEASE, ...[...all, ...migrations].map(({ name }) => name)]);
  const applied = await db.selectFrom('migration').select('name').orderBy('name').execute();
  const unknown = applied.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (unknown.length === 0) return;
  throw new NewerSchemaError(
    `The database has the ${unknown.length > 1 ? 'migrations' : 'migration'} ${unknown.join(', ')}, which this version does not know: it was written by a newer version. Start that version, or restore the backup from before the upgrade.`,
  );
}

async function apply(trx: Trx, migration: Migration): Promise<void> {
  await withoutTimeout(trx);
  await sql`select name from migration where name = 'lease' for update`.execute(trx);
  const done = await trx
    .selectFrom('migration')
    .select('name')
    .where('name', '=', migration.name)
    .executeTakeFirst();
  if (done) return;
  await sql.raw(migration.sql).execute(trx);
  await sql`insert into migration (name, applied_at_real) values (${migration.name}, clock_timestamp())`.execute(
    trx,
  );
}

async function createBookkeeping(db: Db): Promise<void> {
  try {
    await sql`create table if not exists migration (name text primary key, applied_at_real timestamptz not null)`.execute(
      db,
    );
  } catch (error) {
    // "if not exists" still collides when two processes create it at the same moment.
    if (!isDuplicate(error) && errorCode(error) !== OBJECT_EXISTS) throw error;
  }
  await sql`insert into migration (name, applied_at_real) values ('lease', clock_timestamp()) on conflict do nothing`.execute(
    db,
  );
}

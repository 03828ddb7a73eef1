import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Db } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { migrations } from '../../src/database/migrations/index.ts';
import { emptyDatabase, type TestDatabase } from './database.ts';

/** The last migration of an earlier version, for which `fixtures/schemas/` has rows. */
export type OldSchema = '064-lost-inputs' | '085-default-confirmations';

/** Creates a database as an earlier version left it. */
export async function oldDatabase(last: OldSchema): Promise<TestDatabase> {
  const database = await emptyDatabase();
  const { db } = database;
  const end = migrations.findIndex(({ name }) => name === last) + 1;
  await migrate(db, migrations.slice(0, end));
  // The rows have these, with the blocks behind them.
  await sql`delete from sandbox_block`.execute(db);
  await sql`delete from sandbox_chain`.execute(db);
  const file = new URL(`../fixtures/schemas/${last.slice(0, 3)}.sql`, import.meta.url);
  await sql.raw(readFileSync(file, 'utf8')).execute(db);
  await continueNumbers(db);
  return database;
}

/** Rows with a number of their own do not move the sequence behind the column. */
async function continueNumbers(db: Db): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = 'public' and is_identity = 'YES'`.execute(db);
  for (const { table, column } of rows)
    await sql
      .raw(
        `select setval(pg_get_serial_sequence('${table}', '${column}'), coalesce(max(${column}), 0) + 1, false) from ${table}`,
      )
      .execute(db);
}

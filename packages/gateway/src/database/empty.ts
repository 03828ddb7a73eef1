import { Kysely, sql } from 'kysely';
import type { Db, Trx } from './database.ts';
import { openPool, poolDialect } from './pool.ts';
import type { Tables } from './tables.ts';

/** Tables with rows right after their creation. */
const NEVER_EMPTY = ['sandbox_chain', 'sandbox_block'];

/** Unknown tables of a target database, checked before a schema is created there. */
export async function foreignTablesIn(url: string, ours: Db): Promise<string[]> {
  const known = await tableNames(ours);
  const db: Db = new Kysely<Tables>({
    dialect: poolDialect(
      openPool({ server: { connectionString: url }, max: 1, onError: () => {} }),
    ),
  });
  try {
    return (await tableNames(db)).filter((name) => !known.includes(name));
  } finally {
    await db.destroy();
  }
}

/** Tables of extensions belong to the server. */
async function tableNames(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class c
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'f')
      and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    order by relname`.execute(db);
  return rows.map(({ name }) => name);
}

/** Those of our tables that hold rows beyond the ones of the migrations. */
export async function nonEmptyTables(
  target: Trx,
  tables: readonly { name: string }[],
): Promise<string[]> {
  const filled: string[] = [];
  for (const { name } of tables) {
    if (NEVER_EMPTY.includes(name)) continue;
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(target);
    if (rows.length > 0) filled.push(name);
  }
  return filled.toSorted();
}

/** Enough names to recognize the database. */
const NAMED = 5;

export function listNames(names: readonly string[]): string {
  return (
    names.slice(0, NAMED).join(', ') +
    (names.length > NAMED ? ` and ${names.length - NAMED} more` : '')
  );
}

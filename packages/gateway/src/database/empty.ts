import { Kysely, sql } from 'kysely';
import type { Db, Trx } from './database.ts';
import { openPool, poolDialect } from './pool.ts';
import type { Tables } from './tables.ts';

/** Tables that have rows once they are made. */
const NEVER_EMPTY = ['sandbox_chain', 'sandbox_block'];

/** Tables of another database that ours does not have, looked for before a schema is made there. */
export async function strangersIn(url: string, ours: Db): Promise<string[]> {
  const known = await tableNames(ours);
  const db: Db = new Kysely<Tables>({ dialect: poolDialect(openPool({ server: { connectionString: url }, max: 1, onError: () => {} })) });
  try {
    return (await tableNames(db)).filter((name) => !known.includes(name));
  } finally {
    await db.destroy();
  }
}

/** Those that an extension made are the server's. */
async function tableNames(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class c
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'f')
      and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    order by relname`.execute(db);
  return rows.map(({ name }) => name);
}

/** Those tables that have rows, and not because a migration made them. */
export async function filledOf(target: Trx, tables: readonly { name: string }[]): Promise<string[]> {
  const filled: string[] = [];
  for (const { name } of tables) {
    if (NEVER_EMPTY.includes(name)) continue;
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(target);
    if (rows.length > 0) filled.push(name);
  }
  return filled.toSorted();
}

/** So many are enough to recognise what it is. */
const NAMED = 5;

export function namedOf(names: readonly string[]): string {
  return names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ` and ${names.length - NAMED} more` : '');
}

import { sql } from 'kysely';
import type { Db } from '../src/database/database.ts';

/** What a request may change although it is refused. */
const NONCES = ['last_nonce', 'recent_nonces'];

/**
 * Makes a function that sums up the content of every table in one value, however many there will be.
 * @param ignored tables that are left out
 */
export async function databaseDigest(db: Db, ignored: readonly string[] = ['lease']): Promise<() => Promise<string>> {
  const tables = await tablesOf(db);
  const parts = tables
    .filter((table) => !ignored.includes(table))
    .map((table) => {
      const text = table === 'api_key' ? `(to_jsonb(t) - '{${NONCES.join(',')}}'::text[])::text` : 't::text';
      return `select '${table}' as name, count(*)::text || ':' || coalesce(sum(hashtextextended(${text}, 0)), 0)::text as content from "${table}" t`;
    });
  const all = sql.raw(parts.join(' union all '));
  // With a value it is prepared, and so not planned anew each time.
  const query = sql`select string_agg(name || '=' || content, ' ' order by name) as digest from (${all}) parts where name <> ${''}`;
  return async () => ((await query.execute(db)).rows[0] as { digest: string }).digest;
}

/** Every table of the service, in order of their names. */
export async function tablesOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`.execute(db);
  return rows.map(({ name }) => name);
}

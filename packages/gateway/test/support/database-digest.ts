import { sql } from 'kysely';
import type { Db } from '../../src/database/database.ts';

/** Tables that a rejected request may change. */
const NONCES = ['last_nonce', 'recent_nonces'];

/**
 * Returns a function that computes one digest over the content of every table.
 * @param ignored tables that are left out
 */
export async function databaseDigest(
  db: Db,
  ignored: readonly string[] = ['lease'],
): Promise<() => Promise<string>> {
  const tables = await tablesOf(db);
  const parts = tables
    .filter((table) => !ignored.includes(table))
    .map((table) => {
      const text =
        table === 'api_key' ? `(to_jsonb(t) - '{${NONCES.join(',')}}'::text[])::text` : 't::text';
      return `select '${table}' as name, count(*)::text || ':' || coalesce(sum(hashtextextended(${text}, 0)), 0)::text as content from "${table}" t`;
    });
  const all = sql.raw(parts.join(' union all '));
  // A parameter makes it a prepared statement, which is planned only once.
  const query = sql`select string_agg(name || '=' || content, ' ' order by name) as digest from (${all}) parts where name <> ${''}`;
  return async () => ((await query.execute(db)).rows[0] as { digest: string }).digest;
}

/** All tables of the service by name. */
export async function tablesOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`.execute(db);
  return rows.map(({ name }) => name);
}

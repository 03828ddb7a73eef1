import { CompiledQuery, type QueryResult } from 'kysely';
import type { Db, Trx } from './database.ts';

/**
 * A statement that is compiled once, for the few that every request sends. Each `${…}` is the name
 * of a member of the values at execution; a repeated name is sent once.
 * @example const findName = statement<{ id: string }, { name: string }>`select name from wallet
 * where id = ${'id'}`; const { rows } = await findName(db, { id });
 */
export function statement<Values extends object, Row = unknown>(
  parts: TemplateStringsArray,
  ...names: (keyof Values)[]
): (db: Db | Trx, values: Values) => Promise<QueryResult<Row>> {
  const unique = [...new Set(names)];
  const text = parts.reduce(
    (sql, part, at) => `${sql}$${unique.indexOf(names[at - 1]!) + 1}${part}`,
  );
  const { query, queryId } = CompiledQuery.raw(text);
  return (db, values) =>
    db.executeQuery<Row>({
      sql: text,
      parameters: unique.map((name) => values[name]),
      query,
      queryId,
    });
}

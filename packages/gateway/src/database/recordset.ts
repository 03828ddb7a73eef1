import { sql, type RawBuilder } from 'kysely';

/** PostgreSQL's types for the columns. */
export type ColumnType =
  | 'uuid'
  | 'text'
  | 'text[]'
  | 'boolean'
  | 'integer'
  | 'bigint'
  | 'numeric'
  | 'timestamptz'
  | 'jsonb';

/**
 * Passes many rows as one parameter for each column, for statements that write whole blocks. Both
 * sides handle this several times faster than JSON (measured). It stands in place of a table, as
 * `r` below.
 * @example const changes = recordset({ id: 'uuid', status: 'text' }); await sql`update invoice i
 * set status = r.status from ${changes(rows)} as r where i.id = r.id`.execute(trx);
 */
export function recordset<Name extends string>(
  types: Readonly<Record<Name, ColumnType>>,
): (rows: readonly Readonly<Record<Name, unknown>>[]) => RawBuilder<unknown> {
  const columns = Object.entries<ColumnType>(types) as [Name, ColumnType][];
  const names = columns.map(([name]) => name);
  // An array of arrays would become two-dimensional, so an inner array is sent as its text.
  const list = sql.raw(
    columns
      .map(([name, type]) => (type === 'text[]' ? `${name}::text[] as ${name}` : name))
      .join(', '),
  );
  const alias = sql.raw(`sent(${names.join(', ')})`);
  return (rows) => {
    const arrays = columns.map(
      ([name, type]) =>
        sql`${encode(rows, name, type)}::${sql.raw(type === 'text[]' ? 'text' : type)}[]`,
    );
    return sql`(select ${list} from unnest(${sql.join(arrays)}) as ${alias})`;
  };
}

function encode<Name extends string>(
  rows: readonly Readonly<Record<Name, unknown>>[],
  name: Name,
  type: ColumnType,
): string | Buffer {
  if (type === 'text')
    return binaryArray(TEXT, rows, (row) => (row[name] ?? null) as string | null);
  if (type === 'text[]')
    return binaryArray(TEXT, rows, (row) => textArray(row[name] as readonly string[]));
  if (type === 'jsonb')
    return binaryArray(JSONB, rows, (row) => JSONB_VERSION + JSON.stringify(row[name]));
  // The other types need no quotes.
  return `{${rows.map((row) => row[name] ?? 'NULL').join()}}`;
}

const TEXT = 25;
const JSONB = 3802;
const JSONB_VERSION = '\u0001';

const textArray = (values: readonly string[]): string =>
  values.length === 0
    ? '{}'
    : `{"${values.map((value) => value.replace(/["\\]/g, '\\$&')).join('","')}"}`;

/** A reused buffer that grows on demand; its content is copied before the next use. */
let room = Buffer.allocUnsafe(1 << 16);

/** PostgreSQL's binary array format (`array_send`), which it reads without parsing text. */
function binaryArray<Row>(
  oid: number,
  rows: readonly Row[],
  textOf: (row: Row) => string | null,
): Buffer {
  let end = 20;
  let hasNull = 0;
  for (const row of rows) {
    const text = textOf(row);
    const most = end + 4 + (text === null ? 0 : text.length * 3);
    if (most > room.length) room = Buffer.concat([room], Math.max(most, room.length * 2));
    if (text === null) {
      hasNull = 1;
      room.writeInt32BE(-1, end);
      end += 4;
    } else {
      const length = room.write(text, end + 4);
      room.writeInt32BE(length, end);
      end += 4 + length;
    }
  }
  const header = [1, hasNull, oid, rows.length, 1];
  for (const [at, value] of header.entries()) room.writeInt32BE(value, at * 4);
  return Buffer.from(room.subarray(0, end));
}

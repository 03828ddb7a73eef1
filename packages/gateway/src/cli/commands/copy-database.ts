import { sql } from 'kysely';
import { ConfigError } from '../../config.ts';
import type { Context } from '../../context.ts';
import { verifyBooks } from '../../ledger/verify.ts';
import { openDatabase, type Trx } from '../../database/database.ts';
import { nonEmptyTables, listNames, foreignTablesIn } from '../../database/empty.ts';
import { isInUse } from '../../database/lease.ts';
import { reasonOf, withoutTimeout } from '../../database/transact.ts';

export interface CopyOptions {
  /** `postgres://` URL of an empty database. */
  to: string;
  /**
   * Whether a service may write to the source meanwhile; later writes are not copied. Default
   * false.
   */
  whileRunning?: boolean;
  onProgress?: (table: string, rows: number, of: number) => void;
}

export type CopiedTable = Readonly<{ table: string; rows: number }>;

interface Table {
  name: string;
  columns: string[];
}

const BATCH = 2_000;
/** Tables about this database itself (leases, sessions), which are not copied. */
const OWN = ['migration', 'lease', 'dashboard_link', 'dashboard_session'];

/**
 * Copies one snapshot of everything to another database and compares rows, digests and books.
 * Amounts, times and bytes travel in PostgreSQL's own text form.
 * @throws ConfigError when the target cannot be opened, is not empty or differs afterwards, or when
 * a service works on the source; then no row was written
 */
export async function copyDatabase(
  context: Pick<Context, 'db' | 'log'>,
  { to, whileRunning = false, onProgress }: CopyOptions,
): Promise<CopiedTable[]> {
  if (!whileRunning && (await isInUse(context.db)))
    throw new ConfigError(
      'A service works on this database, or was killed less than a minute ago: stop it first, so that nothing is lost on the way.',
    );
  const unopened = (cause: unknown): never => {
    throw new ConfigError(
      `The other database can't be opened: ${reasonOf(cause)}; nothing was copied.`,
      { cause },
    );
  };
  const strangers = await foreignTablesIn(to, context.db).catch(unopened);
  if (strangers.length > 0)
    throw new ConfigError(
      `The other database is not empty: there are tables that are not ours: ${listNames(strangers)}.`,
    );
  const target = await openDatabase(
    { databaseUrl: to, dataDir: '', databasePool: 2 },
    context.log,
  ).catch(unopened);
  try {
    return await context.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (source) => {
        await withoutTimeout(source);
        return target.db.transaction().execute(async (trx) => {
          await withoutTimeout(trx);
          return copyAll(source, trx, onProgress);
        });
      });
  } finally {
    await target.close();
  }
}

async function copyAll(
  source: Trx,
  target: Trx,
  onProgress: CopyOptions['onProgress'],
): Promise<CopiedTable[]> {
  const tables = await tablesOf(source);
  const targetTables = await tablesOf(target);
  for (const { name, columns } of tables)
    if (
      !columns.every((column) =>
        targetTables.find((table) => table.name === name)?.columns.includes(column),
      )
    )
      throw new ConfigError(
        `The other database has no table ${name} like ours: another version has been there.`,
      );
  const filled = await nonEmptyTables(target, tables);
  if (filled.length > 0)
    throw new ConfigError(
      `The other database is not empty: there are rows in ${listNames(filled)}.`,
    );
  // Rows that migrations created in the target are part of the copy.
  for (const { name } of tables.toReversed())
    await sql`delete from ${sql.table(name)}`.execute(target);
  const copied: CopiedTable[] = [];
  for (const table of tables) {
    const rows = await copyTable(source, target, table, onProgress);
    const [ours, other] = [await digest(source, table), await digest(target, table)];
    if (ours !== other)
      throw new ConfigError(
        `The table ${table.name} differs after it was copied; nothing was kept.`,
      );
    copied.push({ table: table.name, rows });
  }
  await moveSequences(source, target);
  const [finding] = await verifyBooks(target);
  if (finding)
    throw new ConfigError(`The books do not add up there: ${finding.says}; nothing was kept.`);
  return copied;
}

/** Tables in dependency order, with their stored (not computed) columns. */
async function tablesOf(trx: Trx): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select c.table_name as name, array_agg(c.column_name::text order by c.ordinal_position) as columns
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
    group by c.table_name order by c.table_name`.execute(trx);
  const { rows: references } = await sql<{ from: string; to: string }>`
    select distinct f.relname as "from", t.relname as "to" from pg_constraint k
    join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and k.conrelid <> k.confrelid and f.relnamespace = current_schema()::regnamespace`.execute(
    trx,
  );
  const waiting = rows.filter(({ name }) => !OWN.includes(name));
  const ordered: Table[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex(
      ({ name }) =>
        !references.some(
          (one) => one.from === name && waiting.some((table) => table.name === one.to),
        ),
    );
    if (next < 0)
      throw new Error(
        `tables refer to each other in a circle: ${waiting.map(({ name }) => name).join(', ')}`,
      );
    ordered.push(...waiting.splice(next, 1));
  }
  return ordered;
}

async function copyTable(
  source: Trx,
  target: Trx,
  { name, columns }: Table,
  onProgress: CopyOptions['onProgress'],
): Promise<number> {
  const table = sql.table(name);
  const list = sql.join(columns.map((column) => sql.ref(column)));
  const { rows: counted } = await sql<{
    count: string;
  }>`select count(*)::text as count from ${table}`.execute(source);
  const of = Number(counted[0]?.count ?? 0);
  // PostgreSQL writes a row as one text and reads it again; the content is never parsed here.
  await sql`declare copying no scroll cursor for select t::text as row from ${table} t`.execute(
    source,
  );
  let done = 0;
  for (;;) {
    const { rows } = await sql<{ row: string }>`fetch ${sql.lit(BATCH)} from copying`.execute(
      source,
    );
    if (rows.length === 0) break;
    const values = sql.join(columns.map((column) => sql`(read.it).${sql.ref(column)}`));
    await sql`
      insert into ${table} (${list}) overriding system value
      select ${values} from unnest(${rows.map(({ row }) => row)}::text[]) text cross join lateral (select text::${table} as it offset 0) read`.execute(
      target,
    );
    done += rows.length;
    onProgress?.(name, done, of);
  }
  await sql`close copying`.execute(source);
  return done;
}

/** A digest of all rows, independent of their order. */
async function digest(trx: Trx, { name, columns }: Table): Promise<string> {
  const row = sql`row(${sql.join(columns.map((column) => sql.ref(column)))})::text`;
  const { rows } = await sql<{ digest: string }>`
    select count(*)::text || ':' || coalesce(sum(('x' || left(md5(${row}), 15))::bit(60)::bigint)::text, '') as digest
    from ${sql.table(name)}`.execute(trx);
  return rows[0]!.digest;
}

async function moveSequences(source: Trx, target: Trx): Promise<void> {
  const { rows } = await sql<{ name: string; value: string | null }>`
    select sequencename as name, last_value::text as value from pg_sequences where schemaname = current_schema()`.execute(
    source,
  );
  for (const { name, value } of rows)
    if (value !== null)
      await sql`select setval(${name}::regclass, ${value}::bigint)`.execute(target);
}

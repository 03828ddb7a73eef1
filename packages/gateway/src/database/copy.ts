import { sql } from 'kysely';
import { ConfigError } from '../config.ts';
import type { Context } from '../context.ts';
import { verifyBooks } from '../wallet/verify.ts';
import { openDatabase, type Trx } from './database.ts';
import { filledOf, namedOf, strangersIn } from './empty.ts';
import { isWorkedOn } from './lease.ts';
import { reasonOf, withoutTimeout } from './transact.ts';

export interface CopyOptions {
  /** `postgres://` URL of an empty database. */
  to: string;
  /** Whether a service may work on the source; what it writes after the beginning is not copied. Default false. */
  whileRunning?: boolean;
  onProgress?: (table: string, rows: number, of: number) => void;
}

export type CopiedTable = Readonly<{ table: string; rows: number }>;

interface Table {
  name: string;
  columns: string[];
}

const BATCH = 2_000;
/** What belongs to the database itself, and not to what is in it; and who is signed in where. */
const OWN = ['migration', 'lease', 'dashboard_link', 'dashboard_session'];

/**
 * Copies everything to another database, as one moment shows it, and compares: rows, digests and books. Amounts, times and bytes go
 * as PostgreSQL writes them, and are never read here.
 * @throws ConfigError when the other one can't be opened, is not empty or differs afterwards, or a service works on this one; then no row was written
 */
export async function copyDatabase(
  context: Pick<Context, 'db' | 'log'>,
  { to, whileRunning = false, onProgress }: CopyOptions,
): Promise<CopiedTable[]> {
  if (!whileRunning && (await isWorkedOn(context.db)))
    throw new ConfigError(
      'A service works on this database, or was killed less than a minute ago: stop it first, so that nothing is lost on the way.',
    );
  const unopened = (cause: unknown): never => {
    throw new ConfigError(`The other database can't be opened: ${reasonOf(cause)}; nothing was copied.`, { cause });
  };
  const strangers = await strangersIn(to, context.db).catch(unopened);
  if (strangers.length > 0)
    throw new ConfigError(`The other database is not empty: there are tables that are not ours: ${namedOf(strangers)}.`);
  const target = await openDatabase({ databaseUrl: to, dataDir: '', databasePool: 2 }, context.log).catch(unopened);
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

async function copyAll(source: Trx, target: Trx, onProgress: CopyOptions['onProgress']): Promise<CopiedTable[]> {
  const tables = await tablesOf(source);
  const theirs = await tablesOf(target);
  for (const { name, columns } of tables)
    if (!columns.every((column) => theirs.find((table) => table.name === name)?.columns.includes(column)))
      throw new ConfigError(`The other database has no table ${name} like ours: another version has been there.`);
  const filled = await filledOf(target, tables);
  if (filled.length > 0) throw new ConfigError(`The other database is not empty: there are rows in ${namedOf(filled)}.`);
  // Rows that the migrations made there are among ours.
  for (const { name } of tables.toReversed()) await sql`delete from ${sql.table(name)}`.execute(target);
  const copied: CopiedTable[] = [];
  for (const table of tables) {
    const rows = await copyTable(source, target, table, onProgress);
    const [ours, other] = [await digest(source, table), await digest(target, table)];
    if (ours !== other) throw new ConfigError(`The table ${table.name} differs after it was copied; nothing was kept.`);
    copied.push({ table: table.name, rows });
  }
  await moveSequences(source, target);
  const [finding] = await verifyBooks(target);
  if (finding) throw new ConfigError(`The books do not add up there: ${finding.says}; nothing was kept.`);
  return copied;
}

/** Tables in an order in which each one's rows find those that they refer to; columns that are not computed. */
async function tablesOf(trx: Trx): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select c.table_name as name, array_agg(c.column_name::text order by c.ordinal_position) as columns
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
    group by c.table_name order by c.table_name`.execute(trx);
  const { rows: references } = await sql<{ from: string; to: string }>`
    select distinct f.relname as "from", t.relname as "to" from pg_constraint k
    join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and k.conrelid <> k.confrelid and f.relnamespace = current_schema()::regnamespace`.execute(trx);
  const waiting = rows.filter(({ name }) => !OWN.includes(name));
  const ordered: Table[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex(
      ({ name }) => !references.some((one) => one.from === name && waiting.some((table) => table.name === one.to)),
    );
    if (next < 0) throw new Error(`tables refer to each other in a circle: ${waiting.map(({ name }) => name).join(', ')}`);
    ordered.push(...waiting.splice(next, 1));
  }
  return ordered;
}

async function copyTable(source: Trx, target: Trx, { name, columns }: Table, onProgress: CopyOptions['onProgress']): Promise<number> {
  const table = sql.table(name);
  const list = sql.join(columns.map((column) => sql.ref(column)));
  const { rows: counted } = await sql<{ count: string }>`select count(*)::text as count from ${table}`.execute(source);
  const of = Number(counted[0]?.count ?? 0);
  // A row as PostgreSQL writes it in one text, and reads it again: nothing in it is ours to understand.
  await sql`declare copying no scroll cursor for select t::text as row from ${table} t`.execute(source);
  let done = 0;
  for (;;) {
    const { rows } = await sql<{ row: string }>`fetch ${sql.lit(BATCH)} from copying`.execute(source);
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

/** Of all rows, whatever their order. */
async function digest(trx: Trx, { name, columns }: Table): Promise<string> {
  const row = sql`row(${sql.join(columns.map((column) => sql.ref(column)))})::text`;
  const { rows } = await sql<{ digest: string }>`
    select count(*)::text || ':' || coalesce(sum(('x' || left(md5(${row}), 15))::bit(60)::bigint)::text, '') as digest
    from ${sql.table(name)}`.execute(trx);
  return rows[0]!.digest;
}

async function moveSequences(source: Trx, target: Trx): Promise<void> {
  const { rows } = await sql<{ name: string; value: string | null }>`
    select sequencename as name, last_value::text as value from pg_sequences where schemaname = current_schema()`.execute(source);
  for (const { name, value } of rows) if (value !== null) await sql`select setval(${name}::regclass, ${value}::bigint)`.execute(target);
}

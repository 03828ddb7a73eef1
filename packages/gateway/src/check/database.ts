import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import type { Config } from '../config.ts';
import type { Db } from '../database/database.ts';
import { migrations } from '../database/migrations/index.ts';
import { openPool, poolDialect } from '../database/pool.ts';
import type { Tables } from '../database/tables.ts';
import { reasonOf } from '../database/transact.ts';
import { fault, type Finding, ok, warning } from './finding.ts';

export interface DatabaseLook {
  findings: Finding[];
  /** A read-only connection to a database with the schema of this version; else null. */
  db: Db | null;
  /** Whether a service has given out addresses with this database. */
  isUsed: boolean;
  end(): Promise<void>;
}

const ABOUT = 'DATABASE_URL';
const TOLERANCE_MS = 60_000;

/** Looks at the database over a connection that cannot write. */
export async function checkDatabase({ databaseUrl, dataDir }: Config): Promise<DatabaseLook> {
  if (databaseUrl === null)
    return nothing(
      warning(
        ABOUT,
        'The service has an embedded database, which this command leaves alone: a database server can be backed up while it runs.',
      ),
      existsSync(join(dataDir, 'postgres')),
    );
  const server = { connectionString: databaseUrl };
  const pool = openPool({ server, max: 1, readOnly: true, onError: () => {} });
  const db: Db = new Kysely<Tables>({ dialect: poolDialect(pool) });
  try {
    const { finding, isCurrent } = await checkSchema(db);
    const isUsed = await isUsedDatabase(db);
    return {
      findings: [finding, await checkClock(db)],
      db: isCurrent ? db : null,
      isUsed,
      end: () => db.destroy(),
    };
  } catch (error) {
    await db.destroy();
    return nothing(fault(ABOUT, `It cannot be used: ${reasonOf(error)}. Correct DATABASE_URL.`));
  }
}

const nothing = (finding: Finding, isUsed = false): DatabaseLook => ({
  findings: [finding],
  db: null,
  isUsed,
  end: async () => {},
});

async function checkClock(db: Db): Promise<Finding> {
  const before = Date.now();
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(db);
  const now = rows[0]!.now;
  const isOff = now < before - TOLERANCE_MS || now > Date.now() + TOLERANCE_MS;
  return isOff
    ? fault(
        'clock',
        "It differs from the database's by more than a minute: synchronize both, for example with chrony.",
      )
    : ok('clock', "It agrees with the database's.");
}

/** `isCurrent`: it has the tables of this version, which the other looks read. */
async function checkSchema(db: Db): Promise<{ finding: Finding; isCurrent: boolean }> {
  const { rows: tables } = await sql`select from information_schema.tables
    where table_schema = current_schema() and table_name = 'migration'`.execute(db);
  const not = (finding: Finding) => ({ finding, isCurrent: false });
  if (tables.length === 0)
    return not(ok(ABOUT, 'It answers, and is empty: the first start makes its tables.'));
  const applied = await db.selectFrom('migration').select('name').execute();
  const has = new Set(applied.map(({ name }) => name));
  const known = new Set(['lease', ...migrations.map(({ name }) => name)]);
  const newer = [...has].filter((name) => !known.has(name));
  if (newer.length > 0)
    return not(fault(ABOUT, `A newer version wrote it (${newer.join(', ')}): start that version.`));
  const due = migrations.filter(({ name }) => !has.has(name)).length;
  return due === 0
    ? { finding: ok(ABOUT, 'It answers, with the tables of this version.'), isCurrent: true }
    : not(
        warning(
          ABOUT,
          `The next start brings its tables up to date (migrations: ${due}): make a backup before it.`,
        ),
      );
}

async function isUsedDatabase(db: Db): Promise<boolean> {
  const { rows: tables } = await sql<{ has: boolean }>`
    select to_regclass('setting') is not null as has`.execute(db);
  if (tables[0]?.has !== true) return false;
  const { rows } = await sql`
    select from setting where name in ('keys_fingerprint', 'first_start')`.execute(db);
  return rows.length > 0;
}

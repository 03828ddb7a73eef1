import { Kysely, type Transaction } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import { answersWithin } from './answers.ts';
import { startEmbedded, type EmbeddedServer } from './embedded.ts';
import { migrate } from './migrate.ts';
import { openPool, poolDialect, type PoolOptions } from './pool.ts';
import type { Tables } from './tables.ts';
import { errorCode } from './transact.ts';

export type { Tables } from './tables.ts';
export { milliseconds, timestamp } from './timestamp.ts';
export { afterCommit, isDuplicate, isUnreachable, runConcurrently, transact } from './transact.ts';

export type Db = Kysely<Tables>;
export type Trx = Transaction<Tables>;

export interface DatabaseOptions {
  databaseUrl: string | null;
  dataDir: string;
  databasePool: number;
}

export interface Database {
  db: Db;
  /** Whether the database answers within 700 ms; concurrent callers share one probe. */
  answers(): Promise<boolean>;
  /** Process id of an embedded server. */
  readonly pid: number | null;
  close(): Promise<void>;
  /** After a failed start: stops a server that it started, and leaves one that it found running. */
  abandon(): Promise<void>;
}

const DATABASE = 'crypto_checkout';
const PULSE_MS = 700;

/**
 * Opens the database with its schema up to date: `DATABASE_URL`, or an embedded PostgreSQL under
 * the data folder.
 * @throws EmbeddedDatabaseError when none can be started here
 */
export async function openDatabase(options: DatabaseOptions, log: Logger): Promise<Database> {
  const embedded = options.databaseUrl === null ? await startServer(options.dataDir, log) : null;
  const server: PoolOptions['server'] = embedded
    ? { host: embedded.host, port: embedded.port, user: embedded.user, database: DATABASE }
    : { connectionString: options.databaseUrl ?? '' };
  let closing = false;
  const onError = (error: Error): void => {
    if (!closing)
      log.warn(
        { event: 'database_connection_ended', reason: error.message },
        'a database connection ended',
      );
  };
  const pool = openPool({ server, max: options.databasePool, onError });
  const db: Db = new Kysely<Tables>({ dialect: poolDialect(pool) });
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy();
    await embedded?.abandon();
    throw error;
  }
  return {
    db,
    answers: pulse(server),
    get pid() {
      return embedded?.pid ?? null;
    },
    async close() {
      closing = true;
      await db.destroy();
      await embedded?.stop();
    },
    async abandon() {
      closing = true;
      await db.destroy();
      await embedded?.abandon();
    },
  };
}

async function startServer(dataDir: string, log: Logger): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dir: dataDir, log });
  await createDatabase(server, DATABASE);
  return server;
}

/** Creates a database that does not exist. */
async function createDatabase({ host, port, user }: EmbeddedServer, name: string): Promise<void> {
  const client = new pg.Client({ host, port, user, database: 'postgres' });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } catch (error) {
    const exists = ['42P04', '23505'].includes(errorCode(error) ?? '');
    if (!exists) throw error;
  } finally {
    await client.end();
  }
}

/** Concurrent callers share one probe. */
function pulse(server: PoolOptions['server']): () => Promise<boolean> {
  let asked: Promise<boolean> | null = null;
  return () => (asked ??= answersWithin(PULSE_MS, server).finally(() => (asked = null)));
}

import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { pino } from 'pino';
import pg from 'pg';
import type { Db } from '../../src/database/database.ts';
import { startEmbedded } from '../../src/database/embedded.ts';
import { migrate } from '../../src/database/migrate.ts';
import { addMissingChains } from '../../src/sandbox/genesis.ts';
import { migrations } from '../../src/database/migrations/index.ts';
import { openPool, poolDialect } from '../../src/database/pool.ts';
import type { Tables } from '../../src/database/tables.ts';
import { errorCode } from '../../src/database/transact.ts';

export interface TestDatabase {
  db: Db;
  /** Connection URL for a process that the test starts. */
  url: string;
  close(): Promise<void>;
}

/**
 * Creates a migrated database on the server that all tests of a run share: `DATABASE_URL`, or an
 * embedded server without fsync that stops with the run. Call `close` in `afterAll`.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const server = process.env['DATABASE_URL'] || (await sharedServer());
  return createDatabase(server, await templateDatabase(server));
}

/** Creates a database without tables. */
export const emptyDatabase = async (): Promise<TestDatabase> =>
  createDatabase(process.env['DATABASE_URL'] || (await sharedServer()), 'template0');

async function createDatabase(server: string, template: string): Promise<TestDatabase> {
  const name = `cc_test_${randomBytes(8).toString('hex')}`;
  await onServer(
    server,
    `create database ${name} template ${template} ${await copyStrategy(server)}`,
  );
  const url = withDatabase(server, name);
  // Other steps of `npm test` share the processors, so a connection may take long.
  const pool = openPool({
    server: { connectionString: url },
    max: 10,
    acquireMs: 15_000,
    onError: () => {},
  });
  const db: Db = new Kysely<Tables>({ dialect: poolDialect(pool) });
  return {
    db,
    url,
    async close() {
      await db.destroy();
      await onServer(server, `drop database if exists ${name} with (force)`);
    },
  };
}

/** Copies files: to write a whole database into the log costs nine times as much. */
async function copyStrategy(server: string): Promise<string> {
  const [row] = await onServer(server, 'show server_version_num');
  const version = Number((row as { server_version_num: string }).server_version_num);
  // Earlier servers always copy files, and refuse the clause.
  return version >= 150_000 ? 'strategy file_copy' : '';
}

const CHAIN_IDS = Object.keys(CHAINS) as ChainId[];

/**
 * The template is created once per server and set of migrations. It is renamed when complete, so
 * that tests can start concurrently.
 */
async function templateDatabase(server: string): Promise<string> {
  const hash = createHash('sha256')
    .update(JSON.stringify([migrations, CHAIN_IDS]))
    .digest('hex')
    .slice(0, 12);
  const template = `cc_template_${hash}`;
  const [known] = await onServer(server, `select 1 from pg_database where datname = '${template}'`);
  if (known) return template;
  const fresh = `${template}_${randomBytes(4).toString('hex')}`;
  await onServer(server, `create database ${fresh} template template0`);
  const pool = openPool({
    server: { connectionString: withDatabase(server, fresh) },
    max: 2,
    onError: () => {},
  });
  const db: Db = new Kysely<Tables>({ dialect: poolDialect(pool) });
  await migrate(db);
  await addMissingChains(db, CHAIN_IDS);
  await db.destroy();
  try {
    await onServer(server, `alter database ${fresh} rename to ${template}`);
  } catch (error) {
    if (errorCode(error) !== DATABASE_EXISTS) throw error;
    await onServer(server, `drop database ${fresh}`);
  }
  return template;
}

const DATABASE_EXISTS = '42P04';
const DATABASE_IN_USE = '55006';

async function onServer(server: string, text: string): Promise<unknown[]> {
  for (let attempt = 1; ; attempt++) {
    const client = new pg.Client({ connectionString: withDatabase(server, maintenance(server)) });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } catch (error) {
      // The server still counts a closed session of the template for a moment.
      if (errorCode(error) !== DATABASE_IN_USE || attempt > 50) throw error;
      await pause(20);
    } finally {
      await client.end();
    }
  }
}

const maintenance = (server: string): string => new URL(server).pathname.slice(1) || 'postgres';

function withDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * The first test file of a run starts the server and the others reuse it. It stops with the test
 * runner.
 */
async function sharedServer(): Promise<string> {
  const runner = process.ppid;
  const dir = join(tmpdir(), `cc-test-${runner}`);
  const ready = join(dir, 'url');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (claim(join(dir, 'claimed'))) {
    const settings = [
      'fsync=off',
      'synchronous_commit=off',
      'full_page_writes=off',
      'max_connections=300',
      'autovacuum=off',
    ];
    const server = await startEmbedded({ dir, settings, log: pino({ level: 'silent' }) });
    // A shell outlives the process of this test file and stops the server after the runner.
    const script = `while kill -0 ${runner} 2>/dev/null; do sleep 0.3; done; kill -QUIT ${server.pid}; sleep 0.3; rm -rf '${dir}' '${server.host}'`;
    spawn('sh', ['-c', script], { detached: true, stdio: 'ignore' }).unref();
    writeFileSync(
      `${ready}.new`,
      `postgres://${server.user}@localhost/postgres?host=${encodeURIComponent(server.host)}&port=${server.port}`,
    );
    renameSync(`${ready}.new`, ready);
  }
  for (let waited = 0; !existsSync(ready); waited += 20) {
    if (waited > 50_000) throw new Error(`The shared test database did not start, see ${dir}`);
    await pause(20);
  }
  return readFileSync(ready, 'utf8');
}

function claim(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch {
    return false;
  }
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

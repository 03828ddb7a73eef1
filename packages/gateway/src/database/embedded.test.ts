import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { call, testAccount } from '../../test/support/call.ts';
import { testContext } from '../../test/support/context.ts';
import { findBinaries, launchers, linkLibraries, tryLauncher } from './binaries.ts';
import { type Database, openDatabase } from './database.ts';
import { startEmbedded } from './embedded.ts';
import { runtimeDir } from './runtime-dir.ts';

const log = pino({ level: 'silent' });
let dataDir: string;
const open: Database[] = [];

/** Creating a cluster waits for the disk: tests that need no first start share one. */
const shared = mkdtempSync(join(tmpdir(), 'cc-embedded-'));
beforeEach(() => {
  dataDir = shared;
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((database) => database.close()));
});
afterAll(() => {
  for (const dir of [shared, ...fresh]) rmSync(dir, { recursive: true, force: true });
});
const fresh: string[] = [];
const freshDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'cc-embedded-'));
  fresh.push(dir);
  return dir;
};

async function start(): Promise<Database> {
  const database = await openDatabase({ databaseUrl: null, dataDir, databasePool: 4 }, log);
  open.push(database);
  return database;
}

/**
 * The server and all its children are paused together: with only the postmaster paused, sessions
 * still answer.
 */
function signalTree(pid: number, signal: NodeJS.Signals): void {
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number);
  for (const process_ of [pid, ...children]) process.kill(process_, signal);
}

describe('the embedded database', () => {
  it('keeps its data over a restart, in a folder for its owner only', async () => {
    const first = await start();
    await sql`insert into setting (name, value) values ('kept', '1')`.execute(first.db);
    await open.pop()!.close();
    expect(statSync(join(dataDir, 'postgres')).mode & 0o077).toBe(0);
    const again = await start();
    expect(
      (await sql`select value from setting where name = 'kept'`.execute(again.db)).rows,
    ).toEqual([{ value: 1 }]);
  });

  it('has no network port, and commits durably', async () => {
    const { db } = await start();
    const { rows } =
      await sql`select name, setting from pg_settings where name in ('listen_addresses', 'fsync', 'synchronous_commit', 'full_page_writes') order by name`.execute(
        db,
      );
    expect(rows).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'full_page_writes', setting: 'on' },
      { name: 'listen_addresses', setting: '' },
      { name: 'synchronous_commit', setting: 'on' },
    ]);
  });

  it('is taken over by the next process after a kill', async () => {
    const first = await start();
    const second = await start();
    expect(second.pid).toBe(first.pid);
  });

  it('is restarted when it dies, without losing commits', async () => {
    const database = await start();
    await sql`insert into setting (name, value) values ('survived', '2')`.execute(database.db);
    const before = database.pid!;
    signalTree(before, 'SIGKILL');
    const read = () =>
      sql`select value from setting where name = 'survived'`.execute(database.db).then(
        ({ rows }) => rows,
        () => null,
      );
    await expect.poll(read, { timeout: 60_000, interval: 20 }).toEqual([{ value: 2 }]);
    await expect.poll(() => database.pid).not.toBe(before);
  });

  it('starts despite a stale lock file, also with a reused process id', async () => {
    await start();
    await open.pop()!.close();
    for (const pid of [999_999, process.pid]) {
      writeFileSync(
        join(dataDir, 'postgres', 'postmaster.pid'),
        `${pid}\n${join(dataDir, 'postgres')}\n1\n5432\n/tmp/nowhere\n\n`,
      );
      await start();
      await open.pop()!.close();
    }
  });

  it('is created atomically: the next start succeeds after a killed first start', async () => {
    dataDir = freshDir();
    mkdirSync(join(dataDir, 'postgres.new-1'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres.new-1', 'PG_VERSION'), '18\n');
    const { db } = await start();
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  });

  it('starts once for two concurrent processes', async () => {
    dataDir = freshDir();
    const [first, second] = await Promise.all([start(), start()]);
    expect(first.pid).toBe(second.pid);
  });
});

describe('a service whose database hangs', () => {
  it('answers 503, and recovers with the database', async () => {
    const database = await start();
    const context = await testContext({
      db: database.db,
      databaseAnswers: () => database.answers(),
    });
    const account = await testAccount(context);
    const app = createApp(context);
    const read = () => call(app, account.api, 'GET', '/v1/wallets/');
    expect((await read()).status).toBe(200);
    signalTree(database.pid!, 'SIGSTOP');
    const answers = await Promise.all(Array.from({ length: 10 }, read));
    expect(new Set(answers.map(({ status, body }) => `${status} ${'reason' in body}`))).toEqual(
      new Set(['503 false']),
    );
    expect((await app.request('/readyz')).status).toBe(503);
    signalTree(database.pid!, 'SIGCONT');
    await expect.poll(async () => (await read()).status, { timeout: 60_000 }).toBe(200);
    signalTree(database.pid!, 'SIGKILL');
    expect([200, 503]).toContain((await read()).status);
    await expect.poll(async () => (await read()).status, { timeout: 60_000 }).toBe(200);
    await context.close();
  });
});

describe('libraries without symbolic links', () => {
  it('get links in our own folder, with which the programs start', async () => {
    const { initdb } = await findBinaries(join(dataDir, 'unused'));
    dataDir = freshDir();
    const native = join(dataDir, 'package', 'native');
    mkdirSync(native, { recursive: true });
    const source = dirname(dirname(initdb));
    for (const name of ['bin', 'pg-symlinks.json'])
      cpSync(join(source, name), join(native, name), { recursive: true });
    symlinkSync(join(source, 'share'), join(native, 'share'));
    // Only the files that the programs load, without the links that npm drops.
    mkdirSync(join(native, 'lib'));
    for (const entry of readdirSync(join(source, 'lib'), { withFileTypes: true })) {
      if (entry.isFile() && /\.so/.test(entry.name))
        cpSync(join(source, 'lib', entry.name), join(native, 'lib', entry.name));
    }
    const binaries = {
      initdb: join(native, 'bin', 'initdb'),
      postgres: join(native, 'bin', 'postgres'),
      env: { ...process.env },
    };
    const [launcher] = launchers();
    expect(tryLauncher(launcher!, binaries)).toMatch(/cannot open shared object/);
    const links = join(dataDir, 'links');
    expect(linkLibraries(native, links)).toBe(true);
    const env = { ...process.env, LD_LIBRARY_PATH: `${links}:${join(native, 'lib')}` };
    expect(tryLauncher(launcher!, { ...binaries, env })).toBeNull();
  });
});

describe('as root', () => {
  it.runIf(process.getuid?.() === 0)(
    'runs in a folder that only root may enter, and the files stay root’s',
    async () => {
      const { db } = await start();
      expect(statSync(dataDir).mode & 0o777).toBe(0o700);
      await sql`select 1`.execute(db);
      expect([0, 65_534]).toContain(statSync(join(dataDir, 'postgres')).uid);
    },
  );

  it('tries a user namespace first, then an unprivileged user; other users run it directly', () => {
    expect(launchers(0).map(({ name }) => name)).toEqual(
      process.platform === 'linux' ? ['namespace', 'nobody'] : ['plain'],
    );
    expect(launchers(1000)[0]?.name).toBe('plain');
  });
});

describe('the socket', () => {
  it('is in a short private folder, whatever the length of the data folder’s path', async () => {
    const long = join(freshDir(), 'a'.repeat(90), 'b'.repeat(90));
    const server = await startEmbedded({ dir: long, log });
    expect(Buffer.byteLength(`${server.host}/.s.PGSQL.5432`)).toBeLessThanOrEqual(107);
    expect(statSync(server.host).mode & 0o777).toBe(0o700);
    await server.stop();
    expect(existsSync(server.host)).toBe(false);
  });

  it('never uses a folder of another user', () => {
    const first = runtimeDir(dataDir, null);
    rmSync(first, { recursive: true });
    symlinkSync('/tmp', first);
    const second = runtimeDir(dataDir, null);
    expect(second).not.toBe(first);
    rmSync(first);
    rmSync(second, { recursive: true });
  });
});

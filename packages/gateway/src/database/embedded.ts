import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { type Binaries, EmbeddedDatabaseError, findBinaries, type Launcher } from './binaries.ts';
import { chooseLauncher, ownerOf, USER } from './cluster.ts';
import { findPostmaster, isAlive, stopPostmaster, waitForAnswer } from './postmaster.ts';
import { runtimeDir } from './runtime-dir.ts';
import { startFailure } from './start-failure.ts';

export interface EmbeddedOptions {
  /** Folder for the cluster (`postgres`), its log and, where needed, library links. */
  dir: string;
  /** Further `-c` settings of the server, such as `['max_connections=200']`. */
  settings?: readonly string[];
  log: Logger;
}

export interface EmbeddedServer {
  /** Connection address: the socket's folder. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly pid: number;
  /** Whether a running server was taken over (after a `kill -9` of the gateway). */
  readonly adopted: boolean;
  /** Stops the server and waits for it. */
  stop(): Promise<void>;
  /** Stops the server unless it was taken over, and stops supervising it. */
  abandon(): Promise<void>;
}

const PORT = 5432;
const START_MS = 30_000;
const LOG_LIMIT = 8 * 1024 * 1024;
const SETTINGS = [
  'listen_addresses=',
  'shared_buffers=64MB',
  'max_connections=40',
  'unix_socket_permissions=0700',
  // Unique violations are expected answers here, and statements may hold values that no log should.
  'log_min_messages=fatal',
  'log_min_error_statement=panic',
];

/**
 * Starts a PostgreSQL on a unix socket and restarts it when it dies. It survives a killed gateway,
 * and the next gateway takes it over.
 * @throws EmbeddedDatabaseError
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const dir = resolve(options.dir);
  const cluster = join(dir, 'postgres');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const binaries = await findBinaries(join(dir, 'postgres-libraries'));
  const launcher = chooseLauncher(binaries, dir, cluster);
  const place: Place = {
    dir,
    cluster,
    binaries,
    launcher,
    settings: [...SETTINGS, ...(options.settings ?? [])],
  };
  let stopped = false;
  // The newest server, also one that does not answer yet: `stop` ends it too.
  let running: Running = { host: '', pid: 0, adopted: false };
  const bringUpServer = () =>
    bringUp(place, { onStart: (next) => (running = next), isStopped: () => stopped });
  await bringUpServer();
  const { pid, adopted } = running;
  if (adopted)
    options.log.info({ event: 'database_taken_over', pid }, 'took over a running database');
  else options.log.info({ event: 'database_started', pid }, 'started the database');

  let reviving = false;
  const watch = setInterval(() => {
    if (stopped || reviving || isAlive(running.pid)) return;
    reviving = true;
    options.log.warn(
      { event: 'database_ended', pid: running.pid },
      'the database ended and is started again',
    );
    bringUpServer()
      .catch((error: unknown) =>
        options.log.error(
          { event: 'database_restart_failed', err: error },
          'the database did not start again',
        ),
      )
      .finally(() => (reviving = false));
  }, 100);
  watch.unref();

  async function stop(): Promise<void> {
    stopped = true;
    clearInterval(watch);
    await stopPostmaster(running.pid);
    rmSync(running.host, { recursive: true, force: true });
  }

  return {
    get host() {
      return running.host;
    },
    get pid() {
      return running.pid;
    },
    get adopted() {
      return running.adopted;
    },
    port: PORT,
    user: USER,
    stop,
    async abandon() {
      if (!running.adopted) return stop();
      stopped = true;
      clearInterval(watch);
    },
  };
}

interface Place {
  dir: string;
  cluster: string;
  binaries: Binaries;
  launcher: Launcher;
  settings: readonly string[];
}

interface Running {
  host: string;
  pid: number;
  /** Another process had started it. */
  adopted: boolean;
}

interface Progress {
  /** Called with each server before it answers. */
  onStart(running: Running): void;
  isStopped(): boolean;
}

/** @throws EmbeddedDatabaseError if it does not answer in time, or is stopped meanwhile */
async function bringUp(
  { dir, cluster, binaries, launcher, settings }: Place,
  { onStart, isStopped }: Progress,
): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    if (isStopped()) throw new EmbeddedDatabaseError('The embedded PostgreSQL was stopped');
    const found = findPostmaster(cluster);
    const host = found?.socketDir ?? runtimeDir(cluster, ownerOf(launcher));
    const pid = found?.pid ?? spawnPostgres(binaries, launcher, cluster, host, [...settings], dir);
    onStart({ host, pid, adopted: found !== null });
    if (await waitForAnswer({ host, port: PORT, user: USER }, pid, deadline)) return;
    // Children of a killed server may hold its shared memory for a moment longer.
    if (Date.now() > deadline)
      throw new EmbeddedDatabaseError(startFailure(contents(join(dir, 'postgres.log'))));
    await pause(100);
  }
}

function spawnPostgres(
  binaries: Binaries,
  launcher: Launcher,
  cluster: string,
  host: string,
  settings: readonly string[],
  dir: string,
): number {
  const logFile = join(dir, 'postgres.log');
  if (existsSync(logFile) && statSync(logFile).size > LOG_LIMIT) truncateSync(logFile);
  const log = openSync(logFile, 'a', 0o600);
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const [program, ...args] = [
    ...launcher.prefix,
    binaries.postgres,
    '-D',
    cluster,
    '-k',
    host,
    '-p',
    String(PORT),
    ...flags,
  ];
  // A session of its own: Ctrl-C reaches only the gateway, which then stops its database in order.
  const child: ChildProcess = spawn(program ?? '', args, {
    ...launcher.identity,
    env: binaries.env,
    detached: true,
    stdio: ['ignore', log, log],
    cwd: '/',
  });
  child.on('error', () => {});
  child.unref();
  closeSync(log);
  return child.pid ?? 0;
}

const contents = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

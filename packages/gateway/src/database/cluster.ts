import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Binaries,
  EmbeddedDatabaseError,
  type Launcher,
  launchers,
  tryLauncher,
} from './binaries.ts';

/** The database's own superuser. */
export const USER = 'postgres';

/**
 * The first way to run PostgreSQL that this system allows. Creates the cluster if there is none.
 * @throws EmbeddedDatabaseError with the reason of each way that is not possible
 */
export function chooseLauncher(binaries: Binaries, dir: string, cluster: string): Launcher {
  const candidates = launchers();
  const problems: string[] = [];
  for (const launcher of prefer(candidates, cluster)) {
    const problem =
      tryLauncher(launcher, binaries) ??
      (existsSync(join(cluster, 'PG_VERSION'))
        ? null
        : createCluster(binaries, launcher, dir, cluster));
    if (problem === null) return launcher;
    problems.push(`${launcher.name}: ${problem}`);
  }
  throw new EmbeddedDatabaseError(
    `The embedded PostgreSQL can't run as this user (${problems.join('; ')})`,
  );
}

/** Only the owner of a cluster can open it. */
function prefer(candidates: Launcher[], cluster: string): Launcher[] {
  if (!existsSync(join(cluster, 'PG_VERSION'))) return candidates;
  const ownedBy = statSync(cluster).uid;
  return candidates.filter(({ identity }) => (identity.uid ?? process.getuid?.()) === ownedBy);
}

/**
 * Created whole, then renamed: a killed start leaves no half-made cluster. Returns the reason of a
 * failure, or null.
 */
function createCluster(
  binaries: Binaries,
  launcher: Launcher,
  dir: string,
  cluster: string,
): string | null {
  const fresh = join(dir, `postgres.new-${process.pid}`);
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  const user = ownerOf(launcher);
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
  const result = spawnSync(program ?? '', args, {
    ...launcher.identity,
    env: binaries.env,
    encoding: 'utf8',
    cwd: '/',
  });
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
  return (
    result.error?.message ??
    (result.stderr.trim().split('\n').at(-1) ||
      `initdb ended with ${result.status ?? result.signal}`)
  );
}

/** The system's user that the server runs as; null for the user of this process. */
export function ownerOf(launcher: Launcher): { uid: number; gid: number } | null {
  const { uid, gid } = launcher.identity;
  return uid === undefined || gid === undefined ? null : { uid, gid };
}

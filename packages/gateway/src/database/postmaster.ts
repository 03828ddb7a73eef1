import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { answersWithin } from './answers.ts';
import { EmbeddedDatabaseError } from './binaries.ts';

const PROBE_MS = 2_000;

/**
 * Finds this cluster's running server by its lock file and its command line, because process ids
 * are reused.
 */
export function findPostmaster(cluster: string): { pid: number; socketDir: string } | null {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return null;
  const lines = readFileSync(file, 'utf8').split('\n');
  const pid = Number(lines[0]);
  if (isAlive(pid) && commandLine(pid).includes(cluster))
    return lines[4] ? { pid, socketDir: lines[4] } : null;
  // Another process has the id now; PostgreSQL would mistake it for a running server.
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

export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || isZombie(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The init process may not reap a server that was taken over. */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

/** @returns false if the server ends, or does not answer in time */
export async function waitForAnswer(
  address: { host: string; port: number; user: string },
  pid: number,
  deadline: number,
): Promise<boolean> {
  while (isAlive(pid) && Date.now() < deadline) {
    if (await answersWithin(PROBE_MS, { ...address, database: 'postgres' })) return true;
    await pause(10);
  }
  return false;
}

/** Fast shutdown: sessions end, everything committed is kept. */
export async function stopPostmaster(pid: number): Promise<void> {
  for (let waited = 0; isAlive(pid); waited += 20) {
    if (waited === 0) process.kill(pid, 'SIGINT');
    if (waited === 10_000) process.kill(pid, 'SIGQUIT');
    if (waited > 20_000)
      throw new EmbeddedDatabaseError(`The database (process ${pid}) does not end`);
    await pause(20);
  }
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

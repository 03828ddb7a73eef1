import { createHash } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A socket's path may have 107 bytes; PostgreSQL adds `/.s.PGSQL.5432`. */
const MAX_PATH = 107 - '/.s.PGSQL.5432'.length;

/**
 * A short folder for the socket that only its owner may enter. A data folder keeps the same one,
 * unless another user owns the name.
 */
export function runtimeDir(dataDir: string, owner: { uid: number; gid: number } | null): string {
  const name = `cc-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const base =
    [tmpdir(), '/tmp'].find((dir) => Buffer.byteLength(join(dir, `${name}-XXXXXX`)) <= MAX_PATH) ??
    '/tmp';
  const dir = claim(join(base, name), owner)
    ? join(base, name)
    : mkdtempSync(join(base, `${name}-`));
  if (owner) chownSync(dir, owner.uid, owner.gid);
  return dir;
}

function claim(dir: string, owner: { uid: number; gid: number } | null): boolean {
  try {
    mkdirSync(dir, { mode: 0o700 });
    return true;
  } catch {
    const found = lstatSync(dir);
    const ours = [process.getuid?.(), owner?.uid].includes(found.uid);
    if (!found.isDirectory() || !ours) return false;
    chmodSync(dir, 0o700);
    return true;
  }
}

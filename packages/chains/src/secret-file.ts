import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { ConfigError } from './error.ts';

/**
 * Reads a file of secrets, which its owner alone may read.
 * @param label names the file in the sentence, for example "The key file"
 * @returns null when it does not exist
 * @throws ConfigError with one sentence that has the remedy
 */
export function readSecretFile(label: string, path: string): string | null {
  try {
    requireOwnerOnly(`${label} ${path}`, path);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ENOENT') return null;
    throw new ConfigError(`${label} ${path} is not readable (${code})${remedyFor(code, path)}.`, {
      cause: error,
    });
  }
}

/** @throws ConfigError when others may read the file */
export function requireOwnerOnly(subject: string, path: string): void {
  if ((statSync(path).mode & 0o077) !== 0)
    throw new ConfigError(`${subject} must be readable by its owner only: run chmod 600 ${path}.`);
}

/** A file that root made, for example in a restore, belongs to another user than the service's. */
export function remedyFor(code: string, path: string): string {
  if (code !== 'EACCES' && code !== 'EPERM') return '';
  return `: run chown ${userName()} ${path}`;
}

/** A user without an entry in the system's list has a number only. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'the user of the service');
  }
}

import { mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Config, ConfigError } from './config.ts';

/**
 * Makes the folder for everything that persists, where it is missing. Where the database is to lie in it, it has to take something
 * new at every start; else it may be one that only reads, with all that is needed in it already.
 * @throws ConfigError that names the folder, what the system said about it, and the setting
 */
export function requireDataDir({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): void {
  try {
    makeFolder(dataDir);
    if (databaseUrl === null) rmdirSync(mkdtempSync(join(dataDir, '.writable-')));
  } catch (error) {
    throw unusable(dataDir, error) ?? error;
  }
}

/** @returns null when the error is not one of the system's about the folder or something in it */
export function unusable(dataDir: string, error: unknown): ConfigError | null {
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || typeof path !== 'string' || !isAbout(dataDir, path)) return null;
  return new ConfigError(`DATA_DIR can't be used: ${dataDir} (${message}). Set DATA_DIR to a folder that this user may write to.`, {
    cause: error,
  });
}

/** It, what is in it, and the folders that lead to it. */
function isAbout(dataDir: string, path: string): boolean {
  return `${path}/`.startsWith(`${dataDir}/`) || `${dataDir}/`.startsWith(`${path}/`);
}

/** One by one: told to make all of them, Node tries for ever where a parent is there and yet takes no folder (`/proc/x`). */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Somebody else made it in between.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

import { mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { remedyFor } from '@crypto-checkout/chains/secret-file';
import { type Config, ConfigError } from './config.ts';

/**
 * Creates the data folder when it is missing. With an embedded database it must be writable at
 * every start; otherwise it may be read-only once its files exist.
 * @throws ConfigError that names the folder, the system's error and the setting
 */
export function requireDataDir({
  dataDir,
  databaseUrl,
}: Pick<Config, 'dataDir' | 'databaseUrl'>): void {
  try {
    makeFolder(dataDir);
    if (databaseUrl === null) rmdirSync(mkdtempSync(join(dataDir, '.writable-')));
  } catch (error) {
    throw unusable(dataDir, error) ?? error;
  }
}

/** @returns null when the error is not a file system error of the folder or its content */
export function unusable(dataDir: string, error: unknown): ConfigError | null {
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || typeof path !== 'string' || !isAbout(dataDir, path)) return null;
  const remedy = remedyFor(code, path);
  if (remedy !== '' && isFile(path))
    return new ConfigError(`${path} can't be used (${code})${remedy}.`, { cause: error });
  return new ConfigError(
    `DATA_DIR can't be used: ${dataDir} (${message}). Set DATA_DIR to a folder that this user may write to.`,
    {
      cause: error,
    },
  );
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // Below a folder that this user may not enter, as the error that is reported says already.
    return false;
  }
}

/** The folder, its content, and its parents. */
function isAbout(dataDir: string, path: string): boolean {
  return `${path}/`.startsWith(`${dataDir}/`) || `${dataDir}/`.startsWith(`${path}/`);
}

/**
 * One by one: with `recursive`, Node retries for ever where a parent exists but cannot hold folders
 * (`/proc/x`).
 */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process created it in between.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory())
      throw error;
  }
}

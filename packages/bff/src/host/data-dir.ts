import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { OptionsError } from '../options.ts';

/**
 * Creates the data folder if it is missing. Its parent must exist: a mistyped path would create a
 * tree elsewhere.
 * @throws OptionsError with the reason
 */
export function requireDataDir(path: string): void {
  try {
    if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const parent = dirname(path);
    const why = existsSync(parent)
      ? (error as Error).message
      : `${parent} does not exist; create it first`;
    throw new OptionsError(`DATA_DIR can't be used: ${path} (${why}).`, { cause: error });
  }
}

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { OptionsError } from '../options.ts';

/**
 * Makes the folder for everything that persists, where it is missing; not what it is to lie in, because a mistyped path would grow a tree
 * somewhere.
 * @throws OptionsError that says what is in the way
 */
export function requireDataDir(path: string): void {
  try {
    if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const parent = dirname(path);
    const why = existsSync(parent) ? (error as Error).message : `${parent} does not exist; make it first`;
    throw new OptionsError(`DATA_DIR can't be used: ${path} (${why}).`, { cause: error });
  }
}

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from './error.ts';

/**
 * Reads a file that an operator named.
 * @param label names the file in the sentence, for example "The policy"
 * @throws ConfigError with one sentence that has the full path: a wrapper can change the folder
 */
export function readNamedFile(label: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new ConfigError(`${label} ${resolve(path)} ${problemOf(cause)}.`, { cause });
  }
}

/**
 * Reads a file of JSON that an operator named.
 * @throws ConfigError with one sentence that has the full path
 */
export const readJsonFile = (label: string, path: string): unknown =>
  parseJsonFile(label, path, readNamedFile(label, path).toString('utf8'));

/** The same, from the text of the file. */
export function parseJsonFile(label: string, path: string, text: string): unknown {
  if (text.trim() === '') throw new ConfigError(`${label} ${resolve(path)} is empty.`);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new ConfigError(`${label} ${resolve(path)} is not JSON.`, { cause });
  }
}

function problemOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'does not exist';
    case 'EACCES':
    case 'EPERM':
      return `may not be read by the user of this command (${code})`;
    case 'EISDIR':
      return 'is a folder';
    default:
      return `cannot be read (${code})`;
  }
}

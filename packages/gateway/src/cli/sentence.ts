import { ConfigError } from '../config.ts';
import { EmbeddedDatabaseError } from '../database/binaries.ts';
import { isUnreachable, reasonOf } from '../database/transact.ts';
import { ServiceError } from '../http/error.ts';
import { UsageError } from './io.ts';

/**
 * One clear sentence about what a person can mend: what was typed, a setting, a file, a database that is away.
 * @returns null for what is a mistake of ours, of which everything is to be shown
 */
export function sentenceFor(error: unknown): string | null {
  if (
    error instanceof UsageError ||
    error instanceof ServiceError ||
    error instanceof ConfigError ||
    error instanceof EmbeddedDatabaseError
  )
    return error.message;
  if (isUnreachable(error)) return `The database went away: ${reasonOf(error)}.`;
  // Of the system, as "EACCES: permission denied, mkdir '/srv/data'".
  return error instanceof Error && 'syscall' in error ? `${error.message}.` : null;
}

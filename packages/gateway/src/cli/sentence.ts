import { ConfigError } from '../config.ts';
import { EmbeddedDatabaseError } from '../database/binaries.ts';
import { NewerSchemaError } from '../database/migrate.ts';
import { isUnreachable, reasonOf } from '../database/transact.ts';
import { ServiceError } from '../http/error.ts';
import { UsageError } from './io.ts';

/**
 * One sentence for a mistake that a user can correct: a command, a setting, a file, a lost
 * database.
 * @returns null for a bug, which is shown in full
 */
export function sentenceFor(error: unknown): string | null {
  if (
    error instanceof UsageError ||
    error instanceof ServiceError ||
    error instanceof ConfigError ||
    error instanceof EmbeddedDatabaseError ||
    error instanceof NewerSchemaError
  )
    return error.message;
  if (isUnreachable(error)) return `The database went away: ${reasonOf(error)}.`;
  // A system error, such as "EACCES: permission denied, mkdir '/srv/data'".
  return error instanceof Error && 'syscall' in error ? `${error.message}.` : null;
}

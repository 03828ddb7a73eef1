import { sql } from 'kysely';
import type { Db, Trx } from './database.ts';
import { isStale } from './pool.ts';

const ATTEMPTS = 6;
/** Serialization failure and deadlock: rolled back, a retry may succeed. */
const RETRYABLE = new Set(['40001', '40P01']);

/**
 * Runs `work` in one transaction and commits it. Serialization failures, deadlocks and statements
 * that a migration made stale are retried, up to six attempts. `work` may therefore run more than
 * once: effects outside the database come after it, never in it.
 * @example await transact(db, async (trx) => { await
 * trx.insertInto('alarm').values(alarm).execute(); });
 */
export async function transact<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { trx, result } = await db
        .transaction()
        .execute(async (trx) => ({ trx, result: await work(trx) }));
      for (const effect of effects.get(trx) ?? []) effect(db);
      return result;
    } catch (error) {
      if (attempt >= ATTEMPTS || !(RETRYABLE.has(errorCode(error) ?? '') || isStale(error)))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, 5 * attempt * (1 + Math.random())));
    }
  }
}

/**
 * Runs tasks of one transaction concurrently: one prepares rows while the database executes
 * another's statement. Every task runs to its end even when one fails, so that nothing is sent
 * after the rollback. The first error is thrown, because the others follow from it.
 * @example await runConcurrently(saveRows(trx), queueCallbacks(trx, context, events));
 */
export async function runConcurrently(...works: readonly Promise<unknown>[]): Promise<void> {
  const failures: unknown[] = [];
  await Promise.all(works.map((work) => work.catch((error: unknown) => failures.push(error))));
  if (failures.length > 0) throw failures[0];
}

const effects = new WeakMap<Trx, Set<(db: Db) => void>>();

/**
 * Runs `effect` once after `transact` has committed `trx`, and not when it fails. It must not
 * throw.
 */
export function afterCommit(trx: Trx, effect: (db: Db) => void): void {
  effects.set(trx, (effects.get(trx) ?? new Set()).add(effect));
}

/** PostgreSQL's five-character code of an error, or the system's (`ECONNREFUSED`). */
export function errorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** Returns whether `error` reports a duplicate of this unique key. */
export function isDuplicate(error: unknown, constraint?: string): boolean {
  if (errorCode(error) !== '23505') return false;
  return constraint === undefined || (error as { constraint?: string }).constraint === constraint;
}

const CONNECTION_CODES =
  /^(08...|57P0[1-5]|53300|53400|ECONN\w+|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|25P03)$/;
const CONNECTION_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Cannot use a pool after/;

/**
 * Returns whether `error` reports that the database could not be reached or was lost: the outcome
 * of a commit is then unknown.
 */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  return CONNECTION_CODES.test(errorCode(error) ?? '') || CONNECTION_MESSAGES.test(error.message);
}

/** The message of an error; an error for several addresses of a host has none of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** Lifts the statement timeout for the rest of a transaction that is known to be long. */
export async function withoutTimeout(trx: Trx): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(trx);
}

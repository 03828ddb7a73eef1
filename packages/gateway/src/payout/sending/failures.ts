import type { Context } from '../../context.ts';

/** The message of the last failed attempt of each payout. */
const failures = new WeakMap<Context, Map<string, string>>();

/** Attempts are a second apart: the log has the first of those that fail in the same way. */
export function isNewFailure(context: Context, id: string, error: unknown): boolean {
  const known = failures.get(context) ?? new Map<string, string>();
  failures.set(context, known);
  const message = error instanceof Error ? error.message : String(error);
  if (known.get(id) === message) return false;
  known.set(id, message);
  return true;
}

export function endFailure(context: Context, id: string): void {
  failures.get(context)?.delete(id);
}

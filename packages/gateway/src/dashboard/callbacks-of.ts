import type { Context } from '../context.ts';
import { listCallbacks, rankOf } from '../callback/list.ts';

/**
 * The newest callbacks of these resources, oldest first; those of one instant in the order of their
 * events.
 */
export async function callbacksOf(
  { db }: Context,
  accountId: string,
  resourceIds: readonly string[],
) {
  const found = await Promise.all(
    resourceIds.map((resourceId) => listCallbacks(db, accountId, { resourceId })),
  );
  return found
    .flatMap(({ rows }) => rows)
    .toSorted(
      (a, b) => a.created_at_real.localeCompare(b.created_at_real) || rankOf(a) - rankOf(b),
    );
}

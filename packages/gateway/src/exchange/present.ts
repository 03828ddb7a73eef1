import type { Context } from '../context.ts';

/** An exchange that is no longer there has no title. */
export function presentExchange({ exchanges }: Context, id: string) {
  return { id, title: exchanges.get(id)?.title ?? null };
}

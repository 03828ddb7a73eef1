import type { Context } from '../context.ts';

/** The title is null for an exchange that was removed. */
export function presentExchange({ exchanges }: Context, id: string) {
  return { id, title: exchanges.get(id)?.title ?? null };
}

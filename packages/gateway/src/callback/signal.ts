import type { Db } from '../database/database.ts';

const listeners = new WeakMap<Db, Set<() => void>>();

/** Says that callbacks were committed, to the deliverers of this process; those of others look five times a second. */
export function tellCallbacksQueued(db: Db): void {
  for (const listener of listeners.get(db) ?? []) listener();
}

/** @returns ends the listening */
export function onCallbacksQueued(db: Db, listener: () => void): () => void {
  const known = listeners.get(db) ?? new Set();
  listeners.set(db, known.add(listener));
  return () => void known.delete(listener);
}

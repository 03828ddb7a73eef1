import type { Db } from '../database/database.ts';

const listeners = new WeakMap<Db, Set<() => void>>();

/**
 * Signals committed callbacks to the deliverers of this process; other processes poll five times a
 * second.
 */
export function notifyCallbacksQueued(db: Db): void {
  for (const listener of listeners.get(db) ?? []) listener();
}

/** @returns a function that removes the listener */
export function onCallbacksQueued(db: Db, listener: () => void): () => void {
  const known = listeners.get(db) ?? new Set();
  listeners.set(db, known.add(listener));
  return () => void known.delete(listener);
}

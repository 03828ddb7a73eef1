import { type Store, requireKey } from './store.ts';

/** Keeps checkouts for the life of the process: for tests, and for trying things out. */
export function createMemoryStore(): Store {
  const entries = new Map<string, { value: string; revision: number }>();
  return {
    async read(key) {
      requireKey(key);
      return entries.get(key) ?? null;
    },
    async write(key, value, revision) {
      requireKey(key);
      if ((entries.get(key)?.revision ?? 0) !== revision) return false;
      entries.set(key, { value, revision: revision + 1 });
      return true;
    },
    async remove(key) {
      entries.delete(key);
    },
    async list(prefix, after, limit) {
      return [...entries.keys()]
        .filter((key) => key.startsWith(prefix) && key > after)
        .toSorted()
        .slice(0, limit);
    },
    async check() {},
    async close() {},
  };
}

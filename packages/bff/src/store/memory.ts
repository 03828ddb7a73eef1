import { type Store, requireKey } from './store.ts';

/** Stores checkouts for the life of the process, for tests and trials. */
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
    async replaceDamaged(key, damaged, value) {
      const entry = entries.get(key);
      if (!entry || entry.value !== damaged) return false;
      entries.set(`${key}.damaged`, entry);
      if (value === null) entries.delete(key);
      else entries.set(key, { value, revision: 1 });
      return true;
    },
    async list(prefix, after, limit) {
      return [...entries.keys()]
        .filter((key) => key.startsWith(prefix) && key > after && !key.endsWith('.damaged'))
        .toSorted()
        .slice(0, limit);
    },
    async check() {},
    async close() {},
  };
}

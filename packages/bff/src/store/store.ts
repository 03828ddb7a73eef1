/**
 * Where checkouts are kept: a map of keys to JSON texts with compare-and-set. Small on purpose, so that a key-value service of
 * any host can stand behind it. A key is `<noun>/<id>` in letters, digits, `.`, `_` and `-`.
 */
export interface Store {
  read(key: string): Promise<Entry | null>;

  /**
   * Writes only if the stored revision still is `revision` (0: nothing is stored yet). Durable when it answers true; the new
   * revision is one more.
   */
  write(key: string, value: string, revision: number): Promise<boolean>;

  remove(key: string): Promise<void>;

  /** At most `limit` keys that begin with `prefix` and come after `after`, in order. */
  list(prefix: string, after: string, limit: number): Promise<string[]>;

  /** Calls back with each key that another process wrote, where several share the store. Returns the way to stop. */
  watch?(listener: (key: string) => void): () => void;

  /** @throws StoreError when reading and writing is not possible now */
  check(): Promise<void>;

  close(): Promise<void>;
}

export interface Entry {
  value: string;
  revision: number;
}

/** The store did not answer or holds something unreadable; requests get 503. */
export class StoreError extends Error {
  override name = 'StoreError';
}

const KEY = /^[a-z]+\/[\w.-]{1,200}$/;

/** @throws StoreError when the key could name anything but an entry of ours */
export function requireKey(key: string): void {
  if (!KEY.test(key) || key.includes('..')) throw new StoreError(`not a key of the store: ${JSON.stringify(key.slice(0, 60))}`);
}

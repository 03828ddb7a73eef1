/**
 * The store of checkouts: a map of keys to JSON texts with compare-and-set. The interface is small,
 * so that any key-value service can implement it. A key is `<noun>/<id>` in letters, digits, `.`,
 * `_` and `-`.
 */
export interface Store {
  read(key: string): Promise<Entry | null>;

  /**
   * Writes only if the stored revision still is `revision` (0: no entry yet). Durable when it
   * returns true; the new revision is one more.
   */
  write(key: string, value: string, revision: number): Promise<boolean>;

  remove(key: string): Promise<void>;

  /**
   * Replaces a damaged entry by another value, or by nothing, and keeps the damaged one aside for
   * an operator. Returns false when the entry is no longer the damaged one. Without this function a
   * damaged entry stays, and its checkout is not available.
   * @param damaged the value that was read; null when reading failed with `DamagedEntry`
   */
  replaceDamaged?(key: string, damaged: string | null, value: string | null): Promise<boolean>;

  /** At most `limit` keys with this prefix after `after`, in order. */
  list(prefix: string, after: string, limit: number): Promise<string[]>;

  /**
   * Calls the listener with each key that another process wrote, for shared stores. Returns the
   * function that stops it.
   */
  watch?(listener: (key: string) => void): () => void;

  /** @throws StoreError when the store is not available */
  check(): Promise<void>;

  close(): Promise<void>;
}

export interface Entry {
  value: string;
  revision: number;
}

/** The store did not answer, or an entry is not readable; requests get 503. */
export class StoreError extends Error {
  override name = 'StoreError';
}

/** An entry is there, but has no meaning. */
export class DamagedEntry extends StoreError {
  // Private, because logs contain the public members of errors.
  readonly #value: string | null;

  constructor(message: string, { value, cause }: { value: string | null; cause?: unknown }) {
    super(message, { cause });
    this.#value = value;
  }

  /** The value as read; null when the store could not read it. */
  get value(): string | null {
    return this.#value;
  }
}

const KEY = /^[a-z]+\/[\w.-]{1,200}$/;

/** @throws StoreError for a key that is not of this form */
export function requireKey(key: string): void {
  if (!KEY.test(key) || key.includes('..'))
    throw new StoreError(`not a key of the store: ${JSON.stringify(key.slice(0, 60))}`);
}

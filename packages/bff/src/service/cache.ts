export interface CacheOptions<T> {
  load: () => Promise<T>;
  /** Older than this it is loaded again, while the old one still serves. */
  freshMs: number;
  /** Older than this it does not serve any more. */
  maxMs: number;
  /** After a failure it is not tried again for so long. Default 2 s. */
  retryMs?: number;
  now: () => number;
}

/** Keeps one value that is slow to get and changes slowly. Any number of askers cost one load. */
export class Cache<T> {
  readonly #options: CacheOptions<T>;
  #value: { value: T; at: number } | null = null;
  #loading: Promise<T> | null = null;
  #failedAt = -Infinity;

  constructor(options: CacheOptions<T>) {
    this.#options = options;
  }

  /** The value if there is one that serves, without waiting; a load is begun when it is not fresh. */
  peek(): T | null {
    const { freshMs, maxMs, retryMs = 2000, now } = this.#options;
    const age = this.#value ? now() - this.#value.at : Infinity;
    if (age > freshMs && now() - this.#failedAt > retryMs) this.#load().catch(() => undefined);
    return age <= maxMs ? (this.#value?.value ?? null) : null;
  }

  /** @throws what loading threw, when there is nothing that serves */
  async get(): Promise<T> {
    return this.peek() ?? this.#load();
  }

  #load(): Promise<T> {
    this.#loading ??= this.#options
      .load()
      .then((value) => {
        this.#value = { value, at: this.#options.now() };
        return value;
      })
      .catch((error: unknown) => {
        this.#failedAt = this.#options.now();
        throw error;
      })
      .finally(() => {
        this.#loading = null;
      });
    return this.#loading;
  }
}

export interface CacheOptions<T> {
  load: () => Promise<T>;
  /** An older value is loaded again, and still served meanwhile. */
  freshMs: number;
  /** An older value is not served. */
  maxMs: number;
  /** Wait after a failed load. Default 2 s. */
  retryMs?: number;
  now: () => number;
}

/** Caches one value that is slow to load and rarely changes. Concurrent requests share one load. */
export class Cache<T> {
  readonly #options: CacheOptions<T>;
  #value: { value: T; at: number } | null = null;
  #loading: Promise<T> | null = null;
  #failedAt = -Infinity;

  constructor(options: CacheOptions<T>) {
    this.#options = options;
  }

  /** The cached value if it may be served, without waiting. A stale value starts a load. */
  peek(): T | null {
    const { freshMs, maxMs, retryMs = 2000, now } = this.#options;
    const age = this.#value ? now() - this.#value.at : Infinity;
    if (age > freshMs && now() - this.#failedAt > retryMs) this.#load().catch(() => undefined);
    return age <= maxMs ? (this.#value?.value ?? null) : null;
  }

  /** @throws the error of the load, when no value may be served */
  async get(): Promise<T> {
    return this.peek() ?? this.#load();
  }

  /** Loads a stale value again, and waits for it. A failed load leaves the old one. */
  async refresh(): Promise<void> {
    this.peek();
    await this.#loading?.catch(() => undefined);
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

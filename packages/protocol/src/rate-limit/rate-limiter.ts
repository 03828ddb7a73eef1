interface Caller {
  dueAt: number;
  /** Time of the last move to the end of the queue. */
  movedAt: number;
}

/**
 * A caller is moved to the end of the queue once in this time: a move for each request costs more
 * than counting it.
 */
const MOVE_EVERY_MS = 1_000;

/** Sums of fractions of a millisecond are not exact: a shorter wait is none. */
const ROUNDING_MS = 0.5;

export interface RateLimit {
  perSecond: number;
  /** Requests that are accepted at once; less than one counts as one. */
  burst: number;
  /** Default: 100,000. */
  maxCallers?: number;
}

/**
 * Generic cell rate algorithm: `burst` at once, then `perSecond`, one number for each caller and no
 * timers. Memory is bounded: idle callers are forgotten, and beyond `maxCallers` the least recently
 * seen one is dropped.
 */
export class RateLimiter {
  readonly #intervalMs: number;
  readonly #toleranceMs: number;
  readonly #maxCallers: number;
  /**
   * Callers are dropped in groups: each pass over the map begins with the places of those before.
   */
  readonly #keptCallers: number;
  readonly #callers = new Map<string, Caller>();

  constructor({ perSecond, burst, maxCallers = 100_000 }: RateLimit) {
    this.#intervalMs = 1000 / perSecond;
    this.#toleranceMs = this.#intervalMs * (Math.max(1, burst) - 1);
    this.#maxCallers = maxCallers;
    this.#keptCallers = maxCallers - Math.floor(maxCallers / 10);
  }

  /**
   * Counts one request of `caller`.
   * @returns milliseconds to wait when the limit is exceeded (the request is then not counted), or
   * 0
   */
  take(caller: string, nowMs: number): number {
    const known = this.#callers.get(caller);
    const wait = this.#wait(known, nowMs);
    if (wait > 0) return wait;
    const dueAt = Math.max(this.#dueAt(known, nowMs), nowMs) + this.#intervalMs;
    if (known && Math.abs(nowMs - known.movedAt) < MOVE_EVERY_MS) known.dueAt = dueAt;
    else this.#move(caller, dueAt, nowMs);
    return 0;
  }

  /** The same without counting. */
  peek(caller: string, nowMs: number): number {
    return this.#wait(this.#callers.get(caller), nowMs);
  }

  /** Takes back one counted request. */
  giveBack(caller: string): void {
    const known = this.#callers.get(caller);
    if (known) known.dueAt -= this.#intervalMs;
  }

  #wait(caller: Caller | undefined, nowMs: number): number {
    const early = this.#dueAt(caller, nowMs) - this.#toleranceMs - nowMs;
    return early > ROUNDING_MS ? early : 0;
  }

  /**
   * A time later than a full burst from now was counted before the clock stepped back. It would
   * refuse the caller for as long as the step, so it is forgotten.
   */
  #dueAt(caller: Caller | undefined, nowMs: number): number {
    const dueAt = caller?.dueAt ?? 0;
    const latest = nowMs + this.#toleranceMs + this.#intervalMs + 2 * ROUNDING_MS;
    return dueAt > latest ? 0 : dueAt;
  }

  #move(caller: string, dueAt: number, nowMs: number): void {
    this.#callers.delete(caller);
    this.#callers.set(caller, { dueAt, movedAt: nowMs });
    if (this.#callers.size > this.#maxCallers) this.#forget(nowMs);
  }

  #forget(nowMs: number): void {
    for (const [caller, { dueAt }] of this.#callers) {
      if (dueAt > nowMs && this.#callers.size <= this.#keptCallers) return;
      this.#callers.delete(caller);
    }
  }
}

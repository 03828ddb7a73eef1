/**
 * What reading by ourselves may cost: a share of the key's rate limit, so that buyers' own requests always find room. Requests of
 * buyers are counted and never held back.
 */
export class Budget {
  readonly #intervalMs: number;
  readonly #aheadMs: number;
  #arrival = 0;

  constructor(perSecond: number) {
    this.#intervalMs = 1000 / perSecond;
    this.#aheadMs = AHEAD_MS;
  }

  spend(now: number): void {
    this.#arrival = Math.max(this.#arrival, now) + this.#intervalMs;
  }

  /** Whether there is room for one more reading now. */
  hasRoom(now: number): boolean {
    return this.#arrival - now <= this.#aheadMs;
  }
}

/** How much may be spent ahead of time: one look at the clock of the follower. */
const AHEAD_MS = 1000;

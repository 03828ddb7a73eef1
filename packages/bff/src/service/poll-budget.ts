/**
 * The budget for polling: a share of the key's rate limit, so that buyers' requests always have
 * room. Their requests are counted but never delayed.
 */
export class PollBudget {
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

  /** Whether one more read fits now. */
  hasRoom(now: number): boolean {
    return this.#arrival - now <= this.#aheadMs;
  }
}

/** Allowance ahead of time: one cycle of the poller. */
const AHEAD_MS = 1000;

/** Concurrent requests to a destination without history. */
const FIRST_WIDTH = 4;
/** Failures in a row after which the breaker opens. */
const FAILURES = 5;
/** The first pause; each failed probe doubles it. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Adaptive concurrency and circuit breaker for one receiver. The limit grows with every success and
 * shrinks with every failure. After five time-outs or overload answers in a row it opens: nothing
 * is sent for a pause, then one callback as a probe. A callback that is held back does not count as
 * an attempt. Each process counts by itself: another one tries a dead receiver a few times more,
 * and nothing is lost.
 */
export class Breaker {
  readonly #widest: number;
  #width: number;
  #failures = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #openUntil: number | null = null;

  constructor(widest: number) {
    this.#widest = widest;
    this.#width = Math.min(FIRST_WIDTH, widest);
  }

  /**
   * The number of concurrent requests allowed now.
   * @param now real time, milliseconds
   */
  width(now: number): number {
    if (this.#openUntil === null) return this.#width;
    return now < this.#openUntil ? 0 : 1;
  }

  /** Whether the breaker is open, with no successful probe since. */
  get isOpen(): boolean {
    return this.#openUntil !== null;
  }

  /** Whether there is no state worth keeping. */
  get isUnremarkable(): boolean {
    return this.#openUntil === null && this.#failures === 0;
  }

  /** @returns whether this closed the breaker */
  succeeded(): boolean {
    const closed = this.isOpen;
    this.#failures = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#openUntil = null;
    this.#width = Math.min(this.#widest, this.#width + 1);
    return closed;
  }

  /**
   * The receiver answered with an error: it is alive, and the cause may be this one callback. The
   * limit shrinks, but nothing else is held back.
   * @returns whether this closed the breaker
   */
  struggled(): boolean {
    const width = this.#width;
    const closed = this.succeeded();
    this.#width = Math.max(1, Math.floor(width / 2));
    return closed;
  }

  /** @returns whether this opened the breaker */
  failed(now: number): boolean {
    this.#failures += 1;
    this.#width = Math.max(1, Math.floor(this.#width / 2));
    if (this.#openUntil === null) {
      if (this.#failures < FAILURES) return false;
      this.#openUntil = now + this.#pauseMs;
      return true;
    }
    // A request sent before the breaker opened adds no information; a failed probe makes the pause
    // longer.
    if (now >= this.#openUntil) {
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
      this.#openUntil = now + this.#pauseMs;
    }
    return false;
  }
}

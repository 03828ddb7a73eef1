/** Requests to a destination that nothing is known of yet. */
const FIRST_WIDTH = 4;
/** So many failures in a row, and it is left alone for a while. */
const FAILURES = 5;
/** The first pause; it doubles with every probe that fails. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * How much one receiver is asked at a time. It widens with every success and narrows with every failure; after five times in a row
 * without an answer, or with the wish for less, it opens: nothing is sent for a pause, then one callback as a probe. What is not sent is not counted as an attempt. Each
 * process learns this for itself: another one tries a dead receiver a few times more, and nothing is lost.
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
   * How many requests may be under way at once.
   * @param now real time, milliseconds
   */
  width(now: number): number {
    if (this.#openUntil === null) return this.#width;
    return now < this.#openUntil ? 0 : 1;
  }

  /** Whether it was found failing, and no probe has succeeded since. */
  get isOpen(): boolean {
    return this.#openUntil !== null;
  }

  /** Whether nothing has to be remembered of it. */
  get isUnremarkable(): boolean {
    return this.#openUntil === null && this.#failures === 0;
  }

  /** @returns whether this closed it */
  succeeded(): boolean {
    const closed = this.isOpen;
    this.#failures = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#openUntil = null;
    this.#width = Math.min(this.#widest, this.#width + 1);
    return closed;
  }

  /**
   * It answered that it can't: it is alive, and what it can't take may be this one callback. It is asked less at a time, and nothing
   * else waits for it.
   * @returns whether this closed it
   */
  struggled(): boolean {
    const width = this.#width;
    const closed = this.succeeded();
    this.#width = Math.max(1, Math.floor(width / 2));
    return closed;
  }

  /** @returns whether this opened it */
  failed(now: number): boolean {
    this.#failures += 1;
    this.#width = Math.max(1, Math.floor(this.#width / 2));
    if (this.#openUntil === null) {
      if (this.#failures < FAILURES) return false;
      this.#openUntil = now + this.#pauseMs;
      return true;
    }
    // A request from before it opened says nothing new; a probe that fails makes the pause longer.
    if (now >= this.#openUntil) {
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
      this.#openUntil = now + this.#pauseMs;
    }
    return false;
  }
}

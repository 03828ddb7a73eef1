import type { Context } from '../../context.ts';
import { UnavailableError } from '../error.ts';

const TICK_MS = 250;
/**
 * The database is probed after so many ticks without an answer, 1 to 1.25 s. With the probe's
 * 700 ms the whole stays below 2 s.
 */
const MAX_TICKS = 5;

interface Waiting {
  /** Ticks at the start of the request; reading the clock costs more than everything else here. */
  since: number;
  giveUp(error: unknown): void;
}

/**
 * Waits for requests while the database is alive, however slow it is, and gives up on a database
 * that hangs. The work may still take effect, as the 503 says. One timer serves all requests,
 * because a timer for each is expensive.
 */
export class DatabaseWatch {
  readonly #answers: () => Promise<boolean>;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | null = null;
  #ticks = 0;
  #isProbing = false;

  constructor({ databaseAnswers }: Context) {
    this.#answers = databaseAnswers;
  }

  /**
   * @param complete builds the answer from the result, in the same promise: each promise costs a
   * tenth of authentication
   */
  orUnavailable<T, U>(work: Promise<T>, complete: (result: T) => U): Promise<U> {
    return new Promise<U>((resolve, reject) => {
      const waiting: Waiting = { since: this.#ticks, giveUp: reject };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(() => void this.#tick(), TICK_MS).unref();
      const end = (settle: () => void): void => {
        this.#waiting.delete(waiting);
        try {
          settle();
        } catch (error) {
          reject(error);
        }
      };
      work.then(
        (result) => end(() => resolve(complete(result))),
        (error: Error) => end(() => reject(error)),
      );
    });
  }

  async #tick(): Promise<void> {
    if (this.#waiting.size === 0) this.#stopTimer();
    this.#ticks += 1;
    const long = [...this.#waiting].filter(({ since }) => this.#ticks - since >= MAX_TICKS);
    if (long.length === 0 || this.#isProbing) return;
    this.#isProbing = true;
    const isAlive = await this.#answers().finally(() => (this.#isProbing = false));
    for (const waiting of long) {
      // From here on the wait starts again.
      if (isAlive) waiting.since = this.#ticks;
      else if (this.#waiting.delete(waiting))
        waiting.giveUp(new UnavailableError('The database does not answer'));
    }
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

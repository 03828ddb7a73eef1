import type { Context } from '../../context.ts';
import { UnavailableError } from '../error.ts';

const LOOK_EVERY_MS = 250;
/**
 * At this tick without an answer, after 1 to 1.25 s, the database is probed; with the probe's 700
 * ms the whole stays below 2 s.
 */
const PATIENCE = 5;

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
  #looks = 0;
  #asking = false;

  constructor({ databaseAnswers }: Context) {
    this.#answers = databaseAnswers;
  }

  /**
   * @param complete builds the answer from the result, in the same promise: each promise costs a
   * tenth of authentication
   */
  unlessGone<T, U>(work: Promise<T>, complete: (result: T) => U): Promise<U> {
    return new Promise<U>((resolve, reject) => {
      const waiting: Waiting = { since: this.#looks, giveUp: reject };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
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

  async #look(): Promise<void> {
    if (this.#waiting.size === 0) this.#rest();
    this.#looks += 1;
    const long = [...this.#waiting].filter(({ since }) => this.#looks - since >= PATIENCE);
    if (long.length === 0 || this.#asking) return;
    this.#asking = true;
    const lives = await this.#answers().finally(() => (this.#asking = false));
    for (const waiting of long) {
      // From here on the wait starts again.
      if (lives) waiting.since = this.#looks;
      else if (this.#waiting.delete(waiting))
        waiting.giveUp(new UnavailableError('The database does not answer'));
    }
  }

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

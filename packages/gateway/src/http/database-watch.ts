import type { Context } from '../context.ts';
import { UnavailableError } from './error.ts';

const LOOK_EVERY_MS = 250;
/** At this look without an answer, after 1 to 1.25 s, the database is asked whether it lives; with its 700 ms that stays below 2 s. */
const PATIENCE = 5;

interface Waiting {
  /** Looks there had been when it began; to ask for the time takes longer than all the rest. */
  since: number;
  giveUp(error: unknown): void;
}

/**
 * Waits for the work of requests as long as the database is alive, however slow; a database that hangs is given up on.
 * The work may still take effect then, which is what 503 says. One timer for all, because each request would need one of its own.
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

  /** @param complete makes the answer of what the work gave, in the same promise: each costs a tenth of authenticating */
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
      // From here on it is waited for anew.
      if (lives) waiting.since = this.#looks;
      else if (this.#waiting.delete(waiting)) waiting.giveUp(new UnavailableError('The database does not answer'));
    }
  }

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

import type { Context } from '../context.ts';
import { UnavailableError } from './error.ts';

/** After this long without an answer the database is asked whether it lives; with its 700 ms that stays below 2 s. */
const PATIENCE_MS = 1_000;
const LOOK_EVERY_MS = 250;

interface Waiting {
  since: number;
  giveUp(error: Error): void;
}

/**
 * Waits for the work of requests as long as the database is alive, however slow; a database that hangs is given up on.
 * The work may still take effect then, which is what 503 says. One timer for all, because each request would need one of its own.
 */
export class DatabaseWatch {
  readonly #answers: () => Promise<boolean>;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | null = null;
  #asking = false;

  constructor({ databaseAnswers }: Context) {
    this.#answers = databaseAnswers;
  }

  unlessGone<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiting: Waiting = { since: performance.now(), giveUp: reject };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
      const end = (): void => void this.#waiting.delete(waiting);
      work.then(
        (result) => (end(), resolve(result)),
        (error: Error) => (end(), reject(error)),
      );
    });
  }

  async #look(): Promise<void> {
    if (this.#waiting.size === 0) this.#rest();
    const now = performance.now();
    const long = [...this.#waiting].filter(({ since }) => now - since >= PATIENCE_MS);
    if (long.length === 0 || this.#asking) return;
    this.#asking = true;
    const lives = await this.#answers().finally(() => (this.#asking = false));
    for (const waiting of long) {
      // From here on it is waited for anew.
      if (lives) waiting.since = performance.now();
      else if (this.#waiting.delete(waiting)) waiting.giveUp(new UnavailableError('The database does not answer'));
    }
  }

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

import type { Logger } from 'pino';
import { isUnreachable, type Db } from '../database/database.ts';
import { recordAttempts, type Attempt } from './store.ts';

/** Outcomes in one statement, at most. */
const BATCH = 200;
const GATHER_MS = 10;
/** Retries when the database is lost. */
const TRIES = 10;
const RETRY_MS = 500;

export interface OutcomesOptions {
  db: Db;
  holder: string;
  log: Logger;
}

/**
 * Stores the outcomes of attempts in batches: outcomes that arrive while a statement runs go into
 * the next.
 */
export class Outcomes {
  readonly #options: OutcomesOptions;
  #waiting: Attempt[] = [];
  #writing: Promise<void> | null = null;

  constructor(options: OutcomesOptions) {
    this.#options = options;
  }

  add(attempt: Attempt): void {
    this.#waiting.push(attempt);
    this.#writing ??= this.#write().finally(() => (this.#writing = null));
  }

  /** Waits until everything is stored. */
  async idle(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  async #write(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      await this.#record(this.#waiting.splice(0, BATCH), TRIES);
      // Under load, a pause of a few milliseconds turns many statements into one.
      if (this.#waiting.length > 0 && this.#waiting.length < BATCH)
        await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    }
  }

  /**
   * An outcome that cannot be stored leads to another delivery after its claim expired, with the
   * same id and bytes.
   */
  async #record(attempts: readonly Attempt[], tries: number): Promise<void> {
    const { db, holder, log } = this.#options;
    try {
      await recordAttempts(db, attempts, holder);
    } catch (error) {
      if (isUnreachable(error) && tries > 1) {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        return this.#record(attempts, tries - 1);
      }
      // One row that the database refuses must not lose the others.
      if (attempts.length > 1 && !isUnreachable(error))
        for (const attempt of attempts) await this.#record([attempt], 1);
      else
        log.error(
          {
            event: 'callback_attempt_not_recorded',
            err: error,
            callback_id: attempts[0]?.id,
            callbacks: attempts.length,
          },
          'a callback attempt was not recorded',
        );
    }
  }
}

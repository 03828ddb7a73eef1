import type { Logger } from 'pino';
import { isUnreachable, type Db } from '../database/database.ts';
import { recordAttempts, type Attempt } from './store.ts';

/** Results in one statement. */
const BATCH = 200;
const GATHER_MS = 10;
/** How often a database that went away is asked again. */
const TRIES = 10;
const RETRY_MS = 500;

export interface OutcomesOptions {
  db: Db;
  holder: string;
  log: Logger;
}

/** Writes what became of attempts: whatever comes while one statement runs goes into the next. */
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

  /** Waits until all is written. */
  async idle(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  async #write(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      await this.#record(this.#waiting.splice(0, BATCH), TRIES);
      // Under load, a few milliseconds make one statement of many.
      if (this.#waiting.length > 0 && this.#waiting.length < BATCH) await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    }
  }

  /** What can't be written is sent again after its claim ran out, with the same id and bytes. */
  async #record(attempts: readonly Attempt[], tries: number): Promise<void> {
    const { db, holder, log } = this.#options;
    try {
      await recordAttempts(db, attempts, holder);
    } catch (error) {
      if (isUnreachable(error) && tries > 1) {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        return this.#record(attempts, tries - 1);
      }
      // One that the database refuses is no reason to lose the others.
      if (attempts.length > 1 && !isUnreachable(error)) for (const attempt of attempts) await this.#record([attempt], 1);
      else log.error({ err: error, callback_id: attempts[0]?.id, callbacks: attempts.length }, 'a callback attempt was not recorded');
    }
  }
}

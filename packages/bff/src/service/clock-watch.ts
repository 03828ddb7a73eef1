export interface ClockWatchOptions {
  serviceUrl: string;
  fetch: typeof fetch;
  now: () => number;
  /** The service's time as it is known. */
  serverTime: () => number;
}

const EVERY_MS = 2000;
const TIMEOUT_MS = 1500;
/** The header has whole seconds, and an answer takes its time. */
const JUMP_MS = 3000;

/**
 * On a test network the clock can be moved by hand, and nothing tells. An unsigned request now and then shows it by its `Date`,
 * whatever it answers.
 */
export class ClockWatch {
  readonly #options: ClockWatchOptions;
  #at = 0;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
  }

  /** Whether the service's clock is not where it is thought to be. */
  async hasJumped(): Promise<boolean> {
    const { serviceUrl, fetch, now, serverTime } = this.#options;
    if (now() - this.#at < EVERY_MS) return false;
    this.#at = now();
    try {
      const answer = await fetch(`${serviceUrl.replace(/\/+$/, '')}/livez`, {
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer.body?.cancel();
      const date = Date.parse(answer.headers.get('date') ?? '');
      return Math.abs(date - serverTime()) > JUMP_MS;
    } catch {
      return false;
    }
  }
}

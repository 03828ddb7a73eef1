export interface ClockWatchOptions {
  serviceUrl: string;
  fetch: typeof fetch;
  now: () => number;
  /** The known time of the service. */
  serverTime: () => number;
}

const EVERY_MS = 2000;
const TIMEOUT_MS = 1500;
/** Tolerance: the header has whole seconds, and a response takes time. */
const JUMP_MS = 3000;

/**
 * Detects a manual change of the clock, which is possible on test networks. An unsigned request
 * shows the time in its `Date` header, for any status.
 */
export class ClockWatch {
  readonly #options: ClockWatchOptions;
  #at = 0;
  /** Milliseconds that the service's clock was ahead of ours at the last request. */
  #ahead: number | undefined;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
  }

  /**
   * Whether the clock of the service differs from its known time, or from our last request: the
   * reading of one checkout corrects the known time, and no other checkout hears of it.
   */
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
      if (Number.isNaN(date)) return false;
      const ahead = date - now();
      const moved = ahead - (this.#ahead ?? ahead);
      this.#ahead = ahead;
      return Math.max(Math.abs(date - serverTime()), Math.abs(moved)) > JUMP_MS;
    } catch {
      return false;
    }
  }
}

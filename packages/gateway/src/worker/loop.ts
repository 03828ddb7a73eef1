import type { Logger } from 'pino';

export interface LoopOptions {
  /** The loop's name in the log. */
  name: string;
  /** Pause after each round. */
  everyMs: number;
  log: Logger;
}

export interface Loop {
  /** Stops after the running round, and asks that round to end early. */
  stop(): Promise<void>;
}

const MAX_PAUSE_MS = 5_000;

/**
 * Repeats work until it is stopped. A failed round is logged and retried with a growing pause of up
 * to 5 s, so that a lost database is neither flooded nor forgotten.
 * @param work returns true when more is due now
 */
export function startLoop(
  { name, everyMs, log }: LoopOptions,
  work: (signal: AbortSignal) => Promise<boolean | void>,
): Loop {
  const stopping = new AbortController();
  const { signal } = stopping;
  let failures = 0;

  async function round(): Promise<boolean> {
    try {
      const more = await work(signal);
      if (failures > 0) log.info({ loop: name }, 'works again');
      failures = 0;
      return more === true;
    } catch (error) {
      failures += 1;
      // Only the first failure is logged: a database that is lost for an hour is not worth
      // thousands of lines.
      if (failures === 1) log.error({ err: error, loop: name }, 'failed and is tried again');
      return false;
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const more = await round();
      if (!more)
        await pause(
          failures === 0 ? everyMs : Math.min(everyMs * 2 ** Math.min(failures, 10), MAX_PAUSE_MS),
          signal,
        );
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Ends at once when stopped. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}

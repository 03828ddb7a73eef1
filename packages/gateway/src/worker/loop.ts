import type { Logger } from 'pino';

export interface LoopOptions {
  /** Names the loop in the log. */
  name: string;
  /** Pause after each round. */
  everyMs: number;
  log: Logger;
}

export interface Loop {
  /** Ends after the round that is running, and asks that one to end early. */
  stop(): Promise<void>;
}

const MAX_PAUSE_MS = 5_000;

/**
 * Repeats a piece of work until it is stopped. A round that fails is logged and tried again, more and more slowly up to 5 s, so
 * that a dead database is neither hammered nor forgotten.
 * @param work answers true when there is more to do at once
 */
export function startLoop({ name, everyMs, log }: LoopOptions, work: (signal: AbortSignal) => Promise<boolean | void>): Loop {
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
      // The first is enough to know; a database that is away for an hour is not worth thousands of lines.
      if (failures === 1) log.error({ err: error, loop: name }, 'failed and is tried again');
      return false;
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const more = await round();
      if (!more) await pause(failures === 0 ? everyMs : Math.min(everyMs * 2 ** Math.min(failures, 10), MAX_PAUSE_MS), signal);
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

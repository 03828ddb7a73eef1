import type { Logger } from 'pino';
import { failureSentence } from './failure-sentence.ts';

export interface LoopOptions {
  /** The loop's name in the log. */
  name: string;
  /** Pause after each round. */
  everyMs: number;
  log: Logger;
  /**
   * Calls its argument when there is news, which ends a pause; returns the function that ends it.
   */
  onNews?: ((wake: () => void) => () => void) | undefined;
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
  { name, everyMs, log, onNews }: LoopOptions,
  work: (signal: AbortSignal) => Promise<boolean | void>,
): Loop {
  const stopping = new AbortController();
  const { signal } = stopping;
  const alarmClock = createAlarmClock();
  const endNews = onNews?.(() => alarmClock.ring());
  let failures = 0;

  async function round(): Promise<boolean> {
    try {
      const more = await work(signal);
      if (failures > 0) log.info({ event: 'loop_recovered', loop: name }, 'recovered');
      failures = 0;
      return more === true;
    } catch (error) {
      failures += 1;
      // Only the first failure is logged: a database that is lost for an hour is not worth
      // thousands of lines.
      if (failures === 1) logFailure(error);
      return false;
    }
  }

  /** A sentence for operators needs no stack. */
  function logFailure(err: unknown): void {
    const sentence = failureSentence(err);
    if (sentence === null)
      log.error({ event: 'loop_failed', err, loop: name }, 'failed, will retry');
    else log.error({ event: 'loop_failed', loop: name }, `will retry: ${sentence}`);
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const more = await round();
      if (!more)
        await alarmClock.sleep(
          failures === 0 ? everyMs : Math.min(everyMs * 2 ** Math.min(failures, 10), MAX_PAUSE_MS),
        );
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      endNews?.();
      alarmClock.ring();
      await running;
    },
  };
}

interface AlarmClock {
  /** Ends early when it rings, and at once if it rang since the last sleep. */
  sleep(ms: number): Promise<void>;
  ring(): void;
}

function createAlarmClock(): AlarmClock {
  let hasRung = false;
  let wake: (() => void) | null = null;
  return {
    async sleep(ms) {
      if (!hasRung)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      wake = null;
      hasRung = false;
    },
    ring() {
      hasRung = true;
      wake?.();
    },
  };
}

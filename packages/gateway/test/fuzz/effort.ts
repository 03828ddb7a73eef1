import type { Parameters } from 'fast-check';

/** Seconds that all of fuzzing may take (`npm run nightly`); 0 in `npm test`, where the same few samples are tried every time. */
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 0);
/** Properties that share the time. */
const PROPERTIES = 26;

export const isLong = SECONDS > 0;

/** How many samples a property tries: a few, or for its share of the night as many as there is time for. */
export function effort<T>(runs: number): Parameters<T> {
  if (!isLong) return { numRuns: runs, seed: 20_261_121, endOnFailure: true };
  const interruptAfterTimeLimit = (SECONDS * 1000) / PROPERTIES;
  return { numRuns: 1_000_000_000, interruptAfterTimeLimit, markInterruptAsFailure: false };
}

/** Time that a test needs for it. */
export const timeout = Math.max(SECONDS * 1000, 30_000);

/** No request may work longer. */
const MOST_MS = 50;
const TRIES = 5;

/**
 * At night: CPU time of a piece of work stays below 50 ms. What took longer is repeated, and the best counts: a busy machine
 * is not a slow request.
 */
export async function requireQuick(name: string, work: () => unknown): Promise<void> {
  if (!isLong) {
    await work();
    return;
  }
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && best > MOST_MS; tries += 1) best = Math.min(best, await cpuOf(work));
  if (best > MOST_MS) throw new Error(`${best.toFixed(0)} ms of CPU time: ${name.slice(0, 2_000)}`);
}

async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

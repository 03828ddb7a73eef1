import type { Parameters } from 'fast-check';

/**
 * Total duration of the fuzz tests in seconds (`npm run nightly`). 0 in `npm test`, which uses a
 * few fixed samples.
 */
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 0);
/** Number of properties that share the time. */
const PROPERTIES = 26;

export const isNightly = SECONDS > 0;

/** Parameters of a property: a few fixed samples, or as many as its share of the time allows. */
export function fuzzParameters<T>(runs: number): Parameters<T> {
  if (!isNightly) return { numRuns: runs, seed: 20_261_121, endOnFailure: true };
  const interruptAfterTimeLimit = (SECONDS * 1000) / PROPERTIES;
  return { numRuns: 1_000_000_000, interruptAfterTimeLimit, markInterruptAsFailure: false };
}

/** Timeout of one test. */
export const timeout = Math.max(SECONDS * 1000, 30_000);

/** Limit on the CPU time of one request. */
const MAX_CPU_MS = 50;
const TRIES = 5;

/**
 * At night, checks that the work takes less than 50 ms of CPU time. The best of several tries
 * counts, because other load on the machine slows a request down.
 */
export async function checkCpuTime(name: string, work: () => unknown): Promise<void> {
  if (!isNightly) {
    await work();
    return;
  }
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && best > MAX_CPU_MS; tries += 1)
    best = Math.min(best, await cpuOf(work));
  if (best > MAX_CPU_MS)
    throw new Error(`The work took ${best.toFixed(0)} ms of CPU time: ${name.slice(0, 2_000)}`);
}

async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

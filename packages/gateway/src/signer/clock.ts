import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export interface SignerClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Stores the time, for the next start. */
  keep(): void;
}

export interface ClockSources {
  /** Default: `Date.now`. */
  wall?: () => number;
  /** Default: `performance.now`. */
  monotonic?: () => number;
}

/**
 * The time by which a day of the limits is counted. The clock of the machine is read at the start
 * alone, and a start is never earlier than the last time that was stored: a clock that is set back
 * or forward while the signer runs begins no day anew.
 * @param path file of the stored time
 */
export function openSignerClock(
  path: string,
  { wall = Date.now, monotonic = () => performance.now() }: ClockSources = {},
): SignerClock & { isBehind: boolean } {
  const kept = readKept(path);
  const [startedAt, start] = [Math.max(wall(), kept), monotonic()];
  const now = (): number => startedAt + Math.floor(monotonic() - start);
  return {
    now,
    keep() {
      writeFileSync(`${path}.next`, `${now()}\n`, { mode: 0o600 });
      renameSync(`${path}.next`, path);
    },
    /** The machine's clock was set back since the last run, or it was ahead then. */
    isBehind: wall() < kept,
  };
}

function readKept(path: string): number {
  const kept = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
  return Number.isSafeInteger(kept) ? kept : 0;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * The retry schedule: pauses after the first, second, … attempt. Our choice: short at first, then
 * up to three days in total.
 */
const DELAYS = [
  5 * SECOND,
  30 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  20 * HOUR,
];
/** No attempt starts later than this after the callback was queued. */
export const LIMIT_MS = 72 * HOUR;
const JITTER = 0.1;

export interface Attempted {
  /** Number of attempts, this one included. */
  attempts: number;
  /** Queue time and current time: real time, milliseconds since the epoch. */
  queuedAt: number;
  now: number;
  /** The pause that the receiver asked for. */
  retryAfterMs: number | null;
  /** From 0 to 1; 0.5 is the middle of the ±10 % jitter. */
  random: number;
}

/**
 * Returns the time of the next attempt.
 * @returns real time, or null when no attempt is left
 */
export function nextAttempt({
  attempts,
  queuedAt,
  now,
  retryAfterMs,
  random,
}: Attempted): number | null {
  const delay = DELAYS[attempts - 1];
  const end = queuedAt + LIMIT_MS;
  if (delay === undefined || now >= end) return null;
  const spread = delay * (1 + JITTER * (2 * random - 1));
  return Math.min(now + Math.max(spread, retryAfterMs ?? 0), end);
}

/** `Retry-After` in seconds or as a date; null for anything else. */
export function retryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header.trim()) * SECOND;
  // HTTP's one form of a date; `Date.parse` alone would read "-5" as a year.
  const at = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(header)
    ? Date.parse(header)
    : NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waiting times after the first, second, … attempt. A choice of ours: close together at first, then out to three days. */
const DELAYS = [5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 20 * HOUR];
/** Nothing is tried later than this after it was queued. */
export const LIMIT_MS = 72 * HOUR;
const JITTER = 0.1;

export interface Attempted {
  /** How many attempts there were, this one included. */
  attempts: number;
  /** When it was queued, and now: real time, milliseconds since the epoch. */
  queuedAt: number;
  now: number;
  /** What the receiver asked for. */
  retryAfterMs: number | null;
  /** From 0 to 1; 0.5 is the middle of the ±10 %. */
  random: number;
}

/**
 * When a callback is tried again.
 * @returns real time, or null when it has failed for good
 */
export function nextAttempt({ attempts, queuedAt, now, retryAfterMs, random }: Attempted): number | null {
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
  // The one form of a date that HTTP has; `Date.parse` alone would read "-5" as a year.
  const at = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

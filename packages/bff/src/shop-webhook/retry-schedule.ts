import type { CheckoutRecord, StoredEvent } from '../checkouts/repository/record.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
/**
 * Delays before the retries of an event; the last one repeats until the shop accepts. The shop's
 * webhook has these delays on its own: the gateway's callbacks have theirs in its
 * callback/schedule.ts.
 */
const RETRY_DELAYS_MS = [
  5 * SECOND,
  30 * SECOND,
  300 * SECOND,
  1800 * SECOND,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
];

/**
 * Minimum gap between two attempts. A callback and a new event cause an attempt before its
 * scheduled time, and one payment causes several callbacks, each with retries.
 */
export const MIN_GAP_MS = 30 * SECOND;

export const retryDelay = (attempts: number): number =>
  RETRY_DELAYS_MS[attempts] ?? RETRY_DELAYS_MS.at(-1)!;

/** Events keep their order: a shop must not receive "paid" before "seen". */
export function nextPending(record: CheckoutRecord): StoredEvent | undefined {
  return record.events.find(({ done_at }) => done_at === null);
}

/**
 * Own clock at the next attempt of a pending event. A stored time beyond every delay is from before
 * the clock stepped back, and counts as now.
 */
export function dueAt(record: CheckoutRecord, { next_at }: StoredEvent, now: number): number {
  const attempts = nextPending(record)?.attempts ?? 0;
  const longest = attempts === 0 ? MIN_GAP_MS : Math.max(MIN_GAP_MS, retryDelay(attempts - 1));
  return next_at > now + longest ? now : next_at;
}

/** Milliseconds to the next attempt, not above 0 when it is due; null without a pending event. */
export function untilNextAttempt(record: CheckoutRecord, now: number): number | null {
  const pending = record.events.filter(({ done_at }) => done_at === null);
  return pending.length > 0
    ? Math.min(...pending.map((event) => dueAt(record, event, now))) - now
    : null;
}

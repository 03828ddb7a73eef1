import { describe, expect, it } from 'vitest';
import { nextAttempt, retryAfter } from './schedule.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const start = 1_000_000;

const attempt = (attempts: number, now: number, random = 0.5, retryAfterMs: number | null = null) =>
  nextAttempt({ attempts, queuedAt: start, now, retryAfterMs, random });

describe('nextAttempt', () => {
  it('waits 5 s, 30 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 20 h, then ends', () => {
    let now = start;
    const waits: number[] = [];
    for (let attempts = 1; ; attempts++) {
      const next = attempt(attempts, now);
      if (next === null) break;
      waits.push((next - now) / 1000);
      now = next;
    }
    expect(waits).toEqual([5, 30, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 72_000]);
    expect(now - start).toBeLessThanOrEqual(3 * DAY);
  });

  it('spreads by 10 % to both sides', () => {
    expect(attempt(1, start, 0)).toBe(start + 4_500);
    expect(attempt(1, start, 1)).toBe(start + 5_500);
  });

  it('stays within 72 hours for any jitter and Retry-After', () => {
    let now = start;
    let last: number | null = now;
    for (let attempts = 1; last !== null; attempts++) {
      now = last;
      last = attempt(attempts, now, 1);
    }
    expect(now - start).toBeLessThanOrEqual(3 * DAY);
    expect(attempt(1, start, 0.5, 10 * DAY)).toBe(start + 3 * DAY);
    expect(attempt(2, start + 3 * DAY)).toBeNull();
  });

  it('comes no earlier than Retry-After', () => {
    expect(attempt(1, start, 0.5, 60_000)).toBe(start + 60_000);
    expect(attempt(3, start, 0.5, 60_000)).toBe(start + 300_000);
  });
});

describe('retryAfter', () => {
  it('accepts seconds and dates', () => {
    expect(retryAfter('120', start)).toBe(120_000);
    expect(retryAfter(new Date(start + 9_000).toUTCString(), start)).toBe(9_000);
    expect(retryAfter(new Date(0).toUTCString(), start)).toBe(0);
  });

  it('ignores anything else', () => {
    for (const header of [null, '', 'soon', '-5', '1.5e3x', '99999999999999'])
      expect(retryAfter(header, start)).toBeNull();
  });
});

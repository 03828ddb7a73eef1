import { describe, expect, it } from 'vitest';
import { Limits, RateLimiter } from './rate-limit.ts';

describe('a rate limit', () => {
  it('allows a burst, then the rate, per caller', () => {
    const limiter = new RateLimiter({ rps: 2, burst: 3 });
    const take = (caller: string, at: number) => limiter.take(caller, at);
    expect([take('a', 0), take('a', 0), take('a', 0), take('a', 0)]).toEqual([null, null, null, 1]);
    expect(take('b', 0)).toBe(null);
    expect([take('a', 499), take('a', 500), take('a', 500)]).toEqual([1, null, 1]);
  });

  it('counts neither refused requests nor checks', () => {
    const limiter = new RateLimiter({ rps: 1, burst: 1 });
    expect(limiter.take('a', 0)).toBe(null);
    for (let at = 0; at < 5; at += 1)
      expect([limiter.take('a', 10), limiter.peek('a', 10)]).toEqual([1, 1]);
    expect([limiter.peek('a', 1_000), limiter.take('a', 1_000)]).toEqual([null, null]);
  });

  it('delays no caller after the clock stepped back', () => {
    const limiter = new RateLimiter({ rps: 2, burst: 3 });
    const ahead = 172_800_000;
    for (let request = 0; request < 4; request += 1) limiter.take('a', ahead);
    expect(limiter.peek('a', ahead)).toBe(1);
    expect(limiter.peek('a', 0)).toBe(null);
    // Limited as before from then on.
    expect([0, 0, 0, 0].map((at) => limiter.take('a', at))).toEqual([null, null, null, 1]);
    expect(limiter.take('a', 500)).toBe(null);
  });

  it('evicts the least recent caller when there are too many', () => {
    const limiter = new RateLimiter({ rps: 0.001, burst: 2, maxCallers: 3 });
    const isRefused = (caller: string, at: number) => limiter.peek(caller, at) !== null;
    for (const caller of ['busy', 'quiet'])
      for (let request = 0; request < 2; request += 1) limiter.take(caller, 0);
    expect([isRefused('busy', 0), isRefused('quiet', 0)]).toEqual([true, true]);
    // Counted again 1,000 s later, so it is the most recent again.
    limiter.take('busy', 1_000_000);
    for (const caller of ['c', 'd']) limiter.take(caller, 1_000_000);
    expect([isRefused('busy', 1_000_000), isRefused('quiet', 0)]).toEqual([true, false]);
  });
});

describe('the limits of keys', () => {
  it("give the checkout's own key five times as much as others", () => {
    const limits = new Limits({ rateLimitRps: 20, rateLimitBurst: 60 }, { checkoutKey: 'bff' });
    const taken = (key: string, now: number): number => {
      for (let count = 0; count < 1_000; count += 1) {
        try {
          limits.requireKey(key, now);
        } catch {
          return count;
        }
      }
      return Infinity;
    };
    expect([taken('other', 0), taken('bff', 0)]).toEqual([60, 300]);
    expect([taken('other', 1_000), taken('bff', 1_000)]).toEqual([20, 100]);
  });
});

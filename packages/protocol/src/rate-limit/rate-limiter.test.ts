import { describe, expect, it } from 'vitest';
import { RateLimiter } from './rate-limiter.ts';

describe('a rate limiter', () => {
  it('allows a burst, then the rate, per caller', () => {
    const limiter = new RateLimiter({ perSecond: 2, burst: 3 });
    const take = (caller: string, at: number) => limiter.take(caller, at);
    expect([take('a', 0), take('a', 0), take('a', 0), take('a', 0)]).toEqual([0, 0, 0, 500]);
    expect(take('b', 0)).toBe(0);
    expect([take('a', 499), take('a', 500), take('a', 500)]).toEqual([1, 0, 500]);
    expect(take('a', 60_000)).toBe(0);
  });

  it('allows the burst, then the rate, never more over a long time', () => {
    const limiter = new RateLimiter({ perSecond: 10, burst: 5 });
    let passed = 0;
    for (let now = 0; now < 10_000; now += 7) if (limiter.take('a', now) === 0) passed += 1;
    expect(passed).toBeGreaterThanOrEqual(103);
    expect(passed).toBeLessThanOrEqual(105);
  });

  it.each([1 / 60, 1 / 3, 0.7, 3, 7, 30])('allows the whole burst at %f a second', (perSecond) => {
    for (const now of [12_345.678, 1_000_000.1, 1_764_107_520_123]) {
      const limiter = new RateLimiter({ perSecond, burst: 15 });
      const taken = Array.from({ length: 100 }, () => limiter.take('a', now) === 0);
      expect(taken.filter(Boolean).length, String(now)).toBe(15);
    }
  });

  it('counts neither refused requests nor checks', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 1 });
    expect(limiter.take('a', 0)).toBe(0);
    for (let tries = 0; tries < 100; tries += 1)
      expect([limiter.take('a', 1), limiter.peek('a', 1)]).toEqual([999, 999]);
    expect(limiter.peek('b', 1)).toBe(0);
    expect([limiter.peek('a', 1_000), limiter.take('a', 1_000)]).toEqual([0, 0]);
  });

  it('takes back a request', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 2 });
    expect([limiter.take('a', 0), limiter.take('a', 0)]).toEqual([0, 0]);
    limiter.giveBack('a');
    limiter.giveBack('b');
    expect([limiter.take('a', 0), limiter.take('a', 0)]).toEqual([0, 1000]);
  });

  it('delays no caller after the clock stepped back', () => {
    const limiter = new RateLimiter({ perSecond: 2, burst: 3 });
    const ahead = 172_800_000;
    for (let request = 0; request < 4; request += 1) limiter.take('a', ahead);
    expect(limiter.peek('a', ahead)).toBe(500);
    expect(limiter.peek('a', 0)).toBe(0);
    // Limited as before from then on.
    expect([0, 0, 0, 0].map((at) => limiter.take('a', at))).toEqual([0, 0, 0, 500]);
    expect(limiter.take('a', 500)).toBe(0);
  });

  it('evicts the least recent caller when there are too many', () => {
    const limiter = new RateLimiter({ perSecond: 0.001, burst: 2, maxCallers: 3 });
    const isRefused = (caller: string, at: number) => limiter.peek(caller, at) > 0;
    for (const caller of ['busy', 'quiet'])
      for (let request = 0; request < 2; request += 1) limiter.take(caller, 0);
    expect([isRefused('busy', 0), isRefused('quiet', 0)]).toEqual([true, true]);
    // Counted again 1,000 s later, so it is the most recent again.
    limiter.take('busy', 1_000_000);
    for (const caller of ['c', 'd']) limiter.take(caller, 1_000_000);
    expect([isRefused('busy', 1_000_000), isRefused('quiet', 0)]).toEqual([true, false]);
  });

  it('forgets the oldest caller beyond its bound, and still limits the newest', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 1, maxCallers: 10 });
    expect([limiter.take('a', 0), limiter.take('a', 0)]).toEqual([0, 1000]);
    for (let caller = 0; caller < 10; caller += 1) expect(limiter.take(String(caller), 0)).toBe(0);
    expect(limiter.take('a', 0)).toBe(0);
    expect(limiter.take('9', 0)).toBe(1000);
  });

  it('has bounded memory by default', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 1 });
    for (let caller = 0; caller < 250_000; caller += 1) limiter.take(String(caller), 0);
    expect([limiter.take('0', 0), limiter.take('249999', 0)]).toEqual([0, 1000]);
  });

  it('accepts one request at once where the burst is less than one', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 0.25 });
    expect([limiter.take('a', 0), limiter.take('a', 999)]).toEqual([0, 1]);
  });
});

import { describe, expect, it } from 'vitest';
import { RateLimiter } from './rate-limit.ts';

describe('a limit', () => {
  it('lets a burst through, then the rate, each caller for itself', () => {
    const limiter = new RateLimiter({ rps: 2, burst: 3 });
    const take = (caller: string, at: number) => limiter.take(caller, at);
    expect([take('a', 0), take('a', 0), take('a', 0), take('a', 0)]).toEqual([null, null, null, 1]);
    expect(take('b', 0)).toBe(null);
    expect([take('a', 499), take('a', 500), take('a', 500)]).toEqual([1, null, 1]);
  });

  it('doesn’t count what it refuses, nor what only asks', () => {
    const limiter = new RateLimiter({ rps: 1, burst: 1 });
    expect(limiter.take('a', 0)).toBe(null);
    for (let at = 0; at < 5; at += 1) expect([limiter.take('a', 10), limiter.peek('a', 10)]).toEqual([1, 1]);
    expect([limiter.peek('a', 1_000), limiter.take('a', 1_000)]).toEqual([null, null]);
  });

  it('forgets who was seen the longest ago when there are too many', () => {
    const limiter = new RateLimiter({ rps: 0.001, burst: 2, maxCallers: 3 });
    const isRefused = (caller: string, at: number) => limiter.peek(caller, at) !== null;
    for (const caller of ['busy', 'quiet']) for (let request = 0; request < 2; request += 1) limiter.take(caller, 0);
    expect([isRefused('busy', 0), isRefused('quiet', 0)]).toEqual([true, true]);
    // Counted again 1,000 s later, so it is behind the other in turn.
    limiter.take('busy', 1_000_000);
    for (const caller of ['c', 'd']) limiter.take(caller, 1_000_000);
    expect([isRefused('busy', 1_000_000), isRefused('quiet', 0)]).toEqual([true, false]);
  });
});

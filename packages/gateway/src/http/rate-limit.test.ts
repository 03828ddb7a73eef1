import { describe, expect, it } from 'vitest';
import type { ServiceError } from './error.ts';
import { Limits } from './rate-limit.ts';

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

  it('names the whole seconds until the next request is accepted', () => {
    const limits = new Limits({ rateLimitRps: 0.4, rateLimitBurst: 1 });
    limits.requireKey('key', 0);
    const refusal = (now: number): ServiceError => {
      try {
        limits.requireKey('key', now);
      } catch (error) {
        return error as ServiceError;
      }
      throw new Error('The request was accepted');
    };
    for (const [now, seconds] of [
      [0, '3'],
      [500, '2'],
      [2_499, '1'],
    ] as const) {
      expect(refusal(now).headers).toEqual({ 'Retry-After': seconds });
      expect(refusal(now).message).toContain(`accepted in ${seconds} s`);
    }
    expect(() => limits.requireKey('key', 2_500)).not.toThrow();
  });
});

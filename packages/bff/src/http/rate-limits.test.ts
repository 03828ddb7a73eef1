import { describe, expect, it } from 'vitest';
import { Limiter } from './rate-limits.ts';

describe('a limiter', () => {
  it('allows a burst, then the rate', () => {
    const limiter = new Limiter(2, 3);
    expect([0, 0, 0, 0].map(() => limiter.take('a', 0))).toEqual([0, 0, 0, 500]);
    expect(limiter.take('a', 499)).toBe(1);
    expect(limiter.take('a', 500)).toBe(0);
    expect(limiter.take('a', 500)).toBe(500);
    expect(limiter.take('a', 60_000)).toBe(0);
  });

  it('counts keys separately and ignores rejected calls', () => {
    const limiter = new Limiter(1, 1);
    expect(limiter.take('a', 0)).toBe(0);
    for (let tries = 0; tries < 100; tries += 1) expect(limiter.take('a', 1)).toBe(999);
    expect(limiter.take('b', 1)).toBe(0);
    expect(limiter.wait('a', 1)).toBe(999);
    expect(limiter.wait('c', 1)).toBe(0);
    expect(limiter.take('a', 1000)).toBe(0);
  });

  it('takes back an event', () => {
    const limiter = new Limiter(1, 2);
    expect([limiter.take('a', 0), limiter.take('a', 0)]).toEqual([0, 0]);
    limiter.giveBack('a');
    limiter.giveBack('b');
    expect([limiter.take('a', 0), limiter.take('a', 0)]).toEqual([0, 1000]);
  });

  it('has bounded memory', () => {
    const limiter = new Limiter(1, 1);
    for (let key = 0; key < 250_000; key += 1) limiter.take(String(key), 0);
    expect(limiter.take('249999', 0)).toBe(1000);
  });
});

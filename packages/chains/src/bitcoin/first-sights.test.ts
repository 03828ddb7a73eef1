import { describe, expect, it } from 'vitest';
import { createFirstSights } from './first-sights.ts';

const START = Date.UTC(2026, 0, 1);

describe('the age of an unconfirmed transaction', () => {
  it.each([
    ['is that of the mempool of its node', START / 1_000 - 90, 90],
    ['is nothing in the future', START / 1_000 + 90, 0],
    ['is that of the first look without a time', undefined, 0],
    ['is that of the first look with a negative time', -1, 0],
  ])('%s', (_, since, age) => {
    expect(createFirstSights(() => START).ageOf('aa', since)).toBe(age);
  });

  it('counts whole seconds from the first look, and begins anew when it comes back', () => {
    let now = START;
    const sights = createFirstSights(() => now);
    expect(sights.ageOf('aa')).toBe(0);
    now += 12_900;
    expect(sights.ageOf('aa')).toBe(12);
    expect(sights.ageOf('bb')).toBe(0);
    now -= 60_000;
    expect(sights.ageOf('aa')).toBe(0);
    now += 120_000;
    sights.forget('aa');
    expect(sights.ageOf('aa')).toBe(0);
  });

  it('is forgotten for the oldest of more than ten thousand', () => {
    let now = START;
    const sights = createFirstSights(() => now);
    for (let index = 0; index <= 10_000; index += 1) sights.ageOf(String(index));
    now += 5_000;
    expect([sights.ageOf('1'), sights.ageOf('0')]).toEqual([5, 0]);
  });
});

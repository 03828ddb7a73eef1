import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withinTime } from './within-time.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const never = (): never => expect.unreachable('there is a result in time');
const after = <T>(ms: number, value: T): Promise<T> =>
  new Promise((resolve) => setTimeout(() => resolve(value), ms));

describe('withinTime', () => {
  it('returns the result of the work, and leaves no timer', async () => {
    const result = withinTime(() => after(99, 'done'), 100, never);
    await vi.advanceTimersByTimeAsync(99);
    expect(await result).toBe('done');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('passes an error of the work on, and leaves no timer', async () => {
    await expect(withinTime(() => Promise.reject(new Error('broken')), 100, never)).rejects.toThrow(
      'broken',
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  it('returns the alternative after the time-out', async () => {
    const result = withinTime(
      () => after(101, 'done'),
      100,
      () => 'late',
    );
    await vi.advanceTimersByTimeAsync(100);
    expect(await result).toBe('late');
  });

  it('throws what the alternative throws, and ignores an error of the work that comes later', async () => {
    const work = (): Promise<never> =>
      after(200, null).then((): never => {
        throw new Error('too late to matter');
      });
    const result = withinTime(work, 100, () => {
      throw new Error('no answer');
    });
    const refused = expect(result).rejects.toThrow('no answer');
    await vi.advanceTimersByTimeAsync(300);
    await refused;
  });
});

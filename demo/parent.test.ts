import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { endWithParent } from './parent.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ends once when the process that started it is gone', () => {
  let parent = 4711;
  const end = vi.fn();
  endWithParent(end, () => parent);
  vi.advanceTimersByTime(60_000);
  expect(end).not.toHaveBeenCalled();
  parent = 1;
  vi.advanceTimersByTime(60_000);
  expect(end).toHaveBeenCalledTimes(1);
});

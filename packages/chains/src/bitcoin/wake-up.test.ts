import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWakeUp } from './wake-up.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('wakes at once, and while messages pour in at most four times a second', () => {
  let message = (): void => {};
  const ended = vi.fn();
  const { onNews } = createWakeUp({
    urls: ['tcp://127.0.0.1:1'],
    subscribe: ({ onMessage }) => {
      message = onMessage;
      return ended;
    },
  });
  const wake = vi.fn();
  const end = onNews(wake);
  message();
  expect(wake).toHaveBeenCalledTimes(1);
  for (let ms = 0; ms < 1_000; ms += 1) {
    message();
    vi.advanceTimersByTime(1);
  }
  expect(wake).toHaveBeenCalledTimes(5);
  message();
  vi.advanceTimersByTime(1_000);
  // The last message is not lost, and nothing follows it.
  expect(wake).toHaveBeenCalledTimes(6);
  vi.advanceTimersByTime(1_000);
  message();
  expect(wake).toHaveBeenCalledTimes(7);
  end();
  expect(ended).toHaveBeenCalledTimes(1);
});

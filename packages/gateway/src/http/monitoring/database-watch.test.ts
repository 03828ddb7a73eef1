import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Context } from '../../context.ts';
import { DatabaseWatch } from './database-watch.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A watch over a database that answers or not, and counts its probes. */
function watching(lives: () => boolean) {
  const databaseAnswers = vi.fn(async () => lives());
  return { watch: new DatabaseWatch({ databaseAnswers } as unknown as Context), databaseAnswers };
}
const never = () => new Promise<never>(() => {});
const done = <T>(result: T): T => result;

it('probes the database after 1.25 s without an answer, and gives up if it is down', async () => {
  const { watch, databaseAnswers } = watching(() => false);
  const refused = expect(watch.orUnavailable(never(), done)).rejects.toMatchObject({
    name: 'UnavailableError',
  });
  await vi.advanceTimersByTimeAsync(1_249);
  expect(databaseAnswers).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(databaseAnswers).toHaveBeenCalledTimes(1);
  await refused;
});

it('keeps waiting for a slow database, and probes again after the same time', async () => {
  let lives = true;
  const { watch, databaseAnswers } = watching(() => lives);
  let answer: (text: string) => void = () => {};
  const slow = watch.orUnavailable(new Promise<string>((resolve) => (answer = resolve)), done);
  const hung = expect(watch.orUnavailable(never(), done)).rejects.toMatchObject({
    name: 'UnavailableError',
  });
  await vi.advanceTimersByTimeAsync(2_499);
  expect(databaseAnswers).toHaveBeenCalledTimes(1);
  answer('at last');
  expect(await slow).toBe('at last');
  lives = false;
  await vi.advanceTimersByTimeAsync(1);
  expect(databaseAnswers).toHaveBeenCalledTimes(2);
  await hung;
});

import { UnavailableError } from '@crypto-checkout/chains/error';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { startLoop } from './loop.ts';

const log = pino({ level: 'silent' });
const until = (condition: () => boolean) => expect.poll(condition, { interval: 2 }).toBe(true);

describe('a loop', () => {
  it('repeats its work until stopped, never two rounds at once', async () => {
    let rounds = 0;
    let running = 0;
    const loop = startLoop({ name: 'test', everyMs: 1, log }, async () => {
      running += 1;
      expect(running).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
      rounds += 1;
    });
    await until(() => rounds >= 3);
    await loop.stop();
    const stopped = rounds;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(rounds).toBe(stopped);
  });

  it('continues after a failed round', async () => {
    let rounds = 0;
    const loop = startLoop({ name: 'test', everyMs: 1, log }, async () => {
      rounds += 1;
      if (rounds < 3) throw new Error('the database is away');
    });
    await until(() => rounds >= 5);
    await loop.stop();
  });

  it('has the sentence for operators in its log line, and a stack for a bug', async () => {
    const lines: string[] = [];
    const logged = pino({}, { write: (line: string) => void lines.push(line) });
    const failures = [
      new UnavailableError('The node does not answer (ECONNREFUSED)'),
      new Error('the bug'),
    ];
    for (const failure of failures) {
      const before = lines.length;
      const loop = startLoop({ name: 'scan ethereum', everyMs: 1, log: logged }, async () => {
        throw failure;
      });
      await until(() => lines.length > before);
      await loop.stop();
    }
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { msg: 'will retry: The node does not answer (ECONNREFUSED)', loop: 'scan ethereum' },
      { msg: 'failed, will retry', err: { message: 'the bug' } },
    ]);
    expect(lines[0]).not.toContain('stack');
  });

  it('continues at once when there is more work', async () => {
    let rounds = 0;
    const loop = startLoop({ name: 'test', everyMs: 60_000, log }, async () => {
      rounds += 1;
      return rounds < 5;
    });
    await until(() => rounds === 5);
    await loop.stop();
  });

  it('aborts the running round and waits for it', async () => {
    let ended = false;
    let begun = false;
    const loop = startLoop({ name: 'test', everyMs: 1, log }, async (signal) => {
      begun = true;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      ended = true;
    });
    await until(() => begun);
    await loop.stop();
    expect(ended).toBe(true);
  });
});

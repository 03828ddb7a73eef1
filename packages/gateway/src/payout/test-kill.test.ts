import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { testContext } from '../test-context.ts';
import { mortal } from './test-kill.ts';

it('what a process had begun that was killed has come to its end before another lives', async () => {
  const context = await testContext();
  const doomed = mortal(context);
  const ask = (seconds = 0) => sql`select pg_sleep(${seconds})`.execute(doomed.context.db);
  try {
    doomed.live(2);
    // The first of it is asked before the end, the second is not.
    const beside = ask(0.3).then(() => ask());
    beside.catch(() => {});
    await expect(ask().then(() => ask())).rejects.toThrow('killed');
    await doomed.rest();
    doomed.live(Number.POSITIVE_INFINITY);
    await expect(beside).rejects.toThrow('killed');
    await ask();
  } finally {
    await doomed.close();
    await context.close();
  }
});

import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { testContext } from '../test-context.ts';
import { mortal } from './test-kill.ts';

/** Any number: what the statement that outlives its process waits for. */
const GATE = 4711;

it('what a process had begun that was killed has come to its end before another lives', async () => {
  const context = await testContext();
  const doomed = mortal(context);
  const ask = () => sql`select 1`.execute(doomed.context.db);
  try {
    let beside: Promise<unknown> = Promise.resolve();
    let resting: Promise<void> = Promise.resolve();
    await context.db.transaction().execute(async (gatekeeper) => {
      await sql`select pg_advisory_xact_lock(${GATE}::bigint)`.execute(gatekeeper);
      doomed.live(1);
      // The first of it is asked before the end, the second is not.
      beside = sql`select pg_advisory_lock(${GATE}::bigint)`.execute(doomed.context.db).then(ask);
      beside.catch(() => {});
      await vi.waitFor(async () => {
        const { rows } = await sql`select from pg_locks where locktype = 'advisory' and objid = ${GATE} and not granted`.execute(
          gatekeeper,
        );
        expect(rows).toHaveLength(1);
      }, 30_000);
      await expect(ask()).rejects.toThrow('killed');
      resting = doomed.rest();
    });
    await resting;
    doomed.live(Number.POSITIVE_INFINITY);
    await expect(beside).rejects.toThrow('killed');
    await ask();
  } finally {
    await doomed.close();
    await context.close();
  }
});

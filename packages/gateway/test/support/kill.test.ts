import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { testContext } from './context.ts';
import { killableProcess } from './kill.ts';

/** An arbitrary lock that a statement waits for after its process was killed. */
const LOCK = 4711;

it('waitUntilIdle waits for statements that started before the crash', async () => {
  const context = await testContext();
  const killable = killableProcess(context);
  const query = () => sql`select 1`.execute(killable.context.db);
  try {
    let blocked: Promise<unknown> = Promise.resolve();
    let idle: Promise<void> = Promise.resolve();
    await context.db.transaction().execute(async (holder) => {
      await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(holder);
      killable.surviveFor(1);
      // The first statement starts before the crash, the second does not.
      blocked = sql`select pg_advisory_lock(${LOCK}::bigint)`
        .execute(killable.context.db)
        .then(query);
      blocked.catch(() => {});
      await vi.waitFor(async () => {
        const { rows } =
          await sql`select from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`.execute(
            holder,
          );
        expect(rows).toHaveLength(1);
      }, 30_000);
      await expect(query()).rejects.toThrow('killed');
      idle = killable.waitUntilIdle();
    });
    await idle;
    killable.surviveFor(Number.POSITIVE_INFINITY);
    await expect(blocked).rejects.toThrow('killed');
    await query();
  } finally {
    await killable.close();
    await context.close();
  }
});

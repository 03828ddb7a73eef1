import type { Selectable } from 'kysely';
import type { Context } from '../context.ts';
import { transact } from '../database/database.ts';
import type { AlarmTable } from '../database/tables/transaction.ts';

/** Alarms of one round; the others follow in the next one. */
const LIMIT = 100;

/**
 * Logs every alarm once, by one of the processes on the database. One that is stopped between the
 * log and the mark leaves the alarm to be logged again. At the start, open alarms are counted.
 */
export function watchAlarms({ db, log }: Context): () => Promise<void> {
  let first = true;
  return async () => {
    if (first) await countOpen({ db, log });
    first = false;
    await transact(db, async (trx) => {
      const alarms = await trx
        .selectFrom('alarm')
        .selectAll()
        .where('is_logged', '=', false)
        .orderBy('raised_at')
        .limit(LIMIT)
        .forUpdate()
        .skipLocked()
        .execute();
      for (const alarm of alarms)
        log.error({ event: 'alarm_raised', alarm: shown(alarm) }, alarm.reason);
      if (alarms.length === 0) return;
      const ids = alarms.map(({ id }) => id);
      await trx.updateTable('alarm').set({ is_logged: true }).where('id', 'in', ids).execute();
    });
  };
}

async function countOpen({ db, log }: Pick<Context, 'db' | 'log'>): Promise<void> {
  const { count: alarms } = await db
    .selectFrom('alarm')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (alarms > 0)
    log.warn({ event: 'alarms_open', alarms }, 'there are alarms that an operator must look at');
}

const shown = ({ id, chain, resource_id, reason, raised_at, funding }: Selectable<AlarmTable>) => ({
  id,
  chain,
  resource_id,
  reason,
  raised_at,
  funding,
});

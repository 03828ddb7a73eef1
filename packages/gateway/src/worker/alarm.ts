import type { Context } from '../context.ts';

/** Logs every alarm that was raised since the process started, once each. */
export function watchAlarms({ db, log }: Context): () => Promise<void> {
  const logged = new Set<string>();
  let first = true;
  return async () => {
    const alarms = await db
      .selectFrom('alarm')
      .selectAll()
      .orderBy('raised_at', 'desc')
      .limit(100)
      .execute();
    for (const alarm of alarms) {
      if (!logged.has(alarm.id) && !first)
        log.error({ event: 'alarm_raised', alarm }, alarm.reason);
      logged.add(alarm.id);
    }
    if (first && alarms.length > 0)
      log.warn(
        { event: 'alarms_open', alarms: alarms.length },
        'there are alarms that an operator must look at',
      );
    first = false;
  };
}

import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { type Alarm, takeAlarm } from './store.ts';

/**
 * Takes an alarm off the list, because somebody has looked at it; the log keeps who. What goes on being wrong raises it again.
 * @param accountId null for the operator, who may dismiss every one
 * @throws ServiceError `NotFound`, also for the second time and for another account's
 */
export async function dismissAlarm({ db, log }: Context, accountId: string | null, id: string, by: string): Promise<Alarm> {
  const alarm = await takeAlarm(db, accountId, id);
  if (!alarm) throw new ServiceError('NotFound', 'There is no alarm with this id.');
  log.info({ alarm, by }, 'an alarm was dismissed');
  return alarm;
}

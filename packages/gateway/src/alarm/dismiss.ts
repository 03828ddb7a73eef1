import type { Alarm } from '@crypto-checkout/protocol/dashboard';
import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { presentAlarm } from './present.ts';
import { takeAlarm } from './store.ts';

/**
 * Dismisses an alarm that was handled; the log keeps the user's name. It is raised again when its
 * cause is found again.
 * @param accountId null for the operator, who may dismiss every alarm
 * @throws ServiceError `NotFound`, also for the second time and for another account's alarm
 */
export async function dismissAlarm(
  { db, log }: Context,
  accountId: string | null,
  id: string,
  by: string,
): Promise<Alarm> {
  const row = await takeAlarm(db, accountId, id);
  if (!row) throw new ServiceError('NotFound', 'There is no alarm with this id.');
  const alarm = presentAlarm(row);
  log.info({ event: 'alarm_dismissed', alarm, by }, 'an alarm was dismissed');
  return alarm;
}

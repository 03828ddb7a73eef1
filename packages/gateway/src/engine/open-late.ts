import { raiseAlarmOnce } from '../alarm/raise.ts';
import type { Context } from '../context.ts';

/**
 * Asks the nodes that did not answer so far. A wrong answer cannot end the start any more, so it
 * raises an alarm.
 */
export async function openLateChains(context: Context): Promise<void> {
  for (const { chain, mistake } of await context.openLateChains())
    await raiseAlarmOnce(context, chain, mistake);
}

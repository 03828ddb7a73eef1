import type { ChainId } from '@crypto-checkout/protocol/kind';
import { clearLapsed, raiseRecurring } from '../alarm/recurring.ts';
import type { Context } from '../context.ts';
import type { AlarmFunding } from '../database/tables/transaction.ts';

const WAITS = 'A sweep waits: ';
const NOT_SWEPT = 'Deposits are not swept: ';

/** Raised while a sweep waits for the same reason. */
export const raiseSweepWaits = (
  context: Context,
  chain: ChainId,
  reason: string,
  funding: AlarmFunding | null = null,
): Promise<void> => raiseRecurring(context, chain, `${WAITS}${reason}`, funding);

/** Raised while deposits stay on their addresses. */
export const raiseNotSwept = (context: Context, chain: ChainId, reason: string): Promise<void> =>
  raiseRecurring(context, chain, `${NOT_SWEPT}${reason}`);

/** Removes both when their cause has ended: `on` a chain after a round that missed nothing. */
export const clearSweepAlarms = (
  context: Context,
  chains: Parameters<typeof clearLapsed>[1],
): Promise<void> => clearLapsed(context, chains, [WAITS, NOT_SWEPT]);

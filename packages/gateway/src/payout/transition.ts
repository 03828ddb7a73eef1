import type { PayoutStatus } from '@crypto-checkout/protocol/status';
import { deleteAlarmsAbout } from '../alarm/store.ts';
import { queueCallbacks } from '../callback/queue.ts';
import type { Context } from '../context.ts';
import { timestamp, type Trx } from '../database/database.ts';
import { presentPayout } from './present.ts';
import { checkPayoutMoves, followPath, isEnded } from './state.ts';
import { findPayouts, savePayout, type PayoutChange, type PayoutRow } from './store.ts';

checkPayoutMoves();

/**
 * Moves a locked payout along a path of the table. The status, the version and the callbacks commit
 * together with the caller's postings. Each event is reported once.
 * @throws Error for a step that is not in the table
 */
export async function movePayout(
  trx: Trx,
  context: Context,
  row: PayoutRow,
  path: readonly PayoutStatus[],
  change: PayoutChange = {},
): Promise<void> {
  const { status, events } = followPath(row.status, path);
  const newEvents = events.filter((event) => !row.events.includes(event));
  const at = timestamp(context.clock.now());
  await savePayout(trx, row, {
    ...change,
    status,
    events: [...row.events, ...newEvents],
    updated_at: at,
  });
  // A funded or ended payout needs no operator.
  if (status !== row.status && (row.status === 'awaiting_funds' || isEnded(status)))
    await deleteAlarmsAbout(trx, row.id);
  if (newEvents.length === 0) return;
  const [view] = await findPayouts(trx, [row.id]);
  const shown = presentPayout(view!);
  await queueCallbacks(
    trx,
    context,
    newEvents.map((event) => ({
      accountId: row.account_id,
      profileId: row.profile_id,
      id: row.id,
      event,
      shown,
    })),
  );
}

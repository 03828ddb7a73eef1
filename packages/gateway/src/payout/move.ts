import type { PayoutStatus } from '@crypto-checkout/protocol/status';
import { forgetAlarmsAbout } from '../alarm/store.ts';
import { queueCallbacks } from '../callback/queue.ts';
import type { Context } from '../context.ts';
import { timestamp, type Trx } from '../database/database.ts';
import { presentPayout } from './present.ts';
import { checkPayoutMoves, followPath, PAYOUT_MOVES } from './state.ts';
import { findPayouts, savePayout, type PayoutChange, type PayoutRow } from './store.ts';

checkPayoutMoves();

/**
 * Moves a locked payout along a path of the table, with what else is known now: status, version and callbacks become visible
 * together with the caller's postings. An event is told once.
 * @throws Error when a step is not in the table
 */
export async function movePayout(
  trx: Trx,
  context: Context,
  row: PayoutRow,
  path: readonly PayoutStatus[],
  change: PayoutChange = {},
): Promise<void> {
  const { status, events } = followPath(row.status, path);
  const fresh = events.filter((event) => !row.events.includes(event));
  const at = timestamp(context.clock.now());
  await savePayout(trx, row, { ...change, status, events: [...row.events, ...fresh], updated_at: at });
  // Nobody need look any more at what has its money, or at what has ended.
  if (status !== row.status && (row.status === 'awaiting_funds' || PAYOUT_MOVES[status].length === 0)) await forgetAlarmsAbout(trx, row.id);
  if (fresh.length === 0) return;
  const [view] = await findPayouts(trx, [row.id]);
  const shown = presentPayout(view!);
  await queueCallbacks(
    trx,
    context,
    fresh.map((event) => ({ accountId: row.account_id, profileId: row.profile_id, id: row.id, event, shown })),
  );
}

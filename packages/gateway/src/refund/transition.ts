import type { RefundEvent } from '@crypto-checkout/protocol/event';
import type { RefundStatus } from '@crypto-checkout/protocol/status';
import { queueCallbacks } from '../callback/queue.ts';
import type { Context } from '../context.ts';
import { timestamp, type Trx } from '../database/database.ts';
import { presentRefund } from './present.ts';
import { checkRefundMoves, REFUND_EVENT_OF, requireMove } from './state.ts';
import { findRefunds, saveRefund, type RefundChange, type RefundRow } from './store.ts';

checkRefundMoves();

/**
 * Moves a locked refund. The status, the version and the callback commit together with the caller's
 * changes. Each event is reported once.
 * @throws Error for a step that is not in the table
 */
export async function moveRefund(
  trx: Trx,
  context: Context,
  row: RefundRow,
  to: RefundStatus,
  change: RefundChange = {},
): Promise<void> {
  if (to !== row.status) requireMove(row.status, to);
  const event = to === row.status ? undefined : REFUND_EVENT_OF[to];
  const isNew = event !== undefined && !row.events.includes(event);
  await saveRefund(trx, row, {
    ...change,
    status: to,
    events: isNew ? [...row.events, event] : row.events,
    updated_at: timestamp(context.clock.now()),
  });
  if (isNew) await reportRefund(trx, context, row.id, event);
}

/** Queues the callback of an event of a stored refund. */
export async function reportRefund(
  trx: Trx,
  context: Context,
  id: string,
  event: RefundEvent,
): Promise<void> {
  const [view] = await findRefunds(trx, [id]);
  if (!view) throw new Error(`Unknown refund ${id}`);
  const { account_id: accountId, profile_id: profileId } = view;
  await queueCallbacks(trx, context, [
    { accountId, profileId, id, event, shown: presentRefund(view) },
  ]);
}

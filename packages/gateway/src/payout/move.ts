import { createHmac } from 'node:crypto';
import { signCallback } from '@crypto-checkout/protocol/callback';
import type { PayoutStatus } from '@crypto-checkout/protocol/status';
import { callbackToken } from '../account/callback-token.ts';
import { queueCallback } from '../callback/queue.ts';
import type { Context } from '../context.ts';
import { timestamp, type Trx } from '../database/database.ts';
import { presentPayout } from './present.ts';
import { checkPayoutMoves, followPath } from './state.ts';
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
  if (fresh.length === 0) return;
  const [view] = await findPayouts(trx, [row.id]);
  const shown = presentPayout(view!);
  const token = await callbackToken(context, trx, row.account_id);
  for (const event of fresh) {
    await queueCallback(trx, {
      accountId: row.account_id,
      profileId: row.profile_id,
      resource: 'payout',
      resourceId: row.id,
      event,
      body: async (callbackId) => {
        const signature = await signCallback(callbackId, token, (key, message) => createHmac('sha256', key).update(message).digest());
        return JSON.stringify({ callback_id: callbackId, callback_status: event, signature, result: shown, payout: shown });
      },
      at: context.clock.real(),
    });
  }
}

import type { Context } from '../context.ts';
import { transact } from '../database/database.ts';
import { findPayouts } from '../payout/store.ts';
import { lockMoney, settleMoney } from './money.ts';
import { statusAfterPayout } from './state.ts';
import { followingRefunds, lockRefund, type RefundRow } from './store.ts';
import { moveRefund } from './transition.ts';

/** Refunds of one cycle; the next cycle takes the rest. */
const LIMIT = 200;

type Followed = Pick<RefundRow, 'id' | 'transaction_id' | 'invoice_id'>;

/**
 * Moves every refund whose payout moved on. A refund that was rejected or failed counts no longer:
 * its transaction counts again, in the same database transaction.
 */
export async function followRefunds(context: Context): Promise<void> {
  for (const refund of await followingRefunds(context.db, LIMIT))
    await followRefund(context, refund);
}

/** The same for one refund. Repeating it changes nothing. */
export async function followRefund(context: Context, refund: Followed): Promise<void> {
  await transact(context.db, async (trx) => {
    const money = await lockMoney(trx, refund);
    const locked = (await lockRefund(trx, refund.id))!;
    const [payout] = locked.payout_id === null ? [] : await findPayouts(trx, [locked.payout_id]);
    if (payout === undefined) return;
    const status = statusAfterPayout(locked.status, payout.status);
    if (status === locked.status) return;
    await moveRefund(trx, context, locked, status, { received: payout.total });
    await settleMoney(trx, context, money);
  });
}

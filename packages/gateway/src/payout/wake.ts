import type { Context } from '../context.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { LedgerError } from '../wallet/post.ts';
import { holdFunds } from './hold.ts';
import { movePayout } from './move.ts';
import { isHeldByPolicy } from './policy.ts';
import { refill } from './refill.ts';
import { lockPayout, sleepingPayouts, type LockedPayout } from './store.ts';

/** Payouts of one round; the others are for the next. */
const LIMIT = 500;

/** Makes payouts `new` whose time has come, whose money is there, or that no policy holds any more. */
export async function wakePayouts(context: Context): Promise<void> {
  const now = timestamp(context.clock.now());
  for (const id of await sleepingPayouts(context.db, now, LIMIT)) {
    try {
      await transact(context.db, (trx) => wake(trx, context, id, now));
    } catch (error) {
      // Still too little: it goes on waiting. What else goes wrong with one holds up no other.
      if (!(error instanceof LedgerError)) context.log.warn({ err: error, payout_id: id }, 'a payout that waits is tried again');
    }
  }
}

async function wake(trx: Trx, context: Context, id: string, now: string): Promise<void> {
  const payout = await lockPayout(trx, id);
  if (payout?.status === 'scheduled') await movePayout(trx, context, payout, ['new']);
  if (payout?.status === 'awaiting_policies' && !(await isHeldByPolicy(context, trx, payout)))
    await movePayout(trx, context, payout, ['new']);
  if (payout?.status === 'awaiting_funds') await fund(trx, context, payout, now);
}

async function fund(trx: Trx, context: Context, payout: LockedPayout, now: string): Promise<void> {
  await refill(trx, context, payout, await context.rates.current(), now);
  await holdFunds(trx, payout, now);
  await movePayout(trx, context, payout, ['new'], { hold: 'held' });
}

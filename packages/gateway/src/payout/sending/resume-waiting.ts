import type { Amount } from '@crypto-checkout/protocol/amount';
import { readUnswept, type UnsweptFunds } from '../../sweep/unswept-funds.ts';
import type { Context } from '../../context.ts';
import { timestamp, transact, type Trx } from '../../database/database.ts';
import { LedgerError } from '../../ledger/post.ts';
import { movePayout } from '../transition.ts';
import { isHeldByPolicy } from '../approval/policy.ts';
import { fundPayout, refillPayout } from './refill.ts';
import { findPayouts, lockPayout, type LockedPayout } from '../store.ts';
import { waitingPayouts } from '../due-payouts.ts';

/** Payouts per cycle; the next cycle takes the rest. */
const LIMIT = 500;

/**
 * Makes payouts `new` when their date has come, their funds are available, or their policy no
 * longer applies.
 */
export async function resumeWaitingPayouts(context: Context): Promise<void> {
  const now = timestamp(context.clock.now());
  for (const id of await waitingPayouts(context.db, now, LIMIT)) {
    try {
      const [current] = await findPayouts(context.db, [id]);
      const unswept =
        current?.status === 'awaiting_funds'
          ? await readUnswept(context, current.chain, current.wallet_id)
          : null;
      const underfunded = await transact(context.db, (trx) => resume(trx, context, id, unswept));
      if (underfunded === null) continue;
      await refillPayout(context, underfunded.payout, underfunded.shortfall, unswept!);
    } catch (error) {
      // A LedgerError: another payout took the funds first, so this one keeps waiting. Any other
      // error must not block the next payout.
      if (!(error instanceof LedgerError))
        context.log.warn(
          { event: 'payout_resume_failed', err: error, payout_id: id },
          'resuming a waiting payout failed, will retry',
        );
    }
  }
}

/** @returns the payout and its shortfall if it still lacks funds, otherwise null */
async function resume(
  trx: Trx,
  context: Context,
  id: string,
  unswept: UnsweptFunds | null,
): Promise<{ payout: LockedPayout; shortfall: Map<string, Amount> } | null> {
  const payout = await lockPayout(trx, id);
  if (payout?.status === 'scheduled') await movePayout(trx, context, payout, ['new']);
  if (payout?.status === 'awaiting_policies' && !(await isHeldByPolicy(context, trx, payout)))
    await movePayout(trx, context, payout, ['new']);
  if (payout?.status !== 'awaiting_funds' || unswept === null) return null;
  const shortfall = await fundPayout(trx, context, payout, unswept);
  return shortfall.size === 0 ? null : { payout, shortfall };
}

import type { Amount } from '@crypto-checkout/protocol/amount';
import { readLying, type Lying } from '../consolidation/lying.ts';
import type { Context } from '../context.ts';
import { processConversions } from '../conversion/process.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { LedgerError } from '../wallet/post.ts';
import { movePayout } from './move.ts';
import { isHeldByPolicy } from './policy.ts';
import { fundPayout, refillPayout } from './refill.ts';
import { findPayouts, lockPayout, sleepingPayouts, type LockedPayout } from './store.ts';

/** Payouts of one round; the others are for the next. */
const LIMIT = 500;

/** Makes payouts `new` whose time has come, whose money is there, or that no policy holds any more. */
export async function wakePayouts(context: Context): Promise<void> {
  const now = timestamp(context.clock.now());
  const refills = new Set<string>();
  for (const id of await sleepingPayouts(context.db, now, LIMIT)) {
    try {
      const [known] = await findPayouts(context.db, [id]);
      const lying = known?.status === 'awaiting_funds' ? await readLying(context, known.chain, known.wallet_id) : null;
      const poor = await transact(context.db, (trx) => wake(trx, context, id, lying));
      if (poor === null) continue;
      for (const conversion of await refillPayout(context, poor.payout, poor.lacking, lying!)) refills.add(conversion);
    } catch (error) {
      // Somebody else was faster: it goes on waiting. What else goes wrong with one holds up no other.
      if (!(error instanceof LedgerError)) context.log.warn({ err: error, payout_id: id }, 'a payout that waits is tried again');
    }
  }
  if (refills.size > 0) await processConversions(context, { only: refills });
}

/** @returns a payout that still lacks money */
async function wake(
  trx: Trx,
  context: Context,
  id: string,
  lying: Lying | null,
): Promise<{ payout: LockedPayout; lacking: Map<string, Amount> } | null> {
  const payout = await lockPayout(trx, id);
  if (payout?.status === 'scheduled') await movePayout(trx, context, payout, ['new']);
  if (payout?.status === 'awaiting_policies' && !(await isHeldByPolicy(context, trx, payout)))
    await movePayout(trx, context, payout, ['new']);
  if (payout?.status !== 'awaiting_funds' || lying === null) return null;
  const lacking = await fundPayout(trx, context, payout, lying);
  return lacking.size === 0 ? null : { payout, lacking };
}

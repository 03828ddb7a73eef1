import { timestamp } from '../../database/database.ts';
import { LedgerError } from '../../ledger/post.ts';
import { readUnswept, type UnsweptFunds } from '../../sweep/unswept-funds.ts';
import { isHeldByPolicy } from '../approval/policy.ts';
import { holdFunds } from '../hold.ts';
import { isDue, isUnsent } from '../state.ts';
import { findPayouts, reserveWalletOf, type PayoutView } from '../store.ts';
import { movePayout } from '../transition.ts';
import { refillObstacle } from './refill.ts';
import { changeUnderLease, type PayoutRound } from './round.ts';

/** @returns true if it may be sent now: its funds are held and no policy holds it */
export async function holdForSending(round: PayoutRound, id: string): Promise<boolean> {
  const { context } = round;
  const now = timestamp(context.clock.now());
  const [current] = await findPayouts(context.db, [id]);
  const unswept =
    current?.hold === 'none' ? await readUnswept(context, current.chain, current.wallet_id) : null;
  try {
    return await changeUnderLease(round, id, async (trx, payout) => {
      if (!isUnsent(payout.status) || !isDue(payout, context.clock.now())) return false;
      if (payout.hold === 'none') {
        if (unswept === null) return false;
        await holdFunds(trx, payout, now, unswept);
        await movePayout(trx, context, payout, [], { hold: 'held' });
        payout.version += 1;
      }
      if (payout.status !== 'new' || !(await isHeldByPolicy(context, trx, payout))) return true;
      await movePayout(trx, context, payout, ['awaiting_policies']);
      return false;
    });
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
  }
  await waitOrFail(round, current!, unswept!);
  return false;
}

/** A scheduled or approved payout whose wallet has too little by now. */
async function waitOrFail(
  round: PayoutRound,
  current: PayoutView,
  unswept: UnsweptFunds,
): Promise<void> {
  const { context } = round;
  const reserve = await reserveWalletOf(context.db, current.profile_id);
  const obstacle =
    reserve === null ? null : await refillObstacle(context, current, reserve, unswept);
  const error = `The wallet has insufficient funds${obstacle === null ? '' : `, and the profile's reserve wallet can't buy it: ${obstacle}`}`;
  await changeUnderLease(round, current.id, async (trx, payout) => {
    if (payout.status !== 'new' || payout.hold !== 'none') return;
    if (reserve !== null && obstacle === null)
      await movePayout(trx, context, payout, ['awaiting_funds']);
    else await movePayout(trx, context, payout, ['failed'], { error });
  });
}

import type { SentStatus } from '../../engine/sending/track.ts';
import { timestamp } from '../../database/database.ts';
import { LedgerError } from '../../ledger/post.ts';
import { findPayouts } from '../store.ts';
import { movePayout } from '../transition.ts';
import { withOwnFee } from './batch.ts';
import { nextTransition, postOutcome, repairPayout } from './transaction-outcome.ts';
import { changeUnderLease, type PayoutRound } from './round.ts';

/** Changes a payout to what its transaction has become. */
export async function applyTransactionStatus(
  round: PayoutRound,
  id: string,
  status: SentStatus,
): Promise<void> {
  const { context } = round;
  const [current] = await findPayouts(context.db, [id]);
  if (!current) return;
  const transaction = await withOwnFee(context.db, current, status);
  // A repaired payout whose funds are still missing.
  if (current.status === 'confirmed' && current.hold === 'released')
    return applyRepair(round, id, transaction);
  // Usually nothing changed, so no lock is needed.
  if (nextTransition(context, current, transaction) === null) return;
  await changeUnderLease(round, id, async (trx, payout) => {
    const next = nextTransition(context, payout, transaction);
    if (next === null) return;
    const ended = await postOutcome(
      trx,
      payout,
      next.path.at(-1),
      transaction,
      timestamp(context.clock.now()),
    );
    await movePayout(trx, context, payout, next.path, { ...next.observed, ...ended });
  });
}

/** A wallet that lacks the funds does not hide that the payout was paid. */
export async function applyRepair(
  round: PayoutRound,
  id: string,
  transaction: SentStatus | null,
): Promise<void> {
  if (transaction?.state !== 'block' || !transaction.succeeded) return;
  const repair = (isCovered: boolean): Promise<void> =>
    changeUnderLease(round, id, (trx, payout) =>
      repairPayout(trx, round.context, payout, transaction, isCovered),
    );
  try {
    await repair(true);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    await repair(false);
  }
}

import { sendAfterExpiry, sendOnce, type SendOutcome } from '../../engine/sending/send.ts';
import { lookUpSent, trackSent, type SentStatus } from '../../engine/sending/track.ts';
import { discardFailed } from '../../engine/sending/outgoing-store.ts';
import { timestamp, type Trx } from '../../database/database.ts';
import { guardLease } from '../../database/lease.ts';
import { UnavailableError } from '../../http/error.ts';
import { releaseFunds } from '../hold.ts';
import { isEnded, isUnsent } from '../state.ts';
import { findPayouts, lockPayout, type PayoutView } from '../store.ts';
import { movePayout } from '../transition.ts';
import { sendBatches } from './batch.ts';
import { followFee, watchUnmined } from './fee-rise.ts';
import { holdForSending } from './hold-for-sending.ts';
import { requestOf } from './send-request.ts';
import { applyTransactionStatus } from './transaction-status.ts';
import { raiseFailed } from './waiting-alarm.ts';
import { changeUnderLease, type PayoutRound } from './round.ts';

/** @returns payouts to send one by one; none when the node did not answer */
export async function sendTogether(round: PayoutRound, ids: readonly string[]): Promise<string[]> {
  const { context, sender, lease, alarms } = round;
  try {
    return await sendBatches(context, sender, ids, {
      hold: (id) => holdForSending(round, id),
      apply: (id, outcome) => applyOutcome(round, id, outcome),
      guard: (trx) => guardLease(trx, lease),
    });
  } catch (error) {
    alarms.missOne();
    context.log.warn(
      { event: 'payout_batch_failed', err: error, chain: sender.chain },
      'payouts could not be sent together, will retry',
    );
    return error instanceof UnavailableError ? [] : [...ids];
  }
}

export async function sendPayout(round: PayoutRound, id: string): Promise<void> {
  const { context, sender } = round;
  if (!(await holdForSending(round, id))) return;
  const [payout] = await findPayouts(context.db, [id]);
  const request = await requestOf(context, payout!);
  if (request === null)
    return failPayout(round, id, 'The lightning request expired before it could be paid');
  // Another process may have rejected it since, if its clock has not reached the date. The lock
  // decides.
  const isStillWanted = async (trx: Trx): Promise<boolean> => {
    await guardLease(trx, round.lease);
    return isUnsent((await lockPayout(trx, id))!.status);
  };
  const outcome = await sendOnce(context, sender, {
    id,
    purpose: 'payout',
    request,
    isStillWanted,
  });
  if (outcome.type === 'waiting' && outcome.cause === 'fee')
    return followFee(round, payout!, request);
  // The network may have refused the output of another payout: the next round sends each alone.
  if (outcome.type === 'refused' && payout!.batch_id !== null)
    return discardFailed(context.db, payout!.batch_id);
  await applyOutcome(round, id, outcome);
}

async function applyOutcome(round: PayoutRound, id: string, outcome: SendOutcome): Promise<void> {
  const { context, sender } = round;
  switch (outcome.type) {
    case 'sent':
      await applyTransactionStatus(round, id, { state: 'mempool', txid: outcome.txid });
      // Lightning: already settled, or held by the recipient (hold invoice).
      return sender.chain === 'lightning' ? trackPayout(round, id) : undefined;
    case 'refused':
      return failPayout(round, id, outcome.reason);
    case 'busy':
      // TON sends one transaction at a time: a payout that waits for its turn is `queued` there.
      if (sender.chain === 'ton')
        await changeUnderLease(round, id, async (trx, payout) => {
          if (payout.status === 'new') await movePayout(trx, context, payout, ['queued']);
        });
      return;
    case 'waiting':
      return round.alarms.raise(id, outcome);
    case 'cancelled':
      return;
    case 'unknown':
      // The funds stay reserved; the next cycle looks the transaction up.
      return;
    default:
      throw new Error(`Unknown outcome ${String(outcome satisfies never)}`);
  }
}

/** Certain: nothing was sent, and nothing will be. The funds are released. */
async function failPayout(round: PayoutRound, id: string, reason: string): Promise<void> {
  const { context } = round;
  await changeUnderLease(round, id, async (trx, payout) => {
    if (!isUnsent(payout.status)) return;
    if (payout.hold === 'held') await releaseFunds(trx, payout, timestamp(context.clock.now()));
    await movePayout(trx, context, payout, ['failed'], {
      error: reason,
      hold: payout.hold === 'held' ? 'released' : payout.hold,
    });
    await raiseFailed(trx, context, payout, reason);
  });
}

/** Looks a sent payout up. One that never reached the network is sent again. */
export async function trackPayout(round: PayoutRound, id: string): Promise<void> {
  const transaction = await trackSent(round.context, round.sender, { id, purpose: 'payout' });
  const [payout] = await findPayouts(round.context.db, [id]);
  if (payout && transaction?.state === 'expired') return sendExpired(round, payout, transaction);
  if (transaction !== null) {
    await applyTransactionStatus(round, id, transaction);
    if (payout && (transaction.state === 'mempool' || transaction.state === 'unseen'))
      await watchUnmined(round, payout, transaction);
    return;
  }
  // The network rejected it, and the process stopped before it stored that.
  if (payout && isUnsent(payout.status)) return sendPayout(round, id);
  // The network rejected it but has it after all.
  const found = await lookUpSent(round.context, round.sender, id);
  if (found !== null) await applyTransactionStatus(round, id, found);
}

/** The transaction ran out before a block took it: the payout is sent again under its own id. */
async function sendExpired(
  round: PayoutRound,
  payout: PayoutView,
  { txid }: SentStatus,
): Promise<void> {
  const { context, sender, lease } = round;
  const { id } = payout;
  const request = await requestOf(context, payout);
  if (request === null) return;
  const isStillWanted = async (trx: Trx): Promise<boolean> => {
    await guardLease(trx, lease);
    return !isEnded((await lockPayout(trx, id))!.status);
  };
  const sending = { id, purpose: 'payout' as const, request, isStillWanted };
  const outcome = await sendAfterExpiry(context, sender, sending);
  if (outcome.type !== 'refused') return applyOutcome(round, id, outcome);
  const refused = { state: 'impossible', reason: outcome.reason, txid } as const;
  await applyTransactionStatus(round, id, refused);
}

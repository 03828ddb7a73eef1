import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Context } from '../../context.ts';
import { timestamp } from '../../database/database.ts';
import { keepLease, releaseLease, waitForLease } from '../../database/lease.ts';
import { sendingLease } from '../../engine/sending/send.ts';
import { lookUpSent } from '../../engine/sending/track.ts';
import { UnavailableError } from '../../http/error.ts';
import { collectOwedFees } from '../../ledger/excess-fee.ts';
import { chainsWithPayouts, failedPayouts, sentPayouts, unsentPayouts } from '../due-payouts.ts';
import { findPayouts } from '../store.ts';
import { withOwnFee } from './batch.ts';
import { endFailure, isNewFailure } from './failures.ts';
import { resumeWaitingPayouts } from './resume-waiting.ts';
import { sendPayout, sendTogether, trackPayout } from './send.ts';
import { applyRepair } from './transaction-status.ts';
import { clearOtherChains, waitingAlarms } from './waiting-alarm.ts';
import type { PayoutRound } from './round.ts';

/** Payouts per chain and cycle; the next cycle takes the rest. */
const LIMIT = 500;
const CHAINS_AT_ONCE = 4;
/** Requests in a row that a node may leave unanswered in one cycle. */
const MAX_UNANSWERED = 3;

/**
 * Processes all due payouts: resumes waiting ones, tracks sent ones, sends new ones. A lease allows
 * one process per chain; an interrupted payout continues where it stopped. A chain that does not
 * respond does not block the others.
 */
export async function processPayouts(
  context: Context,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  await collectOwedFees(context.db, timestamp(context.clock.now()));
  await resumeWaitingPayouts(context);
  const failed = await dueRepairs(context);
  const chains = [
    ...new Set([...(await chainsWithPayouts(context.db)), ...failed.map(({ chain }) => chain)]),
  ];
  await clearOtherChains(context, chains);
  const next = async (): Promise<void> => {
    for (let chain = chains.shift(); chain !== undefined; chain = chains.shift()) {
      const sender = context.senders.get(chain);
      if (!sender) continue;
      const repairs = failed.filter((payout) => payout.chain === chain).map(({ id }) => id);
      await processChain(context, sender, repairs, signal);
    }
  };
  await Promise.all(Array.from({ length: CHAINS_AT_ONCE }, next));
}

/** Time between the looks for failed payouts that were paid after all. */
const REPAIR_INTERVAL_MS = 10 * 60 * 1000;
/** How long after its failure a payout is looked for. */
const REPAIR_PERIOD_MS = 7 * 24 * 60 * 60 * 1000;
const lastRepairs = new WeakMap<Context, number>();

async function dueRepairs(context: Context): Promise<{ id: string; chain: ChainId }[]> {
  const { clock, db } = context;
  const last = lastRepairs.get(context);
  if (last !== undefined && clock.real() - last < REPAIR_INTERVAL_MS) return [];
  lastRepairs.set(context, clock.real());
  return failedPayouts(db, timestamp(clock.now() - REPAIR_PERIOD_MS), LIMIT);
}

async function processChain(
  context: Context,
  sender: ChainSender,
  repairs: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { db } = context;
  const lease = await waitForLease(
    context.db,
    sendingLease(sender.chain),
    context.ids.uuid(),
    signal,
  );
  if (lease === null) return;
  const keeper = keepLease(context.db, lease);
  const alarms = waitingAlarms(context, sender.chain);
  const round: PayoutRound = { context, sender, lease, alarms };
  try {
    await forEachPayout(round, repairs, signal, async (id) => {
      const found = await lookUpSent(context, sender, id);
      const [payout] = await findPayouts(db, [id]);
      await applyRepair(round, id, found && (await withOwnFee(db, payout!, found)));
    });
    await forEachPayout(round, await sentPayouts(db, sender.chain, LIMIT), signal, (id) =>
      trackPayout(round, id),
    );
    const unsent = await unsentPayouts(db, sender.chain, timestamp(context.clock.now()), LIMIT);
    const alone = sender.sharesTransactions ? await sendTogether(round, unsent) : unsent;
    await forEachPayout(round, alone, signal, (id) => sendPayout(round, id));
    if (unsent.length < LIMIT) await alarms.clear();
  } finally {
    await keeper.stop();
    await releaseLease(db, lease).catch(() => {});
  }
}

/** A failed attempt is repeated in the next cycle and does not block other payouts. */
async function forEachPayout(
  { context, sender, alarms }: PayoutRound,
  ids: readonly string[],
  signal: AbortSignal,
  work: (id: string) => Promise<void>,
): Promise<void> {
  let unanswered = 0;
  for (const id of ids) {
    if (signal.aborted) return alarms.missOne();
    try {
      await work(id);
      endFailure(context, id);
    } catch (error) {
      alarms.missOne();
      if (isNewFailure(context, id, error))
        context.log.warn(
          { event: 'payout_attempt_failed', err: error, payout_id: id, chain: sender.chain },
          'payout attempt failed, will retry',
        );
      unanswered = error instanceof UnavailableError ? unanswered + 1 : 0;
      // The node is down: do not wait for a timeout per payout.
      if (unanswered === MAX_UNANSWERED) return;
    }
  }
}

import type { ChainId } from '@crypto-checkout/protocol/kind';
import { discardFailed } from '../../engine/outgoing-store.ts';
import {
  lookUpSent,
  sendAfterExpiry,
  trackSent,
  sendingLease,
  sendOnce,
  type SendOutcome,
  type SentStatus,
} from '../../engine/send.ts';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { readUnswept, type UnsweptFunds } from '../../sweep/unswept-funds.ts';
import type { Context } from '../../context.ts';
import { timestamp, transact, type Trx } from '../../database/database.ts';
import {
  type Lease,
  guardLease,
  keepLease,
  releaseLease,
  waitForLease,
} from '../../database/lease.ts';
import { UnavailableError } from '../../http/error.ts';
import { collectOwedFees } from '../../ledger/excess-fee.ts';
import { LedgerError } from '../../ledger/post.ts';
import { endFailure, isNewFailure } from './failures.ts';
import { followFee, watchUnmined } from './fee-rise.ts';
import { holdFunds, releaseFunds } from '../hold.ts';
import { movePayout } from '../transition.ts';
import { isHeldByPolicy } from '../approval/policy.ts';
import { refillObstacle } from './refill.ts';
import { sendBatches, withOwnFee } from './batch.ts';
import { requestOf } from './send-request.ts';
import { isDue, isEnded, isUnsent } from '../state.ts';
import { nextTransition, postOutcome, repairPayout } from './transaction-outcome.ts';
import {
  chainsWithPayouts,
  failedPayouts,
  findPayouts,
  lockPayout,
  reserveWalletOf,
  sentPayouts,
  unsentPayouts,
  type LockedPayout,
  type PayoutView,
} from '../store.ts';
import { resumeWaitingPayouts } from './resume-waiting.ts';
import { clearOtherChains, raiseFailed, waitingAlarms } from './waiting-alarm.ts';

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
  const worker: Worker = { context, sender, lease, alarms };
  try {
    await forEachPayout(worker, repairs, signal, async (id) => {
      const found = await lookUpSent(context, sender, id);
      const [payout] = await findPayouts(db, [id]);
      await applyRepair(worker, id, found && (await withOwnFee(db, payout!, found)));
    });
    await forEachPayout(worker, await sentPayouts(db, sender.chain, LIMIT), signal, (id) =>
      trackPayout(worker, id),
    );
    const unsent = await unsentPayouts(db, sender.chain, timestamp(context.clock.now()), LIMIT);
    const alone = sender.sharesTransactions ? await sendTogether(worker, unsent) : unsent;
    await forEachPayout(worker, alone, signal, (id) => sendPayout(worker, id));
    if (unsent.length < LIMIT) await alarms.clear();
  } finally {
    await keeper.stop();
    await releaseLease(db, lease).catch(() => {});
  }
}

interface Worker {
  context: Context;
  sender: ChainSender;
  lease: Lease;
  alarms: ReturnType<typeof waitingAlarms>;
}

/** A failed attempt is repeated in the next cycle and does not block other payouts. */
async function forEachPayout(
  { context, sender, alarms }: Worker,
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

/** Locks a payout and changes it. The lease fence rejects a worker whose lease expired. */
async function changeUnderLease<T>(
  { context, lease }: Worker,
  id: string,
  work: (trx: Trx, payout: LockedPayout) => Promise<T>,
): Promise<T> {
  return transact(context.db, async (trx) => {
    await guardLease(trx, lease);
    const payout = await lockPayout(trx, id);
    if (payout === null) throw new Error(`Unknown payout ${id}`);
    return work(trx, payout);
  });
}

/** @returns payouts to send one by one; none when the node did not answer */
async function sendTogether(worker: Worker, ids: readonly string[]): Promise<string[]> {
  const { context, sender, lease, alarms } = worker;
  try {
    return await sendBatches(context, sender, ids, {
      hold: (id) => holdForSending(worker, id),
      apply: (id, outcome) => applyOutcome(worker, id, outcome),
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

async function sendPayout(worker: Worker, id: string): Promise<void> {
  const { context, sender } = worker;
  if (!(await holdForSending(worker, id))) return;
  const [payout] = await findPayouts(context.db, [id]);
  const request = await requestOf(context, payout!);
  if (request === null)
    return failPayout(worker, id, 'The lightning request expired before it could be paid');
  // Another process may have rejected it since, if its clock has not reached the date. The lock
  // decides.
  const isStillWanted = async (trx: Trx): Promise<boolean> => {
    await guardLease(trx, worker.lease);
    return isUnsent((await lockPayout(trx, id))!.status);
  };
  const outcome = await sendOnce(context, sender, {
    id,
    purpose: 'payout',
    request,
    isStillWanted,
  });
  if (outcome.type === 'waiting' && outcome.cause === 'fee')
    return followFee(worker, payout!, request);
  // The network may have refused the output of another payout: the next round sends each alone.
  if (outcome.type === 'refused' && payout!.batch_id !== null)
    return discardFailed(context.db, payout!.batch_id);
  await applyOutcome(worker, id, outcome);
}

/** @returns true if it may be sent now: its funds are held and no policy holds it */
async function holdForSending(worker: Worker, id: string): Promise<boolean> {
  const { context } = worker;
  const now = timestamp(context.clock.now());
  const [current] = await findPayouts(context.db, [id]);
  const unswept =
    current?.hold === 'none' ? await readUnswept(context, current.chain, current.wallet_id) : null;
  try {
    return await changeUnderLease(worker, id, async (trx, payout) => {
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
  await waitOrFail(worker, current!, unswept!);
  return false;
}

/** A scheduled or approved payout whose wallet has too little by now. */
async function waitOrFail(
  worker: Worker,
  current: PayoutView,
  unswept: UnsweptFunds,
): Promise<void> {
  const { context } = worker;
  const reserve = await reserveWalletOf(context.db, current.profile_id);
  const obstacle =
    reserve === null ? null : await refillObstacle(context, current, reserve, unswept);
  const error = `The wallet has insufficient funds${obstacle === null ? '' : `, and the profile's reserve wallet can't buy it: ${obstacle}`}`;
  await changeUnderLease(worker, current.id, async (trx, payout) => {
    if (payout.status !== 'new' || payout.hold !== 'none') return;
    if (reserve !== null && obstacle === null)
      await movePayout(trx, context, payout, ['awaiting_funds']);
    else await movePayout(trx, context, payout, ['failed'], { error });
  });
}

async function applyOutcome(worker: Worker, id: string, outcome: SendOutcome): Promise<void> {
  const { context, sender } = worker;
  switch (outcome.type) {
    case 'sent':
      await applyTransactionStatus(worker, id, { state: 'mempool', txid: outcome.txid });
      // Lightning: already settled, or held by the recipient (hold invoice).
      return sender.chain === 'lightning' ? trackPayout(worker, id) : undefined;
    case 'refused':
      return failPayout(worker, id, outcome.reason);
    case 'busy':
      // TON sends one transaction at a time: a payout that waits for its turn is `queued` there.
      if (sender.chain === 'ton')
        await changeUnderLease(worker, id, async (trx, payout) => {
          if (payout.status === 'new') await movePayout(trx, context, payout, ['queued']);
        });
      return;
    case 'waiting':
      return worker.alarms.raise(id, outcome);
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
async function failPayout(worker: Worker, id: string, reason: string): Promise<void> {
  const { context } = worker;
  await changeUnderLease(worker, id, async (trx, payout) => {
    if (!isUnsent(payout.status)) return;
    if (payout.hold === 'held') await releaseFunds(trx, payout, timestamp(context.clock.now()));
    await movePayout(trx, context, payout, ['failed'], {
      error: reason,
      hold: payout.hold === 'held' ? 'released' : payout.hold,
    });
    await raiseFailed(trx, context, payout, reason);
  });
}

async function trackPayout(worker: Worker, id: string): Promise<void> {
  const transaction = await trackSent(worker.context, worker.sender, { id, purpose: 'payout' });
  const [payout] = await findPayouts(worker.context.db, [id]);
  if (payout && transaction?.state === 'expired') return sendExpired(worker, payout, transaction);
  if (transaction !== null) {
    await applyTransactionStatus(worker, id, transaction);
    if (payout && (transaction.state === 'mempool' || transaction.state === 'unseen'))
      await watchUnmined(worker, payout, transaction);
    return;
  }
  // The network rejected it, and the process stopped before it stored that.
  if (payout && isUnsent(payout.status)) return sendPayout(worker, id);
  // The network rejected it but has it after all.
  const found = await lookUpSent(worker.context, worker.sender, id);
  if (found !== null) await applyTransactionStatus(worker, id, found);
}

/** The transaction ran out before a block took it: the payout is sent again under its own id. */
async function sendExpired(
  worker: Worker,
  payout: PayoutView,
  { txid }: SentStatus,
): Promise<void> {
  const { context, sender, lease } = worker;
  const { id } = payout;
  const request = await requestOf(context, payout);
  if (request === null) return;
  const isStillWanted = async (trx: Trx): Promise<boolean> => {
    await guardLease(trx, lease);
    return !isEnded((await lockPayout(trx, id))!.status);
  };
  const sending = { id, purpose: 'payout' as const, request, isStillWanted };
  const outcome = await sendAfterExpiry(context, sender, sending);
  if (outcome.type !== 'refused') return applyOutcome(worker, id, outcome);
  const refused = { state: 'impossible', reason: outcome.reason, txid } as const;
  await applyTransactionStatus(worker, id, refused);
}

async function applyTransactionStatus(
  worker: Worker,
  id: string,
  status: SentStatus,
): Promise<void> {
  const { context } = worker;
  const [current] = await findPayouts(context.db, [id]);
  if (!current) return;
  const transaction = await withOwnFee(context.db, current, status);
  // A repaired payout whose funds are still missing.
  if (current.status === 'confirmed' && current.hold === 'released')
    return applyRepair(worker, id, transaction);
  // Usually nothing changed, so no lock is needed.
  if (nextTransition(context, current, transaction) === null) return;
  await changeUnderLease(worker, id, async (trx, payout) => {
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
async function applyRepair(
  worker: Worker,
  id: string,
  transaction: SentStatus | null,
): Promise<void> {
  if (transaction?.state !== 'block') return;
  const repair = (isCovered: boolean): Promise<void> =>
    changeUnderLease(worker, id, (trx, payout) =>
      repairPayout(trx, worker.context, payout, transaction, isCovered),
    );
  try {
    await repair(true);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    await repair(false);
  }
}

import { parseAmount } from '@crypto-checkout/protocol/amount';
import { closeOutgoing } from '../engine/sending/outcome-store.ts';
import {
  sendAfterExpiry,
  sendingLease,
  sendOnce,
  type Sending,
  type SendOutcome,
} from '../engine/sending/send.ts';
import { trackSent, type ChainPlace } from '../engine/sending/track.ts';
import type { ChainSender, Sweeping } from '@crypto-checkout/chains/sender';
import type { Context } from '../context.ts';
import { milliseconds } from '../database/database.ts';
import { type Lease, keepLease, releaseLease, waitForLease } from '../database/lease.ts';
import { UnavailableError } from '../http/error.ts';
import { applyTransactionStatus, FEE_ROSE } from './apply-status.ts';
import { clearMetNoMore, clearSweepAlarms, raiseSweepWaits } from './alarms.ts';
import {
  SWEEPS_PER_ROUND,
  findDueDeposits,
  startSweep,
  transfer,
  type SweepRound,
} from './start-sweep.ts';
import { collectDeposits } from './collect-deposits.ts';
import { watchUnmined } from './unmined.ts';
import { checkSweepMoves } from './state.ts';
import { chainsToSweep, findSweep, openSweeps, type Sweep } from './store.ts';

checkSweepMoves();

/** Sweeps per round and chain; the others follow in the next round. */
const LIMIT = 200;
/** Stop the round after this many errors of the node in a row. */
const MAX_UNANSWERED = 3;

/**
 * Sweeps deposits from their addresses to the payout address: a gas top-up first where a token
 * needs one, then the transfer. A lease allows one process per chain at a time. An interrupted
 * sweep continues where it stopped.
 */
export async function sweepDeposits(
  context: Context,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  await collectDeposits(context);
  const chains = await chainsToSweep(context.db);
  await clearSweepAlarms(context, { notOn: chains });
  for (const chain of chains) {
    const sender = context.senders.get(chain);
    if (sender?.sweeping !== undefined) await sweepChain(context, sender, sender.sweeping, signal);
  }
}

async function sweepChain(
  context: Context,
  sender: ChainSender,
  sweeping: Sweeping,
  signal: AbortSignal,
): Promise<void> {
  await underLease(context, `sweeps:${sender.chain}`, signal, async (lease) => {
    const round: SweepRound = { context, sender, sweeping, lease, met: new Set(), isUnseen: false };
    const deposits = await findDueDeposits(round);
    const isWhole =
      (await forEachItem(round, deposits, signal, (deposit) => startSweep(round, deposit))) &&
      deposits.length < SWEEPS_PER_ROUND;
    const sweeps = await openSweeps(context.db, sender.chain, LIMIT);
    const areFollowed = await forEachItem(round, sweeps, signal, (id) =>
      advance(round, id, signal),
    );
    if (isWhole && areFollowed && sweeps.length < LIMIT) await clearMetNoMore(round);
  });
}

/** @returns null if another process held the lease all the time */
async function underLease<T>(
  context: Context,
  name: string,
  signal: AbortSignal,
  work: (lease: Lease) => Promise<T>,
): Promise<T | null> {
  const lease = await waitForLease(context.db, name, context.ids.uuid(), signal);
  if (lease === null) return null;
  const keeper = keepLease(context.db, lease);
  try {
    return await work(lease);
  } finally {
    await keeper.stop();
    await releaseLease(context.db, lease).catch(() => {});
  }
}

/**
 * An error is retried in the next round and does not delay other sweeps.
 * @returns whether all of them were done
 */
async function forEachItem<T>(
  { context, sender }: SweepRound,
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<boolean> {
  let unanswered = 0;
  let missed = 0;
  for (const item of items) {
    if (signal.aborted) return false;
    try {
      await work(item);
    } catch (error) {
      context.log.warn(
        { event: 'sweep_failed', err: error, chain: sender.chain, sweep: item },
        'sweep failed, will retry',
      );
      missed += 1;
      unanswered = error instanceof UnavailableError ? unanswered + 1 : 0;
      // Further sweeps would wait for the same unresponsive node.
      if (unanswered === MAX_UNANSWERED) return false;
    }
  }
  return missed === 0;
}

/** Advances a sweep as far as possible. */
async function advance(round: SweepRound, id: string, signal: AbortSignal): Promise<void> {
  for (let steps = 0; steps < 2; steps += 1) {
    const sweep = await findSweep(round.context.db, id);
    if (sweep === null || (sweep.status !== 'topping_up' && sweep.status !== 'sending')) return;
    const transaction = await sendOrTrack(round, sweep, signal);
    if (transaction === null || !(await applyTransactionStatus(round, sweep, transaction))) return;
  }
}

/**
 * The transaction that a sweep waits for: the gas top-up from the payout address, then the transfer
 * from the deposit address.
 */
function stepOf(
  { sender, sweeping }: SweepRound,
  sweep: Sweep,
): { sender: ChainSender; sending: Sending } {
  const { address, key_index: index } = sweep;
  if (sweep.status === 'topping_up') {
    const request = {
      ...transfer(sweep.fee_asset, address, parseAmount(sweep.top_up)),
      feeReserve: parseAmount(sweep.top_up_fee_reserve),
    };
    return {
      sender,
      sending: { id: sweep.top_up_id, purpose: 'top_up', request, recipientIndex: index },
    };
  }
  const request = {
    ...transfer(sweep.asset, sweep.recipient ?? sweeping.payoutAddress, parseAmount(sweep.amount)),
    feeReserve: parseAmount(sweep.fee_reserve),
  };
  return {
    sender: sweeping.from({ address, index }),
    sending: { id: sweep.id, purpose: 'sweep', request },
  };
}

/**
 * Sends the transaction if it was not sent yet, else tracks it.
 * @returns null if its status is unknown
 */
async function sendOrTrack(
  round: SweepRound,
  sweep: Sweep,
  signal: AbortSignal,
): Promise<ChainPlace | null> {
  const { context } = round;
  const { sender, sending } = stepOf(round, sweep);
  const transaction = await trackSent(context, sender, sending);
  const isExpired = transaction?.state === 'expired';
  if (transaction !== null && !isExpired) {
    if (transaction.state === 'mempool' || transaction.state === 'unseen')
      await watchUnmined(round, sender, sweep, transaction);
    return transaction;
  }
  const send = (): Promise<SendOutcome> =>
    (isExpired ? sendAfterExpiry : sendOnce)(context, sender, sending);
  // The top-up leaves from the payout address, so it takes turns with payouts.
  const outcome =
    sweep.status === 'topping_up'
      ? await underLease(context, sendingLease(sweep.chain), signal, send)
      : await send();
  switch (outcome?.type) {
    case 'sent':
      return { state: 'mempool' };
    case undefined:
    case 'busy':
    case 'cancelled':
    case 'unknown':
      round.isUnseen = true;
      return null;
    case 'refused':
      return { state: 'impossible', reason: outcome.reason };
    case 'waiting': {
      const reason = outcome.isPlanned
        ? null
        : await whyGivenUp(round, sweep, sending, outcome.reason);
      if (reason !== null) {
        // Nothing was sent, or it has run out for ever.
        await closeOutgoing(context.db, sending.id, null);
        return { state: 'impossible', reason };
      }
      await raiseSweepWaits(round, outcome.reason);
      return null;
    }
    default:
      throw new Error(`Unknown outcome ${String(outcome satisfies never)}`);
  }
}

/** @returns null while the sweep waits on; else its held fees are released */
async function whyGivenUp(
  round: SweepRound,
  sweep: Sweep,
  { request }: Sending,
  reason: string,
): Promise<string | null> {
  const { context } = round;
  const { reserve } = await stepOf(round, sweep).sender.estimate(request);
  // No transaction is on its way: the sweep starts again with a sufficient fee.
  if (reserve > request.feeReserve) return FEE_ROSE;
  const age = context.clock.now() - milliseconds(sweep.created_at);
  return age > SWEEP_TIMEOUT_MS ? reason : null;
}

/** How long a sweep waits for gas, or for its recorded balance, before it releases its hold. */
const SWEEP_TIMEOUT_MS = 60 * 60 * 1000;

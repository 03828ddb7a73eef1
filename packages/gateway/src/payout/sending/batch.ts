import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { KINDS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Context } from '../../context.ts';
import type { Db, Trx } from '../../database/database.ts';
import { discardFailed } from '../../engine/sending/outgoing-store.ts';
import { sendOnce, type SendOutcome } from '../../engine/sending/send.ts';
import type { SentStatus } from '../../engine/sending/track.ts';
import { sharesOf } from '../../ledger/shares.ts';
import { isUnsent } from '../state.ts';
import { findPayouts, lockPayout, type PayoutView } from '../store.ts';
import { joinBatch, payoutsOfBatch, unplannedAmong } from './batch-store.ts';
import { requestOf } from './send-request.ts';

type Request = NonNullable<Awaited<ReturnType<typeof requestOf>>>;

interface Waiting {
  id: string;
  request: Request;
}

export interface BatchSteps {
  /** Whether a payout may be sent now. */
  hold(id: string): Promise<boolean>;
  apply(id: string, outcome: SendOutcome): Promise<void>;
  /** In the transaction that stores the plan. */
  guard(trx: Trx): Promise<void>;
}

/**
 * Sends payouts that wait for the same chain in common transactions, each for one fee rate.
 * @param ids unsent payouts, oldest first
 * @returns those that did not leave so, and are sent one by one
 */
export async function sendBatches(
  context: Context,
  sender: ChainSender,
  ids: readonly string[],
  steps: BatchSteps,
): Promise<string[]> {
  const unplanned = new Set(await unplannedAmong(context.db, ids));
  const rest = ids.filter((id) => !unplanned.has(id));
  // A payout alone goes the usual way, which is the same.
  if (unplanned.size < 2) return [...ids];
  const ready: string[] = [];
  for (const id of ids) if (unplanned.has(id) && (await steps.hold(id))) ready.push(id);
  const waiting = await waitingOf(context, ready);
  const batches = batchesOf(waiting, sender.maxOutputs);
  const batched = new Set<string>();
  for (const batch of batches)
    if (await sendBatch(context, sender, batch, steps)) for (const { id } of batch) batched.add(id);
  return [...rest, ...ready.filter((id) => !batched.has(id))];
}

async function waitingOf(context: Context, ids: readonly string[]): Promise<Waiting[]> {
  const found = new Map((await findPayouts(context.db, ids)).map((payout) => [payout.id, payout]));
  const waiting: Waiting[] = [];
  for (const id of ids) {
    const payout = found.get(id);
    const request = payout === undefined ? null : await requestOf(context, payout);
    if (request !== null) waiting.push({ id, request });
  }
  return waiting;
}

/** At least two payouts each, in their order, with at most this number of outputs. */
function batchesOf(waiting: readonly Waiting[], maxOutputs: number): Waiting[][] {
  const open = new Map<string, Waiting[]>();
  const batches: Waiting[][] = [];
  for (const one of waiting) {
    const { asset, preset, feeRate, outputs } = one.request;
    const key = JSON.stringify([asset, preset, feeRate]);
    const batch = open.get(key);
    const count = batch?.reduce((sum, { request }) => sum + request.outputs.length, 0) ?? 0;
    if (batch !== undefined && count + outputs.length <= maxOutputs) batch.push(one);
    else {
      const next = [one];
      open.set(key, next);
      batches.push(next);
    }
  }
  return batches.filter((batch) => batch.length > 1);
}

/**
 * @returns false if they can't leave together: the coins are not enough, the fee rose, one of them
 * is not wanted any more, or the network refuses one of the outputs. Then nothing was sent.
 */
async function sendBatch(
  context: Context,
  sender: ChainSender,
  batch: readonly Waiting[],
  steps: BatchSteps,
): Promise<boolean> {
  const id = context.ids.uuid();
  const requests = batch.map(({ request }) => request);
  const request: Request = {
    ...requests[0]!,
    outputs: requests.flatMap(({ outputs }) => outputs),
    feeReserve: sumOf(requests.map(({ feeReserve }) => feeReserve)),
  };
  const isStillWanted = async (trx: Trx): Promise<boolean> => {
    await steps.guard(trx);
    for (const { id: payoutId } of batch)
      if (!isUnsent((await lockPayout(trx, payoutId))!.status)) return false;
    await joinBatch(
      trx,
      id,
      batch.map((one) => one.id),
    );
    return true;
  };
  const outcome = await sendOnce(context, sender, {
    id,
    purpose: 'payout',
    request,
    isStillWanted,
  });
  const isPlanned = outcome.type === 'waiting' && outcome.isPlanned === true;
  if (outcome.type === 'sent' || outcome.type === 'unknown' || isPlanned) {
    for (const one of batch) await steps.apply(one.id, outcome);
    return true;
  }
  await discardFailed(context.db, id);
  return false;
}

const sumOf = (amounts: readonly Amount[]): Amount => amounts.reduce((sum, one) => sum + one, 0n);

/** Held for the fee of the payout's transaction, by all payouts that share it. */
export async function feeReserveOf(trx: Trx, payout: PayoutView): Promise<Amount> {
  const { batch_id, fee_reserve } = payout;
  if (batch_id === null) return parseAmount(fee_reserve);
  const shared = await payoutsOfBatch(trx, batch_id);
  return sumOf(shared.map((one) => parseAmount(one.fee_reserve)));
}

/** The payouts that share the fee of a payout's transaction, oldest first, with each one's part. */
export async function shareFee(
  trx: Trx,
  { id, batch_id, chain, fee_reserve }: PayoutView,
  fee: Amount,
): Promise<{ id: string; part: Amount }[]> {
  const shared = batch_id === null ? [{ id, fee_reserve }] : await payoutsOfBatch(trx, batch_id);
  const weights = shared.map((one) => parseAmount(one.fee_reserve));
  const parts = sharesOf(fee, weights, unitOf(chain));
  return shared.map((one, at) => ({ id: one.id, part: parts[at]! }));
}

/**
 * The status of a payout's transaction, with the payout's own part of the fee: in proportion to
 * what each payout would have paid alone. The parts are the whole fee.
 */
export async function withOwnFee(
  db: Db,
  { id, batch_id, chain }: Pick<PayoutView, 'id' | 'batch_id' | 'chain'>,
  status: SentStatus,
): Promise<SentStatus> {
  if (batch_id === null || status.state !== 'block' || status.fee === null) return status;
  const shared = await payoutsOfBatch(db, batch_id);
  const weights = shared.map((one) => parseAmount(one.fee_reserve));
  const at = shared.findIndex((one) => one.id === id);
  return { ...status, fee: sharesOf(status.fee, weights, unitOf(chain))[at] ?? status.fee };
}

/** One satoshi, as an amount. */
function unitOf(chain: ChainId): Amount {
  const { decimals } = KINDS.find((kind) => kind.chain === chain)!;
  return 10n ** BigInt(18 - decimals);
}

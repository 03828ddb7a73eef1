import type { Context } from '../../context.ts';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { transact, type Db, type Trx } from '../../database/database.ts';
import type {
  BroadcastResult,
  ChainSender,
  Lack,
  PlanRequest,
  SignedTransaction,
} from '@crypto-checkout/chains/sender';
import {
  SignatureAwaitedError,
  SigningRefusedError,
  type Purpose,
} from '@crypto-checkout/chains/signer';
import { takenInputs } from '../coin-store.ts';
import { closeOutgoing, countTry, saveFailure, saveResult } from './outcome-store.ts';
import {
  discardAttempt,
  findOutgoing,
  isRequestTaken,
  isSigned,
  newestAttempt,
  savePlan,
  saveNextPlan,
  saveSigned,
  type Attempt,
  type Outgoing,
  type SignedAttempt,
} from './outgoing-store.ts';
import { sendDropped } from './dropped.ts';
import { findLane, hasRoom } from './lane.ts';

/** The lease under which one process at a time sends from a chain's payout address. */
export const sendingLease = (chain: ChainId): string => `payouts:${chain}`;

/** Identifies what is sent, for the store and for the signer. */
export interface Sent {
  /** Id of the payout, sweep or top-up: the idempotency key of the transaction. */
  id: string;
  purpose: Purpose;
  /** Index of our own receiving key, where the recipient is a deposit address. */
  recipientIndex?: number | null;
}

export interface Sending extends Sent {
  request: Omit<PlanRequest, 'id' | 'minNonce'>;
  /**
   * Checks, in the transaction that stores the plan and under a lock, that sending is still wanted.
   * Default: it is.
   */
  isStillWanted?: (trx: Trx) => Promise<boolean>;
}

/** Not sent yet, for a temporary reason. */
interface Waiting {
  type: 'waiting';
  reason: string;
  cause?: 'fee' | 'funds' | 'signer';
  lack?: Lack;
  /** Its plan is kept, and is signed elsewhere at any time. Default: it is planned again. */
  isPlanned?: boolean;
}

export type SendOutcome =
  /** It waits for the transactions of the lane that are pending. */
  | { type: 'busy' }
  | Waiting
  /** Cancelled before it was planned. */
  | { type: 'cancelled' }
  /** Certain: nothing was or will be sent. */
  | { type: 'refused'; reason: string }
  /** `txid`: null while the chain has given it none. */
  | { type: 'sent'; txid: string | null }
  /** The outcome is unknown: it may have been sent. */
  | { type: 'unknown' };

/**
 * Sends one transaction: plan, sign, store, broadcast. After an interruption the next call
 * continues: it signs the stored plan and sends the stored bytes, so there is never a second
 * transaction. Callers hold a lease: one caller per lane at a time.
 */
export async function sendOnce(
  context: Context,
  sender: ChainSender,
  sending: Sending,
): Promise<SendOutcome> {
  const existing = await findOutgoing(context.db, sending.id);
  const planned = existing ?? (await planOnce(context, sender, sending));
  return 'type' in planned ? planned : sendPlanned(context, sender, sending, planned);
}

/** Signs, stores and broadcasts a stored plan, unless that is done. Callers hold a lease. */
export async function sendPlanned(
  context: Context,
  sender: ChainSender,
  sent: Sent,
  planned: Outgoing,
): Promise<SendOutcome> {
  if (planned.result === 'failed')
    return { type: 'refused', reason: planned.reason ?? 'The network rejected the transaction' };
  const attempt = newestAttempt(planned);
  if (planned.result === 'ok' && isSigned(attempt))
    return { type: 'sent', txid: txidOf(sender, attempt) };
  return sendAttempt(context, sender, { ...sent, id: planned.id }, attempt);
}

/**
 * Plans, signs and broadcasts the next attempt of a transaction whose attempts have all expired.
 * After an interruption `trackSent` continues with the stored plan. Callers hold a lease, as for
 * `sendOnce`.
 */
export async function sendAfterExpiry(
  context: Context,
  sender: ChainSender,
  sending: Sending,
): Promise<SendOutcome> {
  const { db } = context;
  const { id, request, isStillWanted } = sending;
  const expired = (await findOutgoing(db, id))!;
  const { minNonce } = await findLane(db, sender, id);
  const planned = await sender.plan({ ...request, id, minNonce });
  if (planned.type === 'busy') return planned;
  if (planned.type === 'wait') return { ...planned, type: 'waiting' };
  if (planned.type === 'refused') {
    await closeOutgoing(db, id, null);
    return planned;
  }
  const number = newestAttempt(expired).number + 1;
  const isStored = await transact(db, async (trx) => {
    if (isStillWanted !== undefined && !(await isStillWanted(trx))) return false;
    return saveNextPlan(trx, id, { number, plan: planned.plan, nonce: planned.nonce });
  });
  if (!isStored) return { type: 'cancelled' };
  return sendAttempt(context, sender, sending, newestAttempt((await findOutgoing(db, id))!));
}

/** Signs an attempt if it is not signed yet, and broadcasts it. */
async function sendAttempt(
  context: Context,
  sender: ChainSender,
  sent: Sent,
  attempt: Attempt,
): Promise<SendOutcome> {
  const signed = isSigned(attempt) ? attempt : await signOnce(context, sent, attempt);
  if ('type' in signed) return signed;
  const response = await broadcast(context, sender, sent.id, signed);
  if (response.result === 'ok') return { type: 'sent', txid: txidOf(sender, signed) };
  return response.result === 'failed'
    ? { type: 'refused', reason: response.reason }
    : { type: 'unknown' };
}

/** @returns null where the chain gives the id later */
export const txidOf = (
  { hasLateTxids = false }: ChainSender,
  { txid }: Pick<SignedTransaction, 'txid'>,
): string | null => (hasLateTxids ? null : txid);

/** A refused plan is discarded, so that it does not hold up the transactions behind it. */
export async function signOnce(
  { db, signer }: Context,
  { id, purpose, recipientIndex = null }: Sent,
  { number, plan }: Attempt,
): Promise<SignedAttempt | SendOutcome> {
  try {
    const signed = await signer.sign({ id, purpose, plan, recipientIndex });
    await saveSigned(db, id, number, signed);
  } catch (error) {
    if (error instanceof SignatureAwaitedError)
      return { type: 'waiting', reason: error.message, isPlanned: true };
    if (!(error instanceof SigningRefusedError)) throw error;
    await discardAttempt(db, id, number);
    return { type: 'waiting', reason: error.message, cause: 'signer' };
  }
  const stored = (await findOutgoing(db, id))?.attempts.find((one) => one.number === number);
  if (stored === undefined || !isSigned(stored))
    throw new Error(`The signed transaction of ${id} is missing`);
  return stored;
}

async function planOnce(
  context: Context,
  sender: ChainSender,
  sending: Sending,
): Promise<Outgoing | SendOutcome> {
  const { db } = context;
  const { id, purpose, request, isStillWanted } = sending;
  const { chain, lane, maxInFlight = 1 } = sender;
  const before = await findLane(db, sender, id);
  if (lane !== null && !hasRoom(before, maxInFlight)) return { type: 'busy' };
  if (await hasTakenRequest(db, sending, sender)) return { type: 'refused', reason: REQUEST_TAKEN };
  const planned = await sender.plan({
    ...request,
    id,
    minNonce: before.minNonce,
    inFlight: before.open.map(({ plan }) => plan),
    taken: lane === null ? await takenInputs(db, chain) : [],
  });
  if (planned.type === 'wait') {
    const { missingFrom, ...waiting } = planned;
    if (missingFrom !== undefined) await sendDropped(context, sender, lane, missingFrom);
    return { ...waiting, type: 'waiting' };
  }
  if (planned.type !== 'plan') return planned;
  const { nonce, plan, inputs } = planned;
  const isStored = await transact(db, async (trx) => {
    if (isStillWanted !== undefined && !(await isStillWanted(trx))) return false;
    await savePlan(trx, { id, purpose, chain, lane, nonce, plan, inputs });
    return true;
  });
  if (!isStored) return { type: 'cancelled' };
  return (await findOutgoing(db, id))!;
}

/** An index of the database decides if two processes ask at once. */
async function hasTakenRequest(
  db: Db,
  { id, request }: Sending,
  { chain }: ChainSender,
): Promise<boolean> {
  const [output] = request.outputs;
  return chain === 'lightning' && output !== undefined && isRequestTaken(db, output.address, id);
}

const REQUEST_TAKEN =
  'Another payout has this lightning request; ask the recipient for a new request';

/**
 * A refusal is certain only while no node can have it: an earlier broadcast without an answer may
 * have arrived.
 * @throws UnavailableError if the node does not answer the test; nothing was sent by it
 */
export async function broadcast(
  { db }: Context,
  sender: ChainSender,
  id: string,
  { number, raw }: SignedAttempt,
): Promise<BroadcastResult> {
  const refusal = (await sender.test?.(raw)) ?? null;
  const wasSent = await countTry(db, id, { number, isSent: refusal === null });
  if (wasSent === null) return { result: 'unknown', reason: REFUSED_ELSEWHERE };
  const response = refusal ?? (await sender.broadcast(raw, { mayBeSent: wasSent }));
  if (response.result !== 'failed') {
    await saveResult(db, id, response.result, response.result === 'ok' ? null : response.reason);
    return response;
  }
  const { reason } = response;
  if (!wasSent && (await saveFailure(db, id, { reason, wasTested: refusal !== null })))
    return response;
  await saveResult(db, id, 'unknown', reason);
  return { result: 'unknown', reason };
}

const REFUSED_ELSEWHERE = 'Another process was told that the network refuses it';

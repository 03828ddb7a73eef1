import {
  createRefusalPauses,
  type RefusalPauses,
} from '@crypto-checkout/chains/rpc/refusal-pauses';
import type {
  BroadcastResult,
  ChainSender,
  TransactionStatus,
} from '@crypto-checkout/chains/sender';
import { raiseRecurring } from '../../alarm/recurring.ts';
import type { Context } from '../../context.ts';
import type { Db } from '../../database/database.ts';
import { UnavailableError } from '../../http/error.ts';
import { closeOutgoing, reopenOutgoing, saveResult } from './outcome-store.ts';
import {
  findAttempt,
  findOutgoing,
  isSigned,
  newestAttempt,
  type Attempt,
  type Outgoing,
} from './outgoing-store.ts';
import { saveChainTxid } from './internal-txids.ts';
import { broadcast, signOnce, txidOf, type Sent } from './send.ts';

type WithoutTxid<Status> = Status extends unknown ? Omit<Status, 'txid' | 'signedAs'> : never;
/** Where a transaction is. */
export type ChainPlace = WithoutTxid<TransactionStatus>;
/** Where a transaction is that may have been sent. */
export type SentStatus = ChainPlace & {
  /** Of the attempt that was found, else of the newest; null while the chain has given it none. */
  txid: string | null;
  /** Whether the node refused the newest attempt because its fee is too low. */
  isUnderpriced?: boolean;
  /** The node's words when it refused the newest attempt once more. */
  refusal?: string;
};

/** The same as a state machine of payouts or sweeps reads it. */
export interface ChainFacts {
  /**
   * `sent`: the network has or had it; `block`: it is in a block; `reverted`: it is in a block
   * without effect; `impossible`: it can never be in a block.
   */
  chain: 'sent' | 'block' | 'reverted' | 'impossible';
  confirmations: number;
}

export function chainFacts(transaction: ChainPlace): ChainFacts {
  switch (transaction.state) {
    case 'block': {
      const { succeeded, confirmations } = transaction;
      return { chain: succeeded ? 'block' : 'reverted', confirmations };
    }
    case 'impossible':
      return { chain: 'impossible', confirmations: 0 };
    case 'mempool':
    case 'unseen':
    case 'expired':
      return { chain: 'sent', confirmations: 0 };
    default:
      throw new Error(`Unknown state ${String(transaction satisfies never)}`);
  }
}

/**
 * Reads the status of a transaction that may have been sent. If the network does not have its
 * newest attempt, the same bytes are broadcast again.
 * @returns null if it was not sent yet
 * @throws UnavailableError if the node does not answer
 */
export async function trackSent(
  context: Context,
  sender: ChainSender,
  sent: Sent,
): Promise<SentStatus | null> {
  const { db } = context;
  const outgoing = await findOutgoing(db, sent.id);
  if (outgoing === null || outgoing.result === 'failed') return null;
  const looked = await lookUpAttempts(db, sender, outgoing);
  if (looked === null) return null;
  const { status, found } = looked;
  if (status.state === 'block' || status.state === 'impossible') {
    pausesOf(context).end(outgoing.id);
    if (status.state === 'block') await saveResult(db, outgoing.id, 'ok', null);
    await closeOutgoing(db, outgoing.id, status.state === 'block' ? status.txid : null);
    return status;
  }
  await reopenOutgoing(db, outgoing);
  if (status.state === 'mempool') await saveResult(db, outgoing.id, 'ok', null);
  const newest = newestAttempt(outgoing);
  if (status.state === 'mempool' && found === newest.number) return status;
  if (status.state === 'expired' && isSigned(newest)) return status;
  if (isLost(status)) return status;
  return sendAgain(context, sender, { sent: { ...sent, id: outgoing.id }, newest, status });
}

/** It may have been sent, and the network will not say so: sending it again is no remedy. */
const isLost = (status: SentStatus): boolean =>
  status.state === 'unseen' && status.lost !== undefined;

const pauses = new WeakMap<Context, RefusalPauses>();

function pausesOf(context: Context): RefusalPauses {
  const known = pauses.get(context) ?? createRefusalPauses(() => context.clock.real());
  pauses.set(context, known);
  return known;
}

/** Each alarm about a replacement that waits for its signature begins with it. */
export const HIGHER_FEE = 'A higher fee was not sent: ';

/** Broadcasts the newest attempt, which the network does not have. */
async function sendAgain(
  context: Context,
  sender: ChainSender,
  { sent, newest, status }: { sent: Sent; newest: Attempt; status: SentStatus },
): Promise<SentStatus> {
  const signed = isSigned(newest) ? newest : await signOnce(context, sent, newest);
  if ('type' in signed) {
    const reason = signed.type === 'waiting' ? signed.reason : signed.type;
    await raiseRecurring(context, sender.chain, `${HIGHER_FEE}${reason}`);
    return status;
  }
  const response = await pausesOf(context).broadcast({ id: sent.id, attempt: signed.number }, () =>
    broadcast(context, sender, sent.id, signed).catch(asUnknown),
  );
  if (status.state === 'mempool') return status;
  const txid = txidOf(sender, signed);
  if (response.result === 'ok') return { state: 'mempool', txid };
  const isUnderpriced = response.result === 'unknown' && response.cause === 'fee';
  return {
    ...(status.state === 'unseen' ? status : { state: 'unseen' as const }),
    txid,
    refusal: response.reason,
    ...(isUnderpriced && { isUnderpriced }),
  };
}

function asUnknown(error: unknown): BroadcastResult {
  if (error instanceof UnavailableError) return { result: 'unknown', reason: error.message };
  throw error;
}

/**
 * Reads the status of a transaction that was given up, without broadcasting it again.
 * @returns null if it was not sent
 * @throws UnavailableError if the node does not answer
 */
export async function lookUpSent(
  { db }: Context,
  sender: ChainSender,
  id: string,
): Promise<SentStatus | null> {
  const outgoing = await findOutgoing(db, id);
  return outgoing === null ? null : ((await lookUpAttempts(db, sender, outgoing))?.status ?? null);
}

interface Looked {
  status: SentStatus;
  /** The number of the attempt that was found; null if none was. */
  found: number | null;
}

/** @returns null if nothing was sent */
async function lookUpAttempts(
  db: Db,
  sender: ChainSender,
  { id, nonce, tries, attempts, result }: Outgoing,
): Promise<Looked | null> {
  const signed = attempts.filter(isSigned);
  const newest = signed.at(-1);
  if (newest === undefined || tries === 0) return null;
  const ownTransaction = (txid: string) => findAttempt(db, sender.chain, txid);
  const wasAccepted = result === 'ok';
  const status = await sender.lookUp({ nonce, attempts: signed, wasAccepted, ownTransaction });
  if (status.state !== 'block' && status.state !== 'mempool') {
    // A cancelled transaction is not sent again.
    const isCancelled = attempts.some(({ intent }) => intent === 'cancel');
    const place: ChainPlace =
      status.state === 'expired' && isCancelled
        ? { state: 'impossible', reason: CANCELLED }
        : status;
    return { status: { ...place, txid: txidOf(sender, newest) }, found: null };
  }
  const signedAs = status.state === 'block' ? (status.signedAs ?? status.txid) : status.txid;
  const attempt = signed.find(({ txid }) => txid === signedAs);
  const found = attempt?.number ?? null;
  if (status.state === 'mempool')
    return { status: { ...status, txid: txidOf(sender, status) }, found };
  if (status.txid !== signedAs)
    await saveChainTxid(db, id, { txid: signedAs, chainTxid: status.txid });
  if (attempt?.intent !== 'cancel') return { status, found };
  return { status: { ...status, succeeded: false, reason: CANCELLED }, found };
}

const CANCELLED = 'It was cancelled: another transaction took its place';

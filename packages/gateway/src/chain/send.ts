import type { Context } from '../context.ts';
import { transact, type Trx } from '../database/database.ts';
import type { ChainSender, Fate, PlanRequest } from './sender.ts';
import {
  closeOutgoing,
  countTry,
  findOutgoing,
  isLaneBusy,
  keepPlan,
  keepResult,
  keepSigned,
  minNonce,
  type Outgoing,
} from './send-store.ts';

export interface Sending {
  /** Of the payout, or of what else it is for; sent once, whatever happens. */
  id: string;
  purpose: string;
  request: Omit<PlanRequest, 'id' | 'minNonce'>;
  /** Asked in the transaction that stores the plan, and locks what says so: whether it is still to be sent. Default: it is. */
  isWanted?: (trx: Trx) => Promise<boolean>;
}

export type SendOutcome =
  /** Another transaction of the lane is on its way. */
  | { type: 'busy' }
  /** Not planned yet, for a reason that may pass. */
  | { type: 'waiting'; reason: string }
  /** Somebody put an end to it before it was planned. */
  | { type: 'unwanted' }
  /** Certain: nothing was sent, and nothing will be. */
  | { type: 'refused'; reason: string }
  | { type: 'sent'; txid: string }
  /** Perhaps it is on its way. */
  | { type: 'unknown'; txid: string };

/**
 * Brings one transaction to the network: planned, signed, stored, then broadcast. Wherever it was interrupted, the next call
 * goes on: the plan that is stored is the one that is signed, the bytes that are stored are the ones that are sent, so there is
 * never a second transaction. One caller per lane at a time (a lease).
 */
export async function sendOnce(context: Context, sender: ChainSender, sending: Sending): Promise<SendOutcome> {
  const { db, signer } = context;
  const known = await findOutgoing(db, sending.id);
  const planned = known ?? (await planOnce(context, sender, sending));
  if ('type' in planned) return planned;
  if (planned.result === 'failed') return { type: 'refused', reason: planned.reason ?? 'The network refused it' };
  if (planned.raw === null) await keepSigned(db, sending.id, await signer.sign(planned.plan));
  const signed = await findOutgoing(db, sending.id);
  if (signed === null || signed.raw === null || signed.txid === null) throw new Error(`What is sent for ${sending.id} was not stored`);
  if (signed.result === 'ok') return { type: 'sent', txid: signed.txid };
  return broadcast(context, sender, { ...signed, raw: signed.raw, txid: signed.txid });
}

async function planOnce({ db }: Context, sender: ChainSender, sending: Sending): Promise<Outgoing | SendOutcome> {
  const { id, purpose, request, isWanted } = sending;
  const { chain, lane } = sender;
  if (lane !== null && (await isLaneBusy(db, chain, lane, id))) return { type: 'busy' };
  const planned = await sender.plan({ ...request, id, minNonce: await minNonce(db, chain, lane) });
  if (planned.type === 'wait') return { type: 'waiting', reason: planned.reason };
  if (planned.type === 'refused') return planned;
  const { nonce, plan } = planned;
  const isKept = await transact(db, async (trx) => {
    if (isWanted !== undefined && !(await isWanted(trx))) return false;
    await keepPlan(trx, { id, purpose, chain, lane, nonce, plan });
    return true;
  });
  if (!isKept) return { type: 'unwanted' };
  return (await findOutgoing(db, id))!;
}

type Signed = Outgoing & { raw: string; txid: string };

/** A refusal is certain only of the first attempt: an earlier one of which nothing was heard may have arrived. */
async function broadcast({ db }: Context, sender: ChainSender, { id, raw, txid }: Signed): Promise<SendOutcome> {
  const tries = await countTry(db, id);
  const answer = await sender.broadcast(raw);
  const result = answer.result === 'failed' && tries > 1 ? 'unknown' : answer.result;
  const reason = answer.result === 'ok' ? null : answer.reason;
  await keepResult(db, id, result, reason);
  if (result === 'ok') return { type: 'sent', txid };
  return result === 'failed' ? { type: 'refused', reason: reason ?? 'The network refused it' } : { type: 'unknown', txid };
}

/**
 * What became of a transaction that may have been sent. One that the network does not know is broadcast again, the same bytes.
 * @returns null when it was not sent yet
 * @throws UnavailableError when the node does not answer
 */
export async function followSent(context: Context, sender: ChainSender, id: string): Promise<(Fate & { txid: string }) | null> {
  const { db } = context;
  const sent = await findOutgoing(db, id);
  if (sent === null || sent.raw === null || sent.txid === null || sent.tries === 0 || sent.result === 'failed') return null;
  const { txid, nonce, raw } = sent;
  const fate = await sender.lookUp({ txid, nonce, raw });
  if (fate.state === 'unseen') {
    const { type } = await broadcast(context, sender, { ...sent, raw, txid });
    return { state: type === 'sent' ? 'mempool' : 'unseen', txid };
  }
  if (fate.state !== 'impossible') await keepResult(db, id, 'ok', null);
  if (fate.state === 'block' || fate.state === 'impossible') await closeOutgoing(db, id);
  return { ...fate, txid };
}

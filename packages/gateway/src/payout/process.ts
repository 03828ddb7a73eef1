import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { PayoutStatus } from '@crypto-checkout/protocol/status';
import { raiseAlarmOnce } from '../chain/progress.ts';
import { keepLease, waitForLease } from '../chain/scan.ts';
import { findOutgoing } from '../chain/send-store.ts';
import { followSent, sendOnce, type SendOutcome } from '../chain/send.ts';
import type { ChainSender, Fate } from '../chain/sender.ts';
import { readLying, type Lying } from '../consolidation/lying.ts';
import type { Context } from '../context.ts';
import { milliseconds, timestamp, transact, type Trx } from '../database/database.ts';
import { guardLease, releaseLease, type Lease } from '../database/lease.ts';
import { UnavailableError } from '../http/error.ts';
import { LedgerError } from '../wallet/post.ts';
import { holdFunds, releaseFunds, spendFeeOnly, spendFunds } from './hold.ts';
import { isRequestOpen, resolveLightning } from './lightning.ts';
import { movePayout } from './move.ts';
import { isHeldByPolicy } from './policy.ts';
import { whyNeverRefilled } from './refill.ts';
import { isDue, sentPath, UNCONFIRMED_AFTER_MS } from './state.ts';
import {
  chainsWithPayouts,
  findPayouts,
  lockPayout,
  reserveWalletOf,
  saveRequest,
  sentPayouts,
  unsentPayouts,
  type LockedPayout,
  type PayoutChange,
  type PayoutView,
} from './store.ts';
import { wakePayouts } from './wake.ts';

/** Payouts of one round and chain; the others are for the next. */
const LIMIT = 500;
const CHAINS_AT_ONCE = 4;
/** So often in a row a node may leave us without an answer in one round. */
const SILENCES = 3;

/**
 * Does what is due for payouts: wakes those that waited, looks after those that were sent, sends the next ones. One process at a
 * time for each chain, under a lease; whatever was interrupted goes on where it was. A chain that does not answer holds up no other.
 */
export async function processPayouts(context: Context, signal: AbortSignal = new AbortController().signal): Promise<void> {
  await wakePayouts(context);
  const chains = await chainsWithPayouts(context.db);
  const next = async (): Promise<void> => {
    for (let chain = chains.shift(); chain !== undefined; chain = chains.shift()) {
      const sender = context.senders.get(chain);
      if (sender) await processChain(context, sender, signal);
    }
  };
  await Promise.all(Array.from({ length: CHAINS_AT_ONCE }, next));
}

/** Who sends from a chain's payout address: one process at a time. */
export const sendingLease = (chain: ChainId): string => `payouts:${chain}`;

async function processChain(context: Context, sender: ChainSender, signal: AbortSignal): Promise<void> {
  const { db } = context;
  const lease = await waitForLease(context, sendingLease(sender.chain), context.ids.uuid(), signal);
  if (lease === null) return;
  const keeper = keepLease(context, lease);
  const worker: Worker = { context, sender, lease };
  try {
    await each(worker, await sentPayouts(db, sender.chain, LIMIT), signal, (id) => follow(worker, id));
    await each(worker, await unsentPayouts(db, sender.chain, timestamp(context.clock.now()), LIMIT), signal, (id) => begin(worker, id));
  } finally {
    await keeper.stop();
    await releaseLease(db, lease).catch(() => {});
  }
}

interface Worker {
  context: Context;
  sender: ChainSender;
  lease: Lease;
}

/** One that goes wrong is tried again in the next round, and holds up no other. */
async function each(
  { context, sender }: Worker,
  ids: readonly string[],
  signal: AbortSignal,
  work: (id: string) => Promise<void>,
): Promise<void> {
  let silent = 0;
  for (const id of ids) {
    if (signal.aborted) return;
    try {
      await work(id);
    } catch (error) {
      context.log.warn({ err: error, payout_id: id, chain: sender.chain }, 'a payout is tried again');
      silent = error instanceof UnavailableError ? silent + 1 : 0;
      // The others would wait for the same silence, one after another.
      if (silent === SILENCES) return;
    }
  }
}

/** Changes a payout while its chain is ours: who lost the lease writes nothing any more. */
async function change<T>({ context, lease }: Worker, id: string, work: (trx: Trx, payout: LockedPayout) => Promise<T>): Promise<T> {
  return transact(context.db, async (trx) => {
    await guardLease(trx, lease);
    const payout = await lockPayout(trx, id);
    if (payout === null) throw new Error(`There is no payout ${id}`);
    return work(trx, payout);
  });
}

async function begin(worker: Worker, id: string): Promise<void> {
  const { context, sender } = worker;
  if (!(await prepare(worker, id))) return;
  const [payout] = await findPayouts(context.db, [id]);
  const request = await requestOf(context, payout!);
  if (request === null) return give(worker, id, 'The lightning request ran out before it could be paid');
  // It may have been rejected since, by a process whose clock has not reached its date: whoever locks it first decides.
  const isWanted = async (trx: Trx): Promise<boolean> => {
    await guardLease(trx, worker.lease);
    return isUnsent((await lockPayout(trx, id))!.status);
  };
  const outcome = await sendOnce(context, sender, { id, purpose: 'payout', request, isWanted });
  await applyOutcome(worker, id, outcome);
}

/** @returns whether it may be sent now: its money is held, and nothing else holds it */
async function prepare(worker: Worker, id: string): Promise<boolean> {
  const { context } = worker;
  const now = timestamp(context.clock.now());
  const [known] = await findPayouts(context.db, [id]);
  const lying = known?.hold === 'none' ? await readLying(context, known.chain, known.wallet_id) : null;
  try {
    return await change(worker, id, async (trx, payout) => {
      if (!isUnsent(payout.status) || !isDue(payout, context.clock.now())) return false;
      if (payout.hold === 'none') {
        if (lying === null) return false;
        await holdFunds(trx, payout, now, lying);
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
  await waitOrFail(worker, known!, lying!);
  return false;
}

/** It was scheduled or approved, and by now the wallet has too little. */
async function waitOrFail(worker: Worker, known: PayoutView, lying: Lying): Promise<void> {
  const { context } = worker;
  const reserve = await reserveWalletOf(context.db, known.profile_id);
  const why = reserve === null ? null : await whyNeverRefilled(context, known, reserve, lying);
  const error = `The wallet has too little available${why === null ? '' : `, and the profile's reserve wallet can't buy it: ${why}`}`;
  await change(worker, known.id, async (trx, payout) => {
    if (payout.status !== 'new' || payout.hold !== 'none') return;
    if (reserve !== null && why === null) await movePayout(trx, context, payout, ['awaiting_funds']);
    else await movePayout(trx, context, payout, ['failed'], { error });
  });
}

const isUnsent = (status: PayoutStatus): boolean => status === 'new' || status === 'queued';

/** @returns null when it can't be paid any more */
async function requestOf(context: Context, payout: PayoutView) {
  const recipients = [...payout.recipients];
  const [first] = recipients;
  const isPlanned = (await findOutgoing(context.db, payout.id)) !== null;
  if (first?.payment_request && !isPlanned && !isRequestOpen(first.payment_request, context.clock.now())) {
    if (first.lnurl === null) return null;
    recipients[0] = await renewRequest(context, payout, first);
  }
  return {
    asset: payout.asset,
    outputs: recipients.map(({ address, tag, memo, amount, payment_request }) => ({
      address,
      tag,
      memo,
      amount: parseAmount(amount),
      paymentRequest: payment_request,
    })),
    preset: payout.network_fee_preset,
    feeRate: payout.network_fee,
    feeReserve: parseAmount(payout.fee_reserve),
  };
}

/** It waited longer than the request lasts; nothing was planned with the old one. */
async function renewRequest(context: Context, payout: PayoutView, recipient: PayoutView['recipients'][number]) {
  const network = payout.is_testnet ? 'testnet' : 'mainnet';
  const amount = parseAmount(recipient.amount);
  const target = await resolveLightning(context, { text: recipient.lnurl!, field: 'recipients.0', network, amount });
  await saveRequest(context.db, payout.id, recipient.number, target.paymentHash, target.paymentRequest);
  return { ...recipient, address: target.paymentHash, payment_request: target.paymentRequest };
}

async function applyOutcome(worker: Worker, id: string, outcome: SendOutcome): Promise<void> {
  const { context, sender } = worker;
  switch (outcome.type) {
    case 'sent':
      await applyFate(worker, id, { state: 'mempool', txid: outcome.txid });
      // It was paid at once, or is on its way to somebody who takes his time.
      return sender.chain === 'lightning' ? follow(worker, id) : undefined;
    case 'refused':
      return give(worker, id, outcome.reason);
    case 'busy':
      // §3.3: on TON a payout that waits for its turn is `queued`; elsewhere it is still new.
      if (sender.chain === 'ton')
        await change(worker, id, async (trx, payout) => {
          if (payout.status === 'new') await movePayout(trx, context, payout, ['queued']);
        });
      return;
    case 'waiting':
      return raiseAlarmOnce(context, sender.chain, `Payouts wait: ${outcome.reason}`);
    case 'unwanted':
      return;
    case 'unknown':
      // Its money stays where it is; the next round looks it up.
      return;
    default:
      throw new Error(`Unknown outcome ${String(outcome satisfies never)}`);
  }
}

/** Certain: nothing was sent, and nothing will be. The money goes back. */
async function give({ context, lease, sender }: Worker, id: string, reason: string): Promise<void> {
  await change({ context, lease, sender }, id, async (trx, payout) => {
    if (!isUnsent(payout.status)) return;
    if (payout.hold === 'held') await releaseFunds(trx, payout, timestamp(context.clock.now()));
    await movePayout(trx, context, payout, ['failed'], { error: reason, hold: payout.hold === 'held' ? 'released' : payout.hold });
  });
}

async function follow(worker: Worker, id: string): Promise<void> {
  const fate = await followSent(worker.context, worker.sender, id);
  if (fate !== null) return applyFate(worker, id, fate);
  // The network refused it, and we stopped before that was written down.
  const [payout] = await findPayouts(worker.context.db, [id]);
  if (payout && isUnsent(payout.status)) await begin(worker, id);
}

async function applyFate(worker: Worker, id: string, fate: Fate & { txid: string }): Promise<void> {
  const { context } = worker;
  const [known] = await findPayouts(context.db, [id]);
  // Most of the time nothing is new, and nothing has to be locked.
  if (!known || consequence(context, known, fate) === null) return;
  await change(worker, id, async (trx, payout) => {
    const next = consequence(context, payout, fate);
    if (next === null) return;
    const ended = await settle(trx, payout, next.path.at(-1), fate, timestamp(context.clock.now()));
    await movePayout(trx, context, payout, next.path, { ...next.seen, ...ended });
  });
}

/** @returns null when the payout stays as it is */
function consequence(
  { clock }: Context,
  payout: PayoutView,
  fate: Fate & { txid: string },
): { path: PayoutStatus[]; seen: PayoutChange } | null {
  // What the network does not know was sent if it ever said so.
  if (fate.state === 'unseen' && isUnsent(payout.status)) return null;
  const now = clock.now();
  const path = sentPath({
    status: payout.status,
    chain: fate.state === 'block' ? (fate.succeeded ? 'block' : 'reverted') : fate.state === 'impossible' ? 'impossible' : 'sent',
    confirmations: fate.state === 'block' ? fate.confirmations : 0,
    finalConfirmations: CHAINS[payout.chain].finalConfirmations,
    aged: fate.state !== 'block' && payout.executed_at !== null && now - milliseconds(payout.executed_at) > UNCONFIRMED_AFTER_MS,
  });
  const seen = whatIsSeen(payout, fate, timestamp(now));
  return path.length === 0 && isSame(payout, seen) ? null : { path, seen };
}

function whatIsSeen(payout: PayoutView, fate: Fate & { txid: string }, now: string): PayoutChange {
  const place =
    fate.state === 'block'
      ? { block_height: fate.height, block_hash: fate.hash, confirmations: fate.confirmations }
      : { block_height: null, block_hash: null, confirmations: 0 };
  const fee = fate.state === 'block' && fate.fee !== null ? { fee: formatAmount(fate.fee) } : {};
  return { txid: fate.txid, executed_at: payout.executed_at ?? now, ...place, ...fee };
}

function isSame(payout: PayoutView, seen: PayoutChange): boolean {
  const sameFee = seen.fee === undefined || parseAmount(seen.fee) === parseAmount(payout.fee);
  return (
    sameFee &&
    (['txid', 'block_height', 'block_hash', 'confirmations', 'executed_at'] as const).every((name) => payout[name] === seen[name])
  );
}

/** The postings of a payout that ends. */
async function settle(trx: Trx, payout: LockedPayout, status: PayoutStatus | undefined, fate: Fate, at: string): Promise<PayoutChange> {
  if (payout.hold !== 'held') return {};
  const fee = fate.state === 'block' && fate.fee !== null ? fate.fee : parseAmount(payout.fee);
  if (status === 'complete') {
    await spendFunds(trx, payout, fee, at);
    return { hold: 'spent' };
  }
  if (status !== 'failed') return {};
  if (fate.state === 'block') await spendFeeOnly(trx, payout, fee, at);
  else await releaseFunds(trx, payout, at);
  const reason = fate.state === 'block' || fate.state === 'impossible' ? fate.reason : null;
  return { hold: 'released', error: reason ?? 'It failed on the chain' };
}

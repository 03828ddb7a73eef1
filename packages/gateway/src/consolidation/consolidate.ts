import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import { raiseAlarmOnce } from '../chain/progress.ts';
import { keepLease, waitForLease } from '../chain/scan.ts';
import { followSent, sendOnce, type Sending, type SendOutcome } from '../chain/send.ts';
import type { ChainSender, Consolidation, Fate } from '../chain/sender.ts';
import type { Context } from '../context.ts';
import { milliseconds, timestamp, transact, type Trx } from '../database/database.ts';
import { guardLease, releaseLease, type Lease } from '../database/lease.ts';
import { UnavailableError } from '../http/error.ts';
import { sendingLease } from '../payout/process.ts';
import { beginSweep, findDue, RETRY_MS, transfer, type Worker } from './begin.ts';
import { collectDeposits } from './collect.ts';
import { settleFees } from './hold.ts';
import { checkSweepMoves, nextSweepStatus, requireSweepMove, type SweepStatus } from './state.ts';
import {
  addToDeposit,
  chainsToConsolidate,
  findSweep,
  lockSweep,
  openSweeps,
  postpone,
  saveSweep,
  takeFromDeposit,
  type Sweep,
} from './store.ts';

checkSweepMoves();

/** Sweeps of one round and chain; the others are for the next. */
const LIMIT = 200;
/** So often in a row a node may leave us without an answer in one round. */
const SILENCES = 3;

/**
 * Moves what came in on deposit addresses together to the addresses that pay out: gas first where a token has none beside it,
 * then the transfer. One process at a time for each chain, under a lease; whatever was interrupted goes on where it was.
 */
export async function consolidateDeposits(context: Context, signal: AbortSignal = new AbortController().signal): Promise<void> {
  await collectDeposits(context);
  for (const chain of await chainsToConsolidate(context.db)) {
    const sender = context.senders.get(chain);
    if (sender?.consolidation !== undefined) await consolidateChain(context, sender, sender.consolidation, signal);
  }
}

async function consolidateChain(context: Context, sender: ChainSender, consolidation: Consolidation, signal: AbortSignal): Promise<void> {
  await underLease(context, `sweeps:${sender.chain}`, signal, async (lease) => {
    const worker: Worker = { context, sender, consolidation, lease };
    await each(worker, await findDue(worker), signal, (deposit) => beginSweep(worker, deposit));
    await each(worker, await openSweeps(context.db, sender.chain, LIMIT), signal, (id) => advance(worker, id, signal));
  });
}

/** @returns null when somebody else had the lease all the time */
async function underLease<T>(context: Context, name: string, signal: AbortSignal, work: (lease: Lease) => Promise<T>): Promise<T | null> {
  const lease = await waitForLease(context, name, context.ids.uuid(), signal);
  if (lease === null) return null;
  const keeper = keepLease(context, lease);
  try {
    return await work(lease);
  } finally {
    await keeper.stop();
    await releaseLease(context.db, lease).catch(() => {});
  }
}

/** One that goes wrong is tried again in the next round, and holds up no other. */
async function each<T>(
  { context, sender }: Worker,
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let silent = 0;
  for (const item of items) {
    if (signal.aborted) return;
    try {
      await work(item);
    } catch (error) {
      context.log.warn({ err: error, chain: sender.chain, sweep: item }, 'what lies on a deposit address is looked at again');
      silent = error instanceof UnavailableError ? silent + 1 : 0;
      // The others would wait for the same silence, one after another.
      if (silent === SILENCES) return;
    }
  }
}

/** Goes on with a sweep as far as it can now. */
async function advance(worker: Worker, id: string, signal: AbortSignal): Promise<void> {
  for (let steps = 0; steps < 2; steps += 1) {
    const sweep = await findSweep(worker.context.db, id);
    if (sweep === null || (sweep.status !== 'topping_up' && sweep.status !== 'sending')) return;
    const fate = await bring(worker, sweep, signal);
    if (fate === null || !(await applyFate(worker, sweep, fate))) return;
  }
}

/** What a sweep waits for: gas that leaves from the payout address, then the transfer from the deposit address. */
function stepOf({ sender, consolidation }: Worker, sweep: Sweep): { sender: ChainSender; sending: Sending } {
  const { address, key_index: index } = sweep;
  if (sweep.status === 'topping_up') {
    const request = { ...transfer(sweep.fee_asset, address, parseAmount(sweep.top_up)), feeReserve: parseAmount(sweep.top_up_fee_reserve) };
    return { sender, sending: { id: sweep.top_up_id, purpose: 'top_up', request } };
  }
  const request = {
    ...transfer(sweep.asset, consolidation.payoutAddress, parseAmount(sweep.amount)),
    feeReserve: parseAmount(sweep.fee_reserve),
  };
  return { sender: consolidation.from({ address, index }), sending: { id: sweep.id, purpose: 'sweep', request } };
}

/** Sends what was not sent yet, looks after what was. @returns null when nothing is known yet */
async function bring(worker: Worker, sweep: Sweep, signal: AbortSignal): Promise<Fate | null> {
  const { context } = worker;
  const { sender, sending } = stepOf(worker, sweep);
  const fate = await followSent(context, sender, sending.id);
  if (fate !== null) return fate;
  const send = (): Promise<SendOutcome> => sendOnce(context, sender, sending);
  // Gas leaves from where payouts do, which is theirs and ours in turn.
  const outcome = sweep.status === 'topping_up' ? await underLease(context, sendingLease(sweep.chain), signal, send) : await send();
  switch (outcome?.type) {
    case 'sent':
      return { state: 'mempool' };
    case undefined:
    case 'busy':
    case 'unwanted':
    case 'unknown':
      return null;
    case 'refused':
      return { state: 'impossible', reason: outcome.reason };
    case 'waiting': {
      const { reserve } = await sender.estimate(sending.request);
      // Nothing was planned: it begins anew with a fee that is enough.
      if (reserve > sending.request.feeReserve) return { state: 'impossible', reason: FEE_ROSE };
      // Nor is money held back for longer for what does not come about.
      if (context.clock.now() - milliseconds(sweep.created_at) > PATIENCE_MS) return { state: 'impossible', reason: outcome.reason };
      await raiseAlarmOnce(context, sender.chain, `Consolidation waits: ${outcome.reason}`);
      return null;
    }
    default:
      throw new Error(`Unknown outcome ${String(outcome satisfies never)}`);
  }
}

/** How long a sweep waits for gas, or for what the books say lies there, before it gives back what it holds. */
const PATIENCE_MS = 60 * 60 * 1000;
const FEE_ROSE = 'The network fee rose above what was held for it';

/** @returns whether there is a next step */
async function applyFate(worker: Worker, known: Sweep, fate: Fate): Promise<boolean> {
  // Most of the time nothing is new, and nothing has to be locked.
  if (nextOf(known, fate) === null && heightOf(known) === (fate.state === 'block' ? fate.height : null)) return false;
  const { context, lease } = worker;
  const at = timestamp(context.clock.now());
  const moved = await transact(context.db, async (trx) => {
    await guardLease(trx, lease);
    const sweep = await lockSweep(trx, known.id);
    if (sweep === null || sweep.status !== known.status) return null;
    const next = nextOf(sweep, fate);
    const seen = whatIsSeen(sweep, fate);
    if (next === null) {
      await saveSweep(trx, sweep, seen, at);
      return null;
    }
    requireSweepMove(sweep.status, next);
    await moveSweep(trx, worker, { ...sweep, ...seen }, next, fate);
    return next;
  });
  if (moved === 'failed') await tellOfFailure(worker, known, reasonOf(fate));
  return moved === 'sending';
}

function nextOf({ status, chain }: Sweep, fate: Fate): SweepStatus | null {
  return nextSweepStatus({
    status,
    chain: fate.state === 'block' ? (fate.succeeded ? 'block' : 'reverted') : fate.state === 'impossible' ? 'impossible' : 'sent',
    confirmations: fate.state === 'block' ? fate.confirmations : 0,
    finalConfirmations: CHAINS[chain].finalConfirmations,
  });
}

const heightOf = (sweep: Sweep): number | null => (sweep.status === 'topping_up' ? sweep.top_up_height : sweep.block_height);

/** Where the transaction is, and what it cost so far as the chain says. */
function whatIsSeen(sweep: Sweep, fate: Fate): Partial<Sweep> {
  const height = fate.state === 'block' ? fate.height : null;
  if (sweep.status === 'topping_up') return { top_up_height: height, top_up_fee: feeOf(fate, sweep.top_up_fee_reserve) };
  return { block_height: height, fee: feeOf(fate, sweep.fee_reserve) };
}

/** Never more than was held for it; a chain that does not say takes all. */
function feeOf(fate: Fate, reserve: string): string | null {
  if (fate.state !== 'block') return null;
  const most = parseAmount(reserve);
  const fee = fate.fee ?? most;
  return formatAmount(fee < most ? fee : most);
}

/** State, ledger and what lies on the address, together. */
async function moveSweep(trx: Trx, { context }: Worker, sweep: Sweep, next: SweepStatus, fate: Fate): Promise<void> {
  const now = context.clock.now();
  const at = timestamp(now);
  if (next === 'sending') {
    await addToDeposit(trx, sweep, sweep.fee_asset, parseAmount(sweep.top_up));
    return saveSweep(trx, sweep, { status: next }, at);
  }
  const ownFee = amountOf(sweep.fee);
  await takeFromDeposit(trx, sweep, sweep.fee_asset, ownFee);
  if (next === 'complete') await takeFromDeposit(trx, sweep, sweep.asset, parseAmount(sweep.amount));
  else await postpone(trx, sweep, at, timestamp(now + RETRY_MS));
  await settleFees(trx, sweep, ownFee + amountOf(sweep.top_up_fee), at);
  if (next === 'complete') return saveSweep(trx, sweep, { status: next, hold: 'spent' }, at);
  // Gas that did not arrive lies nowhere.
  const arrived = sweep.status === 'topping_up' ? { top_up_height: null } : {};
  await saveSweep(trx, sweep, { status: next, hold: 'released', error: reasonOf(fate), ...arrived }, at);
}

const amountOf = (text: string | null): Amount => (text === null ? 0n : parseAmount(text));

function reasonOf(fate: Fate): string {
  if (fate.state === 'block' || fate.state === 'impossible') return fate.reason ?? 'It failed on the chain';
  return 'It was not sent';
}

/** A fee that rose mends itself; everything else is for the operator. */
async function tellOfFailure({ context }: Worker, { chain, address, asset }: Sweep, reason: string): Promise<void> {
  if (reason !== FEE_ROSE)
    await raiseAlarmOnce(context, chain, `${asset} could not be moved from the deposit address ${address}: ${reason}`);
}

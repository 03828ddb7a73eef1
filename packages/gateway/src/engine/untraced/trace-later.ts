import type { ChainAdapter, ScanResult, TracedBlock } from '@crypto-checkout/chains/adapter';
import { UnavailableError } from '@crypto-checkout/chains/error';
import { JsonRpcError } from '@crypto-checkout/chains/json-rpc';
import type { Context } from '../../context.ts';
import { transact } from '../../database/database.ts';
import {
  guardLease,
  keepLease,
  releaseLease,
  takeLease,
  waitForLease,
} from '../../database/lease.ts';
import { applyPayments } from '../apply.ts';
import { findProgress } from '../scan-progress.ts';
import { assessResult, matcher, scanLease } from '../scan.ts';
import {
  claimUntraced,
  deleteUntraced,
  dropOldUntraced,
  endTracePause,
  findTracePause,
  lockUntraced,
  pauseTracing,
  type UntracedBlock,
} from './store.ts';

/** Rounds of one chain have at least this distance, also with several processes. */
const ROUND_SECONDS = 9;
/** Blocks of one chain that a round traces. */
const BUDGET = 50;
/** Refusals in a row that end a round. */
const MAX_REFUSALS = 3;
/** Tries of one block while others are traced. The comparison of balances finds what it held. */
const MAX_TRIES = 10;

/**
 * Traces blocks that were read without their traces, and credits the payments that contracts made
 * in them as a scan would have done. A chain that no node traces is tried seldom.
 */
export async function traceWaitingBlocks(context: Context, signal: AbortSignal): Promise<void> {
  const { db, ids, log } = context;
  const rounds = [...context.chains.values()].map(async (adapter) => {
    const { chain, traceBlock, kinds } = adapter;
    if (traceBlock === undefined || kinds.length === 0) return;
    if ((await takeLease(db, `traces:${chain}`, ids.uuid(), ROUND_SECONDS)) === null) return;
    await traceRound(context, adapter, signal).catch((error: unknown) =>
      log.warn(
        { event: 'late_traces_failed', err: error, chain },
        'blocks could not be traced later, will retry',
      ),
    );
  });
  await Promise.all(rounds);
}

async function traceRound(
  context: Context,
  adapter: ChainAdapter,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, log } = context;
  const { chain } = adapter;
  const dropped = await dropOldUntraced(db, chain, clock.real());
  if (dropped > 0)
    log.info(
      { event: 'untraced_blocks_dropped', chain, blocks: dropped },
      'old blocks are not traced any more: the comparison of balances finds what contracts sent in them',
    );
  const pause = await findTracePause(db, chain);
  if (pause.until > clock.real()) return;
  const round = await traceDue(context, adapter, { pause: pause.failures, signal });
  if (round.traced > 0) {
    if (pause.failures > 0) await endTracePause(db, chain);
    log.info(
      { event: 'blocks_traced_later', chain, blocks: round.traced, payments: round.payments },
      'blocks were traced later',
    );
  } else if (round.refused) await pauseTracing(db, chain, pause.failures + 1, clock.real());
}

interface Round {
  traced: number;
  /** Payments to our addresses in them. */
  payments: number;
  /** The last blocks could not be traced as a whole. */
  refused: boolean;
}

async function traceDue(
  context: Context,
  adapter: ChainAdapter,
  { pause, signal }: { pause: number; signal: AbortSignal },
): Promise<Round> {
  const round: Round = { traced: 0, payments: 0, refused: false };
  // After a pause one block shows whether a node traces again.
  let left = pause > 0 ? 1 : MAX_REFUSALS;
  for (let calls = 0; calls < BUDGET && left > 0 && !signal.aborted; calls += 1) {
    const block = await claimUntraced(context.db, adapter.chain, context.clock.real());
    if (block === null) break;
    const traced = await traceOne(context, adapter, block, signal);
    const isComplete = traced !== 'refused' && traced?.complete === true;
    // A node that answers with parts only, or with nothing, does not trace either.
    round.refused = traced !== null && !isComplete;
    left = round.refused ? left - 1 : MAX_REFUSALS;
    if (isComplete) round.traced += 1;
    if (traced !== 'refused') round.payments += traced?.observations.length ?? 0;
    // Without another block that was traced the node may be at fault.
    if (!isComplete && block.tries >= MAX_TRIES && round.traced > 0)
      await giveUp(context, adapter, block);
  }
  return round;
}

/** @returns null when the node does not have the block: it lags, or a scan will find the fork */
async function traceOne(
  context: Context,
  adapter: ChainAdapter,
  block: UntracedBlock,
  signal: AbortSignal,
): Promise<TracedBlock | 'refused' | null> {
  const traced = await trace(context, adapter, block);
  if (traced !== 'refused' && traced !== null)
    await applyTraced(context, adapter, { block, traced }, signal);
  return traced;
}

async function trace(
  context: Context,
  adapter: ChainAdapter,
  block: UntracedBlock,
): Promise<TracedBlock | 'refused' | null> {
  try {
    return (await adapter.traceBlock?.(block, matcher(context, adapter.chain))) ?? null;
  } catch (error) {
    if (error instanceof JsonRpcError || error instanceof UnavailableError) return 'refused';
    throw error;
  }
}

async function giveUp(
  { db, log }: Context,
  { chain }: ChainAdapter,
  block: UntracedBlock,
): Promise<void> {
  await deleteUntraced(db, chain, block);
  log.warn(
    { event: 'block_never_traced', chain, height: block.height, block: block.hash },
    'a block could not be traced: the comparison of balances finds what contracts sent in it',
  );
}

/**
 * Applies the payments as those of a scan: under its lease, and only while the block is on the
 * list, which a reorganisation takes it off.
 */
async function applyTraced(
  context: Context,
  adapter: ChainAdapter,
  { block, traced }: { block: UntracedBlock; traced: TracedBlock },
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, ids } = context;
  const { chain } = adapter;
  if (traced.observations.length === 0) {
    if (traced.complete) await deleteUntraced(db, chain, block);
    return;
  }
  const lease = await waitForLease(db, scanLease(chain), ids.uuid(), signal);
  if (lease === null) return;
  const keeper = keepLease(db, lease);
  try {
    const { cursor, tip, finalized } = await findProgress(db, chain);
    if (cursor === null || tip === null) return;
    const result: ScanResult = {
      events: traced.observations.map((observation) => ({ type: 'observed', observation })),
      cursor,
      tip,
      caughtUp: false,
      ...(finalized?.height == null ? {} : { finalized: finalized.height }),
    };
    const assessed = await assessResult(context, adapter, result);
    await transact(db, async (trx) => {
      await guardLease(trx, lease);
      if (!(await lockUntraced(trx, chain, block))) return;
      // The earlier look missed them, so its time proves nothing: that of the block decides.
      const scan = { chain, result, scannedAt: clock.now(), previousScanAt: null, ...assessed };
      await applyPayments(trx, context, scan);
      if (traced.complete) await deleteUntraced(trx, chain, block);
    });
  } finally {
    await keeper.stop();
    await releaseLease(db, lease);
  }
}

import { raiseWhile } from '../alarm/raise.ts';
import { isDeepStrictEqual } from 'node:util';
import { CHAIN_DETAILS } from '@crypto-checkout/protocol/chain-details';
import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import { timestamp, transact } from '../database/database.ts';
import {
  FencedOffError,
  guardLease,
  keepLease,
  type Lease,
  releaseLease,
  withoutDurability,
  waitForLease,
} from '../database/lease.ts';
import { payableKeys } from '../invoice/payable-keys.ts';
import { ownedKeys } from '../invoice/store.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { assessPayments } from '../risk/assess.ts';
import { payoutFundsAt } from '../settlement/settle-transactions.ts';
import { openTransactions } from '../transaction/store.ts';
import type { ChainAdapter, Match, ScanResult } from '@crypto-checkout/chains/adapter';
import { applyScan } from './apply.ts';
import { changeKeysAmong, hasCoins } from './coin-store.ts';
import {
  compareBlocks,
  markLargePayments,
  raiseDisagreement,
  saveAgreement,
} from './compare-blocks.ts';
import { ReorganisationTooDeep } from '@crypto-checkout/chains/cursor';
import { sendDroppedAbove } from './sending/dropped.ts';
import { LAGGING, saveScanFailure } from './standstill.ts';
import { findProgress, saveScanTime, type ScanProgress } from './scan-progress.ts';
import type { ScanToApply } from './scan-to-apply.ts';
import { clearTooDeep, raiseTooDeep } from './too-deep.ts';
import { payoutWatchKey } from '../unassigned/payout-address.ts';

/** Blocks per pass; each pass is applied in one database transaction. */
const MAX_BLOCKS = 25;
/** Passes per call; the next call reads the rest. */
const MAX_PASSES = 10_000;
/** Watch keys per database query. */
const MATCH_BATCH = 10_000;

/**
 * Reads a chain up to its tip and applies the events that it finds. A lease lets one process scan
 * the chain at a time, and other callers wait for it. When the call returns, everything that was on
 * the chain at its start is applied.
 * @example await scanChain(context, 'bitcoin');
 */
export async function scanChain(
  context: Context,
  chain: ChainId,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const adapter = context.chains.get(chain);
  if (!adapter) return;
  const holder = context.ids.uuid();
  const lease = await waitForLease(context.db, scanLease(chain), holder, signal);
  if (lease === null) return;
  const keeper = keepLease(context.db, lease);
  try {
    await readToTip(context, adapter, lease, signal);
  } catch (error) {
    if (!(error instanceof FencedOffError) && !signal.aborted)
      await saveScanFailure(context.db, chain, error).catch(() => {});
    if (error instanceof ReorganisationTooDeep) await raiseTooDeep(context, error);
    // The lease expired and another process took over: it continues from the stored cursor.
    if (!(error instanceof FencedOffError)) throw error;
    context.log.warn(
      { event: 'scan_lease_lost', err: error, chain },
      'scan stopped: another process took the lease',
    );
  } finally {
    await keeper.stop();
    await withoutDurability(context.db, (trx) => releaseLease(trx, lease)).catch(() => {});
  }
}

export const scanLease = (chain: ChainId): string => `scan:${chain}`;

async function readToTip(
  context: Context,
  adapter: ChainAdapter,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  for (let passes = 0; passes < MAX_PASSES && !signal.aborted; passes += 1) {
    if (await scanOnce(context, adapter, lease, signal)) return;
  }
}

/**
 * Reads up to 25 blocks and applies their events.
 * @returns false if more blocks can be read now
 */
export async function scanOnce(
  context: Context,
  adapter: ChainAdapter,
  lease: Lease,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, clock } = context;
  const { chain } = adapter;
  const progress = await findProgress(db, chain);
  const open = await openTransactions(db, chain);
  const startedAt = clock.now();
  const result = withReadTip(
    progress,
    await adapter.scan(progress.cursor, matcher(context, chain), {
      maxBlocks: MAX_BLOCKS,
      open,
      watched: () => watchedKeys(context, chain),
      signal,
    }),
  );
  const scannedAt = startedAt - (await checkNodeIsCurrent(context, chain, result));
  await checkFinality(context, chain, progress, result);
  // The node cannot return blocks that it announced: the next round asks again.
  if (isStuck(progress, result)) {
    await saveScanFailure(db, chain, LAGGING);
    return true;
  }
  await clearTooDeep(context, chain);
  if (isUnchanged(progress, result)) {
    await saveScanTime(db, chain, timestamp(scannedAt));
    return true;
  }
  const assessed = await assessResult(context, adapter, result);
  const compared = await compareBlocks(context, adapter, result);
  await transact(db, async (trx) => {
    await guardLease(trx, lease);
    await saveAgreement(trx, compared);
    await applyScan(trx, context, {
      chain,
      result,
      scannedAt,
      previousScanAt: progress.scannedAt,
      ...assessed,
    });
  });
  await raiseDisagreement(context, chain, compared, result.tip);
  await restoreDropped(context, chain, progress, result);
  return result.caughtUp;
}

/**
 * Sends ended transactions again whose blocks left the chain below the final depth; those that are
 * not final are followed anyway.
 */
async function restoreDropped(
  context: Context,
  chain: ChainId,
  { cursor }: ScanProgress,
  { events }: ScanResult,
): Promise<void> {
  const rollback = events.find((event) => event.type === 'rollback');
  const sender = context.senders.get(chain);
  if (rollback === undefined || rollback.toHeight < 0 || sender === undefined) return;
  if ((cursor?.height ?? 0) - rollback.toHeight < CHAINS[chain].finalConfirmations) return;
  await sendDroppedAbove(context, sender, rollback.toHeight).catch((error: unknown) =>
    context.log.warn(
      { event: 'dropped_transactions_not_sent', err: error, chain },
      'transactions that left their blocks were not sent again: the next payout sends them',
    ),
  );
}

/** The prices of new payments, and the checks that they need. */
export async function assessResult(
  context: Context,
  adapter: ChainAdapter,
  result: ScanResult,
): Promise<Pick<ScanToApply, 'rates' | 'assessed'>> {
  const hasPayments = result.events.some((event) => event.type === 'observed');
  const rates = hasPayments ? await currentRates(context) : null;
  const assessed = await assessPayments(context, adapter.chain, result.events);
  return { rates, assessed: markLargePayments(context, adapter, result, { rates, assessed }) };
}

/**
 * Lowers the tip to the last block that was read. Confirmations count only blocks that were read,
 * because a node can announce a block that it does not have. A rescan of old blocks keeps the
 * highest tip so far.
 */
function withReadTip({ tip }: ScanProgress, result: ScanResult): ScanResult {
  if (result.caughtUp) return result;
  return { ...result, tip: Math.min(result.tip, Math.max(result.cursor.height, tip ?? 0)) };
}

/** The newest block may be older by this many block intervals before the scan counts as late. */
const MISSED_BLOCKS = 3;
/** A newest block that is older by this many block intervals raises an alarm. */
const STALLED_BLOCKS = 10;
const MINUTE_MS = 60_000;
const MIN_STALLED_MS = 2 * MINUTE_MS;

/**
 * Raises an alarm while the node has had no new block for long, and one while its newest block is
 * ahead of the gateway's clock. Blocks carry real time, so the age is measured with the real clock.
 * @returns milliseconds of the past that the scan does not cover: the node may lack their blocks
 */
async function checkNodeIsCurrent(
  context: Context,
  chain: ChainId,
  { newestBlock }: ScanResult,
): Promise<number> {
  if (newestBlock === undefined) return 0;
  const { time, intervalMs } = newestBlock;
  const age = context.clock.real() - time;
  const limit = Math.max(STALLED_BLOCKS * intervalMs, MIN_STALLED_MS);
  await raiseWhile(
    context,
    chain,
    `The newest block of the node is older than ${limit / MINUTE_MS} minutes: it stands still or is still syncing`,
    age > limit,
  );
  // Blocks of Bitcoin may be ahead of the time by two hours.
  if (CHAINS[chain].evmChainId !== undefined)
    await raiseWhile(
      context,
      chain,
      "The newest block of the node is more than a minute ahead of the gateway's clock: synchronize the clock, for example with chrony",
      age < -MINUTE_MS,
    );
  return Math.max(0, age - MISSED_BLOCKS * intervalMs);
}

function isStuck({ cursor }: ScanProgress, result: ScanResult): boolean {
  return !result.caughtUp && result.events.length === 0 && isDeepStrictEqual(cursor, result.cursor);
}

/** Four times the longest usual pause between finalized blocks, which is half an hour. */
const FINALITY_LATE_MS = 120 * MINUTE_MS;

/**
 * Raises an alarm while the chain has finalized no block for long. Payments stay pending until
 * their block is finalized, so an operator has to look.
 */
async function checkFinality(
  context: Context,
  chain: ChainId,
  { finalized: known }: ScanProgress,
  { finalized, caughtUp }: ScanResult,
): Promise<void> {
  const isAwaited =
    CHAIN_DETAILS[chain].finalizedBlock !== null && payoutFundsAt(context) === 'final';
  if (!isAwaited || !caughtUp || known === null) return;
  const isNew = (finalized ?? -1) > (known.height ?? -1);
  await raiseWhile(
    context,
    chain,
    `The node has named no new finalized block for ${FINALITY_LATE_MS / MINUTE_MS} minutes: payments stay pending (PAYOUT_FUNDS_AT)`,
    !isNew && known.ageMs > FINALITY_LATE_MS,
  );
}

function isUnchanged({ cursor, tip, finalized }: ScanProgress, result: ScanResult): boolean {
  if ((result.finalized ?? -1) > (finalized?.height ?? -1)) return false;
  if (!result.caughtUp || result.events.length > 0 || cursor === null || tip !== result.tip)
    return false;
  return isDeepStrictEqual(cursor, result.cursor);
}

async function watchedKeys({ db, clock, senders }: Context, chain: ChainId): Promise<string[]> {
  const payoutKey = payoutWatchKey(senders.get(chain));
  const payable = await payableKeys(db, clock.now(), CHAINS[chain].keyGroup);
  return payoutKey === null ? payable : [payoutKey, ...payable];
}

/** The watch keys that belong to the gateway. */
export function matcher({ db, senders, chains }: Context, chain: ChainId): Match {
  const payoutKey = payoutWatchKey(senders.get(chain));
  const isListed = hasCoins(chains.get(chain));
  return async (watchKeys) => {
    const owned = new Set<string>(watchKeys.filter((key) => key === payoutKey));
    for (let from = 0; from < watchKeys.length; from += MATCH_BATCH) {
      const batch = watchKeys.slice(from, from + MATCH_BATCH);
      for (const key of await ownedKeys(db, batch)) owned.add(key);
      if (isListed) for (const key of (await changeKeysAmong(db, batch)).keys()) owned.add(key);
    }
    return owned;
  };
}

/** Returns null without exchange rates: payments are then recorded without a price. */
async function currentRates(context: Context): Promise<RateSet | null> {
  try {
    return await context.rates.current();
  } catch (error) {
    context.log.warn(
      { event: 'payment_rates_unavailable', err: error },
      'no exchange rates for a payment',
    );
    return null;
  }
}

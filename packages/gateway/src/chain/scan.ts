import { isDeepStrictEqual } from 'node:util';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { runAutomaticPayouts } from '../automatic-payout/run.ts';
import type { Context } from '../context.ts';
import { processConversions } from '../conversion/process.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { FencedOffError, guardLease, releaseLease, takeLease, type Lease } from '../database/lease.ts';
import { automate } from '../exchange/automate.ts';
import { expireInvoices } from '../invoice/expire.ts';
import { ownedKeys } from '../invoice/store.ts';
import { processPayouts } from '../payout/process.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { assessPayments } from '../risk/assess.ts';
import { ageTransactions } from '../transaction/age.ts';
import { openTransactions } from '../transaction/store.ts';
import type { ChainAdapter, Match, ScanResult } from './adapter.ts';
import { applyScan } from './apply.ts';
import { ReorganisationTooDeep } from './follow.ts';
import { findProgress, raiseAlarmOnce, saveLook, type Progress } from './progress.ts';

/** Blocks of one look; each look is applied in one database transaction. */
const MAX_BLOCKS = 25;
/** Looks of one call; what is left is for the next. */
const MAX_LOOKS = 10_000;
/** Watch keys in one question to the database. */
const MATCH_BATCH = 10_000;
/** Short, so that after a crash another process goes on soon; a holder that lives prolongs it. */
const LEASE_SECONDS = 3;
const PROLONG_MS = 1_000;
/** How long a call waits for its turn. */
const WAIT_MS = 30_000;
const LEASE_POLL_MS = 20;
const CHAINS_AT_ONCE = 4;

/**
 * Reads a chain up to its tip and applies what it finds. One process at a time does so, under a lease; another call waits for
 * it, so that on return everything that was there at the call is applied.
 * @example await scanChain(context, 'bitcoin');
 */
export async function scanChain(context: Context, chain: ChainId, signal: AbortSignal = new AbortController().signal): Promise<void> {
  const adapter = context.chains.get(chain);
  if (!adapter) return;
  const holder = context.ids.uuid();
  const lease = await waitForLease(context, scanLease(chain), holder, signal);
  if (lease === null) return;
  const keeper = keepLease(context, lease);
  try {
    await readToTip(context, adapter, lease, signal);
  } catch (error) {
    if (error instanceof ReorganisationTooDeep) await raiseAlarmOnce(context, chain, error.message);
    // Somebody took over while we slept: our transaction was refused, theirs goes on from the cursor.
    if (!(error instanceof FencedOffError)) throw error;
    context.log.warn({ chain }, error.message);
  } finally {
    await keeper.stop();
    await relaxed(context, (trx) => releaseLease(trx, lease)).catch(() => {});
  }
}

/** The lease under which a chain is read. */
export const scanLease = (chain: ChainId): string => `scan:${chain}`;

/** Does all that is due now: every chain to its tip, then expiry, the 24 hours rule, rules, conversions and payouts. A chain that does not answer holds up no other. */
export async function settle(context: Context): Promise<void> {
  const chains = [...context.chains.keys()];
  const scanNext = async (): Promise<void> => {
    for (let chain = chains.shift(); chain !== undefined; chain = chains.shift()) {
      await scanChain(context, chain).catch((error: unknown) => context.log.warn({ chain, err: error }, 'a chain could not be read'));
    }
  };
  await Promise.all(Array.from({ length: CHAINS_AT_ONCE }, scanNext));
  await expireInvoices(context);
  await ageTransactions(context);
  await automate(context);
  await processConversions(context);
  await runAutomaticPayouts(context);
  await processPayouts(context);
}

/** Also for other work that one process at a time does. */
export async function waitForLease(context: Context, name: string, holder: string, signal: AbortSignal): Promise<Lease | null> {
  for (let waited = 0; waited <= WAIT_MS && !signal.aborted; waited += LEASE_POLL_MS) {
    const lease = await relaxed(context, (trx) => takeLease(trx, name, holder, LEASE_SECONDS));
    if (lease !== null) return lease;
    await new Promise((resolve) => setTimeout(resolve, LEASE_POLL_MS));
  }
  return null;
}

/**
 * A lease is not waited for on the disk, which would cost every chain two writes a second: when the database crashes, whoever
 * held it is refused by the fence.
 */
function relaxed<T>({ db }: Context, work: (trx: Trx) => Promise<T>): Promise<T> {
  return transact(db, async (trx) => {
    await sql`set local synchronous_commit = off`.execute(trx);
    return work(trx);
  });
}

/** Prolongs a lease while its work lasts. What happens when it is lost is decided by its fence, not here. */
export function keepLease(context: Context, { name, holder }: Lease): { stop(): Promise<void> } {
  let prolonging: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    prolonging = prolonging.then(() => relaxed(context, (trx) => takeLease(trx, name, holder, LEASE_SECONDS))).catch(() => {});
  }, PROLONG_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await prolonging;
    },
  };
}

async function readToTip(context: Context, adapter: ChainAdapter, lease: Lease, signal: AbortSignal): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS && !signal.aborted; looks += 1) {
    if (await look(context, adapter, lease, signal)) return;
  }
}

/** One look; answers whether the tip was reached. */
export async function look(context: Context, adapter: ChainAdapter, lease: Lease, signal: AbortSignal): Promise<boolean> {
  const { db, clock } = context;
  const { chain } = adapter;
  const progress = await findProgress(db, chain);
  const open = await openTransactions(db, chain);
  const lookedAt = clock.now();
  const result = await adapter.scan(progress.cursor, matcher(context), { maxBlocks: MAX_BLOCKS, open, signal });
  if (isUnchanged(progress, result)) {
    await saveLook(db, chain, timestamp(lookedAt));
    return true;
  }
  const paid = result.events.some((event) => event.type === 'observed');
  const rates = paid ? await currentRates(context) : null;
  const assessed = await assessPayments(context, chain, result.events);
  await transact(db, async (trx) => {
    await guardLease(trx, lease);
    await applyScan(trx, context, { chain, result, rates, lookedAt, lookedBefore: progress.lookedAt, assessed });
  });
  return result.caughtUp;
}

function isUnchanged({ cursor, tip }: Progress, result: ScanResult): boolean {
  if (!result.caughtUp || result.events.length > 0 || cursor === null || tip !== result.tip) return false;
  return isDeepStrictEqual(cursor, result.cursor);
}

function matcher({ db }: Context): Match {
  return async (watchKeys) => {
    const owned = new Set<string>();
    for (let from = 0; from < watchKeys.length; from += MATCH_BATCH) {
      for (const key of await ownedKeys(db, watchKeys.slice(from, from + MATCH_BATCH))) owned.add(key);
    }
    return owned;
  };
}

/** Money is recorded whether or not it can be priced. */
async function currentRates(context: Context): Promise<RateSet | null> {
  try {
    return await context.rates.current();
  } catch (error) {
    context.log.warn({ err: error }, 'no exchange rates for a payment');
    return null;
  }
}

import { formatAmount, parseAmount, roundDown } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { keepLease, waitForLease } from '../chain/scan.ts';
import { readLying, type Lying } from '../consolidation/lying.ts';
import type { Context } from '../context.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { guardLease, releaseLease, type Lease } from '../database/lease.ts';
import type { Exchange, Order, Outcome } from '../exchange/exchange.ts';
import { fundPayout } from '../payout/refill.ts';
import { findPayouts, lockPayout } from '../payout/store.ts';
import { LedgerError } from '../wallet/post.ts';
import { raiseAlarmAbout } from './alarm.ts';
import { holdSale, releaseSale, settleSale } from './hold.ts';
import { checkConversionMoves, moveConversion } from './state.ts';
import { busyExchanges, dueConversions, lockConversion, saveConversion, type ConversionRow } from './store.ts';

checkConversionMoves();

/** Conversions of one round and exchange; the others are for the next. */
const LIMIT = 200;
/** After so many questions without an answer an operator hears of it. */
const QUESTIONS = 10;
const LONGEST_PAUSE_S = 300;

export interface ProcessOptions {
  signal?: AbortSignal;
  /** These only, when they are due. */
  only?: ReadonlySet<string>;
}

/**
 * Carries out what is due: approved drafts whose wallet has enough, and what was begun and not finished. One process at a time
 * for each exchange, under a lease; an exchange that does not answer holds up no other.
 */
export async function processConversions(
  context: Context,
  { signal = new AbortController().signal, only }: ProcessOptions = {},
): Promise<void> {
  const busy = await busyExchanges(context.db, timestamp(context.clock.real()));
  await Promise.all(
    busy.map(async (id) => {
      const exchange = context.exchanges.get(id);
      if (exchange) return processExchange(context, exchange, signal, only);
      for (const conversion of await dueConversions(context.db, id, timestamp(context.clock.real()), LIMIT))
        await raiseAlarmAbout(context, conversion, `A conversion waits: there is no exchange ${id} any more`);
    }),
  );
}

async function processExchange(context: Context, exchange: Exchange, signal: AbortSignal, only?: ReadonlySet<string>): Promise<void> {
  const { db, clock } = context;
  const lease = await waitForLease(context, `exchange:${exchange.id}`, context.ids.uuid(), signal);
  if (lease === null) return;
  const keeper = keepLease(context, lease);
  try {
    for (const id of await dueConversions(db, exchange.id, timestamp(clock.real()), LIMIT)) {
      if (signal.aborted) return;
      if (only === undefined || only.has(id)) await carryOut({ context, exchange, lease }, id);
    }
  } finally {
    await keeper.stop();
    await releaseLease(db, lease).catch(() => {});
  }
}

interface Worker {
  context: Context;
  exchange: Exchange;
  lease: Lease;
}

/** One that goes wrong is tried again in a later round, and holds up no other. */
async function carryOut(worker: Worker, id: string): Promise<void> {
  const { context } = worker;
  try {
    const begun = await begin(worker, id);
    if (begun === null) return;
    const outcome = await ask(worker, begun);
    if (outcome.state !== 'unknown') await finish(worker, id, outcome);
    else if (begun.tries >= QUESTIONS)
      await raiseAlarmAbout(context, id, `The exchange ${worker.exchange.id} does not say what became of a conversion`);
  } catch (error) {
    context.log.warn({ err: error, conversion_id: id }, 'a conversion is tried again');
  }
}

/** Changes a conversion while its exchange is ours: who lost the lease writes nothing any more. */
async function change<T>({ context, lease }: Worker, id: string, work: (trx: Trx, row: ConversionRow) => Promise<T>): Promise<T | null> {
  return transact(context.db, async (trx) => {
    await guardLease(trx, lease);
    const row = await lockConversion(trx, id);
    return row === null ? null : work(trx, row);
  });
}

interface Begun {
  order: Order;
  /** Questions and orders until now: with none, the exchange has never heard of it. */
  tries: number;
}

/** Holds what is sold, and counts the try before it is made. @returns null when there is nothing to do */
async function begin(worker: Worker, id: string): Promise<Begun | null> {
  const { clock } = worker.context;
  const at = timestamp(clock.now());
  return change(worker, id, async (trx, row) => {
    if (row.status !== 'pending' && !(row.status === 'draft' && row.is_approved)) return null;
    if (row.status === 'draft') await holdSale(trx, row, at);
    const pause = Math.min(2 ** (row.tries + 1), LONGEST_PAUSE_S) * 1000;
    await saveConversion(trx, row, {
      status: row.status === 'draft' ? moveConversion(row.status, 'pending') : row.status,
      hold: 'held',
      tries: row.tries + 1,
      next_at_real: timestamp(clock.real() + pause),
      updated_at: at,
    });
    const order = { key: id, from: kindOf(row.from_kind)!, to: kindOf(row.to_kind)!, sell: parseAmount(row.amount) };
    return { order, tries: row.tries };
  }).catch((error: unknown) => {
    // Somebody else took the money first: the draft goes on waiting.
    if (error instanceof LedgerError) return null;
    throw error;
  });
}

/** What may have been ordered is looked up; only what was certainly not is ordered. */
async function ask({ context, exchange }: Worker, { order, tries }: Begun): Promise<Outcome> {
  try {
    if (tries > 0) {
      const found = await exchange.lookUp(order);
      if (found.state !== 'absent') return found;
    }
    return await exchange.execute(order);
  } catch (error) {
    context.log.warn({ err: error, conversion_id: order.key, exchange: exchange.id }, 'an exchange did not say what it did');
    return { state: 'unknown', reason: String(error) };
  }
}

/** Status and postings in one transaction; and the payout that waited for it. */
async function finish(worker: Worker, id: string, outcome: Exclude<Outcome, { state: 'unknown' }>): Promise<void> {
  const { context } = worker;
  const at = timestamp(context.clock.now());
  const lying = outcome.state === 'failed' ? null : await lyingForPayout(context, id);
  await change(worker, id, async (trx, row) => {
    if (row.status !== 'pending') return;
    // Before the balances: whoever wakes it locks it first too.
    const payout = row.payout_id === null ? null : await lockPayout(trx, row.payout_id);
    if (outcome.state === 'failed') {
      await releaseSale(trx, row, at);
      await saveConversion(trx, row, {
        status: moveConversion(row.status, 'failed'),
        hold: 'released',
        error: outcome.reason,
        updated_at: at,
      });
      return;
    }
    const bought = roundDown(outcome.bought, kindOf(row.to_kind)!.decimals);
    await settleSale(trx, row, bought, at);
    await saveConversion(trx, row, {
      status: moveConversion(row.status, 'complete'),
      hold: 'spent',
      to_amount: formatAmount(bought),
      updated_at: at,
    });
    if (payout !== null && lying !== null) await fundPayout(trx, context, payout, lying);
  });
}

/** @returns null when no payout waits for it, or its chain does not answer: then the payout is woken later */
async function lyingForPayout(context: Context, id: string): Promise<Lying | null> {
  const { payout_id } = await context.db.selectFrom('conversion').select('payout_id').where('id', '=', id).executeTakeFirstOrThrow();
  const [payout] = payout_id === null ? [] : await findPayouts(context.db, [payout_id]);
  if (payout === undefined) return null;
  return readLying(context, payout.chain, payout.wallet_id).catch(() => null);
}

import { formatAmount, parseAmount, roundDown } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import {
  type Lease,
  guardLease,
  keepLease,
  releaseLease,
  waitForLease,
} from '../database/lease.ts';
import type { Exchange, Order, Outcome } from '../exchange/exchange.ts';
import { LedgerError } from '../ledger/post.ts';
import { raiseAlarmAbout } from '../alarm/raise.ts';
import { holdSale, releaseSale, settleSale } from './hold.ts';
import { checkConversionMoves, moveConversion } from './state.ts';
import {
  busyExchanges,
  dueConversions,
  lockConversion,
  saveConversion,
  type ConversionRow,
} from './store.ts';

checkConversionMoves();

/** Conversions per exchange and round. */
const LIMIT = 200;
/** Raise an alarm after this many tries with an unknown outcome. */
const ALARM_AFTER_TRIES = 10;
const MAX_RETRY_DELAY_S = 300;

export interface ProcessOptions {
  signal?: AbortSignal;
  /** Funds the payout that a conversion was made for. */
  payoutFunding: PayoutFunding;
}

/** Funds payouts that wait for a conversion. */
export interface PayoutFunding {
  /** Locks the payout before any balance, in the same order as the payout round. */
  lock(trx: Trx, payoutId: string): Promise<void>;
  /**
   * Reads from the chain, so never within a transaction.
   * @returns funds the payout in the given transaction; null leaves it to the next payout round
   */
  prepare(payoutId: string): Promise<((trx: Trx) => Promise<void>) | null>;
}

/**
 * Executes due conversions: approved drafts whose wallet has enough, and unfinished ones. Takes a
 * lease per exchange, so that one process works on it at a time. An exchange that does not answer
 * does not delay the others.
 */
export async function processConversions(
  context: Context,
  { signal = new AbortController().signal, payoutFunding }: ProcessOptions,
): Promise<void> {
  const exchangeIds = await busyExchanges(context.db, timestamp(context.clock.real()));
  await Promise.all(
    exchangeIds.map(async (id) => {
      const exchange = context.exchanges.get(id);
      if (exchange) return processExchange(context, exchange, { signal, payoutFunding });
      for (const conversion of await dueConversions(
        context.db,
        id,
        timestamp(context.clock.real()),
        LIMIT,
      ))
        await raiseAlarmAbout(
          context,
          conversion,
          `A conversion waits: the exchange ${id} no longer exists`,
        );
    }),
  );
}

async function processExchange(
  context: Context,
  exchange: Exchange,
  { signal, payoutFunding }: { signal: AbortSignal; payoutFunding: PayoutFunding },
): Promise<void> {
  const { db, clock } = context;
  const lease = await waitForLease(
    context.db,
    `exchange:${exchange.id}`,
    context.ids.uuid(),
    signal,
  );
  if (lease === null) return;
  const keeper = keepLease(context.db, lease);
  try {
    for (const id of await dueConversions(db, exchange.id, timestamp(clock.real()), LIMIT)) {
      if (signal.aborted) return;
      await processConversion({ context, exchange, lease, payoutFunding }, id);
    }
  } finally {
    await keeper.stop();
    await releaseLease(db, lease).catch(() => {});
  }
}

interface ConversionRound {
  context: Context;
  exchange: Exchange;
  lease: Lease;
  payoutFunding: PayoutFunding;
}

/** An error is retried in a later round and does not delay other conversions. */
async function processConversion(round: ConversionRound, id: string): Promise<void> {
  const { context } = round;
  try {
    const attempt = await startAttempt(round, id);
    if (attempt === null) return;
    const outcome = await placeOrder(round, attempt);
    if (outcome.state !== 'unknown') await settleConversion(round, id, outcome);
    else if (attempt.tries >= ALARM_AFTER_TRIES)
      await raiseAlarmAbout(
        context,
        id,
        `The exchange ${round.exchange.id} does not report the outcome of a conversion`,
      );
  } catch (error) {
    context.log.warn(
      { event: 'conversion_attempt_failed', err: error, conversion_id: id },
      'conversion attempt failed, will retry',
    );
  }
}

/** Runs work on a locked conversion; fails if the lease was lost meanwhile. */
async function withLockedConversion<T>(
  { context, lease }: ConversionRound,
  id: string,
  work: (trx: Trx, row: ConversionRow) => Promise<T>,
): Promise<T | null> {
  return transact(context.db, async (trx) => {
    await guardLease(trx, lease);
    const row = await lockConversion(trx, id);
    return row === null ? null : work(trx, row);
  });
}

interface Attempt {
  order: Order;
  /** Earlier attempts. With 0, the exchange has never received the order. */
  tries: number;
}

/**
 * Reserves the amount and counts the attempt before the order is sent.
 * @returns null when there is nothing to do
 */
async function startAttempt(round: ConversionRound, id: string): Promise<Attempt | null> {
  const { clock } = round.context;
  const at = timestamp(clock.now());
  return withLockedConversion(round, id, async (trx, row) => {
    if (row.status !== 'pending' && !(row.status === 'draft' && row.is_approved)) return null;
    if (row.status === 'draft') await holdSale(trx, row, at);
    const pause = Math.min(2 ** (row.tries + 1), MAX_RETRY_DELAY_S) * 1000;
    await saveConversion(trx, row, {
      status: row.status === 'draft' ? moveConversion(row.status, 'pending') : row.status,
      hold: 'held',
      tries: row.tries + 1,
      next_at_real: timestamp(clock.real() + pause),
      updated_at: at,
    });
    const order = {
      key: id,
      from: kindOf(row.from_kind)!,
      to: kindOf(row.to_kind)!,
      sell: parseAmount(row.amount),
    };
    return { order, tries: row.tries };
  }).catch((error: unknown) => {
    // The money was spent meanwhile: the draft keeps waiting.
    if (error instanceof LedgerError) return null;
    throw error;
  });
}

/** Looks up an order that may have been sent, and sends it only if it certainly was not. */
async function placeOrder(
  { context, exchange }: ConversionRound,
  { order, tries }: Attempt,
): Promise<Outcome> {
  try {
    if (tries > 0) {
      const found = await exchange.lookUp(order);
      if (found.state !== 'absent') return found;
    }
    return await exchange.execute(order);
  } catch (error) {
    context.log.warn(
      {
        event: 'exchange_order_failed',
        err: error,
        conversion_id: order.key,
        exchange: exchange.id,
      },
      'exchange order failed, outcome unknown',
    );
    return { state: 'unknown', reason: String(error) };
  }
}

/**
 * Saves status and ledger entries in one transaction, and funds the payout that waits for the
 * conversion.
 */
async function settleConversion(
  round: ConversionRound,
  id: string,
  outcome: Exclude<Outcome, { state: 'unknown' }>,
): Promise<void> {
  const { context, payoutFunding } = round;
  const at = timestamp(context.clock.now());
  const fund = outcome.state === 'failed' ? null : await prepareFunding(round, id);
  await withLockedConversion(round, id, async (trx, row) => {
    if (row.status !== 'pending') return;
    // Lock the payout before the balances, in the same order as the payout worker.
    if (row.payout_id !== null) await payoutFunding.lock(trx, row.payout_id);
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
    await fund?.(trx);
  });
}

/** @returns null if no payout waits for the conversion, or the next payout round is to fund it */
async function prepareFunding(
  { context, payoutFunding }: ConversionRound,
  id: string,
): Promise<((trx: Trx) => Promise<void>) | null> {
  const { payout_id } = await context.db
    .selectFrom('conversion')
    .select('payout_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return payout_id === null ? null : payoutFunding.prepare(payout_id);
}

import type { Context } from '../context.ts';
import { timestamp, transact } from '../database/database.ts';
import { loadBatch } from './batch.ts';
import { settleTransactions } from './settle.ts';
import { UNCONFIRMED_AFTER_MS } from './state.ts';
import { waitingSince } from './store.ts';

/** Transactions in one database transaction. */
const BATCH = 500;
const MAX_BATCHES = 1_000;

/**
 * Makes transactions `unconfirmed` that wait for a block for more than 24 hours (§3.2). No event tells it, and no sum changes.
 * @returns how many
 */
export async function ageTransactions(context: Context): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = await ageBatch(context);
    total += count;
    if (count < BATCH) break;
  }
  return total;
}

async function ageBatch(context: Context): Promise<number> {
  return transact(context.db, async (trx) => {
    const now = context.clock.now();
    const waiting = await waitingSince(trx, timestamp(now - UNCONFIRMED_AFTER_MS), BATCH);
    if (waiting.length === 0) return 0;
    const batch = await loadBatch(
      trx,
      waiting.map(({ invoice_id }) => invoice_id),
      { ids: waiting.map(({ id }) => id) },
    );
    await settleTransactions(trx, context, batch, now);
    return waiting.length;
  });
}

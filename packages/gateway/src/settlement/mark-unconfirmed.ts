import type { Context } from '../context.ts';
import { timestamp, transact } from '../database/database.ts';
import { loadBatch } from './batch.ts';
import { settleTransactions } from './settle-transactions.ts';
import { UNCONFIRMED_AFTER_MS } from '../transaction/state.ts';
import { unminedTransactions } from '../transaction/store.ts';

/** Transactions per database transaction. */
const BATCH = 500;
const MAX_BATCHES = 1_000;

/**
 * Marks transactions `unconfirmed` that have waited for a block for more than 24 hours. Emits no
 * event and changes no amount.
 * @returns the number of transactions examined
 */
export async function markUnconfirmedTransactions(context: Context): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = await markBatch(context);
    total += count;
    if (count < BATCH) break;
  }
  return total;
}

async function markBatch(context: Context): Promise<number> {
  return transact(context.db, async (trx) => {
    const now = context.clock.now();
    const waiting = await unminedTransactions(trx, timestamp(now - UNCONFIRMED_AFTER_MS), BATCH);
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

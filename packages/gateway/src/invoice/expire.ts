import type { Context } from '../context.ts';
import { timestamp, transact } from '../database/database.ts';
import { loadBatch } from '../transaction/batch.ts';
import { reportInvoices } from '../transaction/report.ts';
import { settleInvoices } from './settle.ts';
import { dueInvoices } from './store.ts';

/** Invoices in one database transaction. */
const BATCH = 200;
const MAX_BATCHES = 1_000;

/**
 * Expires every invoice whose time is over and whose sum does not match, and reports those that were paid in part. Which payments
 * count is decided from the facts, under a lock: a payment in time that is being written at this moment wins.
 * @returns how many were looked at
 */
export async function expireInvoices(context: Context): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = await expireBatch(context);
    total += count;
    if (count < BATCH) break;
  }
  return total;
}

async function expireBatch(context: Context): Promise<number> {
  return transact(context.db, async (trx) => {
    const now = context.clock.now();
    const ids = await dueInvoices(trx, timestamp(now), BATCH);
    if (ids.length === 0) return 0;
    const batch = await loadBatch(trx, ids, { ids: [] });
    const invoices = await settleInvoices(trx, batch, new Set(ids), now);
    await reportInvoices(trx, context, invoices);
    return ids.length;
  });
}

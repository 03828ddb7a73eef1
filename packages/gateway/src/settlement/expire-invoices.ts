import type { Context } from '../context.ts';
import { timestamp, transact } from '../database/database.ts';
import { loadBatch } from './batch.ts';
import { queueInvoiceCallbacks } from './queue-callbacks.ts';
import { settleInvoices } from './settle-invoices.ts';
import { dueInvoices } from '../invoice/store.ts';

/** Invoices per database transaction. */
const BATCH = 200;
const MAX_BATCHES = 1_000;

/**
 * Expires every invoice past its expiry whose payments do not reach the amount, and queues
 * callbacks for partially paid ones. Decides under the invoice's lock, so that a payment in time
 * that is being written concurrently counts.
 * @returns the number of invoices examined
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
    await queueInvoiceCallbacks(trx, context, invoices);
    return ids.length;
  });
}

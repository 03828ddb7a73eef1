import { setImmediate as nextTurn } from 'node:timers/promises';
import { queueCallbacks, type ReportedEvent, type Subscribers } from '../callback/queue.ts';
import type { Context } from '../context.ts';
import { runConcurrently, type Trx } from '../database/database.ts';
import { presentInvoice } from '../invoice/present.ts';
import type { SettledInvoices } from './settle-invoices.ts';
import { findInvoices } from '../invoice/store.ts';
import type { Batch } from './batch.ts';
import { presentTransactionRow } from '../transaction/present.ts';
import type { SettledTransactions } from './settle-transactions.ts';
import type { TransactionRow } from '../transaction/store.ts';
import { type PresentationContext, paidBefore } from '../transaction/views.ts';

/** Callbacks per statement. */
const CHUNK = 50;

export interface QueueOptions {
  /** Subscribers of the transactions' profiles, if already loaded. */
  subscribers?: Subscribers;
  /** Resolves once the transactions are written. Default: already written. */
  written?: Promise<unknown>;
}

/**
 * Queues the callbacks of settled transactions in the same database transaction. Each carries the
 * resource exactly as a GET returns it at this version. Everything comes from the batch, except the
 * order of earlier payments for a custom fee, which is read from the database.
 */
export async function queueTransactionCallbacks(
  trx: Trx,
  context: Context,
  batch: Batch,
  { events }: Pick<SettledTransactions, 'events'>,
  { subscribers, written }: QueueOptions = {},
): Promise<void> {
  if (events.length === 0) return;
  const withFee = events.filter(
    ({ row }) => batch.invoices.get(row.invoice_id)?.fee_amount != null,
  );
  if (withFee.length > 0) await written;
  const paid = await paidBefore(trx, [...new Set(withFee.map(({ row }) => row.invoice_id))]);
  // One chunk per event-loop turn, so that pending statements are sent in between.
  const chunks = Array.from({ length: Math.ceil(events.length / CHUNK) }, (_, at) =>
    events.slice(at * CHUNK, (at + 1) * CHUNK),
  );
  await runConcurrently(
    ...chunks.map(async (chunk, before) => {
      for (let turn = 0; turn < before; turn += 1) await nextTurn();
      await queueCallbacks(trx, context, presentEvents(chunk, batch, paid), subscribers);
    }),
  );
}

function presentEvents(
  events: SettledTransactions['events'],
  batch: Batch,
  before: ReadonlyMap<string, string>,
): ReportedEvent[] {
  let last: { row: TransactionRow; shown: object } | null = null;
  return events.map(({ row, event }) => {
    const shown =
      last?.row === row ? last.shown : presentTransactionRow(row, contextOf(row, batch, before));
    last = { row, shown };
    return { accountId: row.account_id, profileId: row.profile_id, id: row.id, event, shown };
  });
}

function contextOf(
  row: TransactionRow,
  { invoices }: Batch,
  before: ReadonlyMap<string, string>,
): PresentationContext {
  const invoice = invoices.get(row.invoice_id);
  if (!invoice) throw new Error(`Transaction ${row.id} is in a batch without its invoice`);
  return { invoice, paid_before: before.get(row.id) ?? '0' };
}

/**
 * Queues the callbacks of settled invoices. Reads the invoices again, because they include
 * transactions that may not be in the batch.
 */
export async function queueInvoiceCallbacks(
  trx: Trx,
  context: Context,
  { events }: Pick<SettledInvoices, 'events'>,
): Promise<void> {
  if (events.length === 0) return;
  const views = await findInvoices(trx, [...new Set(events.map(({ invoiceId }) => invoiceId))]);
  const byId = new Map(views.map((view) => [view.id, { view, shown: presentInvoice(view) }]));
  await queueCallbacks(
    trx,
    context,
    events.map(({ invoiceId, event }) => {
      const { view, shown } = byId.get(invoiceId)!;
      return { accountId: view.account_id, profileId: view.profile_id, id: view.id, event, shown };
    }),
  );
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { queueCallbacks, type ReportedEvent, type Subscribers } from '../callback/queue.ts';
import type { Context } from '../context.ts';
import { sideBySide, type Trx } from '../database/database.ts';
import { presentInvoice } from '../invoice/present.ts';
import type { SettledInvoices } from '../invoice/settle.ts';
import { findInvoices } from '../invoice/store.ts';
import type { Batch } from './batch.ts';
import { presentBeside } from './present.ts';
import type { SettledTransactions } from './settle.ts';
import { type Beside, paidBefore, type TransactionRow } from './store.ts';

/** Callbacks in one statement. */
const AT_ONCE = 50;

export interface ReportOptions {
  /** Of the transactions' profiles, when they were asked for already. */
  subscribers?: Subscribers;
  /** When the transactions of invoices with a fee can be read; at once without it. */
  written?: Promise<unknown>;
}

/**
 * Queues the callbacks of transactions that were settled, in the same database transaction: each carries the resource exactly as a
 * GET shows it at this version. The batch knows it all, so nothing is read again, whether it was written yet or not; only the
 * custom fee is taken from payments in the order in which the database has them.
 */
export async function reportTransactions(
  trx: Trx,
  context: Context,
  batch: Batch,
  { events }: Pick<SettledTransactions, 'events'>,
  { subscribers, written }: ReportOptions = {},
): Promise<void> {
  if (events.length === 0) return;
  const withFee = events.filter(({ row }) => batch.invoices.get(row.invoice_id)?.fee_amount != null);
  if (withFee.length > 0) await written;
  const paid = await paidBefore(trx, [...new Set(withFee.map(({ row }) => row.invoice_id))]);
  // A few in each turn of the loop, so that what the database waits for is sent meanwhile.
  const slices = Array.from({ length: Math.ceil(events.length / AT_ONCE) }, (_, at) => events.slice(at * AT_ONCE, (at + 1) * AT_ONCE));
  await sideBySide(
    ...slices.map(async (slice, before) => {
      for (let turn = 0; turn < before; turn += 1) await nextTurn();
      await queueCallbacks(trx, context, shownEvents(slice, batch, paid), subscribers);
    }),
  );
}

function shownEvents(events: SettledTransactions['events'], batch: Batch, before: ReadonlyMap<string, string>): ReportedEvent[] {
  let last: { row: TransactionRow; shown: object } | null = null;
  return events.map(({ row, event }) => {
    const shown = last?.row === row ? last.shown : presentBeside(row, besideOf(row, batch, before));
    last = { row, shown };
    return { accountId: row.account_id, profileId: row.profile_id, id: row.id, event, shown };
  });
}

function besideOf(row: TransactionRow, { invoices }: Batch, before: ReadonlyMap<string, string>): Beside {
  const invoice = invoices.get(row.invoice_id);
  if (!invoice) throw new Error(`Transaction ${row.id} is in a batch without its invoice`);
  return { invoice, paid_before: before.get(row.id) ?? '0' };
}

/** The same of invoices, which show transactions that may not be in the batch. Those without an amount have no events, so they report nothing. */
export async function reportInvoices(trx: Trx, context: Context, { events }: Pick<SettledInvoices, 'events'>): Promise<void> {
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

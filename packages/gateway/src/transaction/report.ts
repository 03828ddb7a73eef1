import { queueCallbacks } from '../callback/queue.ts';
import type { Context } from '../context.ts';
import type { Trx } from '../database/database.ts';
import { presentInvoice } from '../invoice/present.ts';
import type { SettledInvoices } from '../invoice/settle.ts';
import { findInvoices } from '../invoice/store.ts';
import { presentTransaction } from './present.ts';
import type { SettledTransactions } from './settle.ts';
import { findTransactions } from './store.ts';

/**
 * Queues the callbacks of what was settled, in the same database transaction: each carries the resource exactly as a GET shows it
 * at this version. Invoices without an amount have no events, so they report nothing.
 */
export async function reportSettled(
  trx: Trx,
  context: Context,
  { transactions, invoices }: { transactions: SettledTransactions; invoices: SettledInvoices },
): Promise<void> {
  await reportTransactions(trx, context, transactions);
  await reportInvoices(trx, context, invoices);
}

async function reportTransactions(trx: Trx, context: Context, { events }: SettledTransactions): Promise<void> {
  if (events.length === 0) return;
  const views = await findTransactions(trx, [...new Set(events.map(({ transactionId }) => transactionId))]);
  const byId = new Map(views.map((view) => [view.id, { view, shown: presentTransaction(view) }]));
  await queueCallbacks(
    trx,
    context,
    events.map(({ transactionId, event }) => reported(byId.get(transactionId)!, event)),
  );
}

async function reportInvoices(trx: Trx, context: Context, { events }: SettledInvoices): Promise<void> {
  if (events.length === 0) return;
  const views = await findInvoices(trx, [...new Set(events.map(({ invoiceId }) => invoiceId))]);
  const byId = new Map(views.map((view) => [view.id, { view, shown: presentInvoice(view) }]));
  await queueCallbacks(
    trx,
    context,
    events.map(({ invoiceId, event }) => reported(byId.get(invoiceId)!, event)),
  );
}

interface Shown {
  view: { account_id: string; profile_id: string; id: string };
  shown: object;
}

function reported<E>({ view, shown }: Shown, event: E) {
  return { accountId: view.account_id, profileId: view.profile_id, id: view.id, event, shown };
}

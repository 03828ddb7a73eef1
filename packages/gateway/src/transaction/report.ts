import { createHmac } from 'node:crypto';
import { resourceOf, type Event } from '@crypto-checkout/protocol/event';
import { signCallback } from '@crypto-checkout/protocol/callback';
import { callbackToken } from '../account/callback-token.ts';
import { queueCallback } from '../callback/queue.ts';
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
  for (const { transactionId, event } of events) {
    const { view, shown } = byId.get(transactionId)!;
    await queue(trx, context, { accountId: view.account_id, profileId: view.profile_id, id: transactionId, event, shown });
  }
}

async function reportInvoices(trx: Trx, context: Context, { events }: SettledInvoices): Promise<void> {
  if (events.length === 0) return;
  const views = await findInvoices(trx, [...new Set(events.map(({ invoiceId }) => invoiceId))]);
  const byId = new Map(views.map((view) => [view.id, { view, shown: presentInvoice(view) }]));
  for (const { invoiceId, event } of events) {
    const { view, shown } = byId.get(invoiceId)!;
    await queue(trx, context, { accountId: view.account_id, profileId: view.profile_id, id: invoiceId, event, shown });
  }
}

interface Report {
  accountId: string;
  profileId: string;
  id: string;
  event: Event;
  shown: object;
}

async function queue(trx: Trx, context: Context, { accountId, profileId, id, event, shown }: Report): Promise<void> {
  const resource = resourceOf(event);
  const token = await callbackToken(context, trx, accountId);
  await queueCallback(trx, {
    accountId,
    profileId,
    resource,
    resourceId: id,
    event,
    body: async (callbackId) => {
      const signature = await signCallback(callbackId, token, (key, message) => createHmac('sha256', key).update(message).digest());
      return JSON.stringify({ callback_id: callbackId, callback_status: event, signature, result: shown, [resource]: shown });
    },
    at: context.clock.real(),
  });
}

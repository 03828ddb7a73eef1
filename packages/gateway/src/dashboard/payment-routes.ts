import type {
  Invoice,
  ListedInvoice,
  Page,
  Transaction,
} from '@crypto-checkout/protocol/dashboard';
import type { Hono } from 'hono';
import type { Context } from '../context.ts';
import type { Env } from '../http/env.ts';
import { filters } from '../http/payload.ts';
import { getInvoice } from '../invoice/get.ts';
import { FILTERS as INVOICE_FILTERS, listInvoicePage } from '../invoice/list.ts';
import { listRefundPage } from '../refund/list.ts';
import { releaseTransaction } from '../risk/quarantine.ts';
import { RISK_ANALYSIS } from '../transaction/create.ts';
import { getTransaction } from '../transaction/get.ts';
import { FILTERS as TRANSACTION_FILTERS, listTransactionPage } from '../transaction/list.ts';
import type { TransactionView } from '../transaction/views.ts';
import { callbacksOf } from './callbacks-of.ts';
import { presentInvoices, presentRefunds, presentTransactions } from './present.ts';
import { nameOf } from './session.ts';

/** Invoices, transactions and the release of held ones, for the signed-in operator. */
export function paymentRoutes(app: Hono<Env>, context: Context): void {
  app.get('/dashboard/api/invoices/', async (c) => {
    const { rows, pagination } = await listInvoicePage(
      context,
      c.get('account').id,
      filters(c, INVOICE_FILTERS),
    );
    const result = await presentInvoices(context, rows);
    return c.json({ pagination, result } satisfies Page<ListedInvoice>);
  });
  app.get('/dashboard/api/invoices/:id/', async (c) =>
    c.json(await readInvoice(context, c.get('account').id, c.req.param('id'))),
  );
  app.get('/dashboard/api/transactions/', async (c) => {
    const { rows, pagination } = await listTransactionPage(
      context,
      c.get('account').id,
      filters(c, TRANSACTION_FILTERS),
    );
    const result = await presentTransactions(context, rows);
    return c.json({ pagination, result } satisfies Page<Transaction>);
  });
  app.get('/dashboard/api/transactions/:id/', async (c) => {
    const transaction = await getTransaction(context, c.get('account').id, c.req.param('id'));
    const callbacks = await callbacksOf(context, c.get('account').id, [transaction.id]);
    const [shown] = await presentTransactions(context, [transaction]);
    return c.json({ result: { ...shown!, held_by: heldBy(transaction) }, callbacks });
  });
  app.post('/dashboard/api/transactions/:id/release/', async (c) => {
    const released = await releaseTransaction(
      context,
      c.get('account').id,
      c.req.param('id'),
      nameOf(c),
    );
    const [result] = await presentTransactions(context, [released]);
    return c.json({ result });
  });
}

/** An invoice with its payments, its refunds and the callbacks of all of them. */
async function readInvoice(context: Context, accountId: string, id: string) {
  const invoice = await getInvoice(context, accountId, id);
  const [transactions, refunds] = await Promise.all([
    listTransactionPage(context, accountId, { invoice_id: invoice.id }),
    listRefundPage(context, accountId, { invoice_id: invoice.id }),
  ]);
  const [shown] = await presentInvoices(context, [invoice]);
  return {
    result: {
      ...shown!,
      transactions: await presentTransactions(context, transactions.rows),
      refunds: await presentRefunds(context, refunds.rows),
    } satisfies Invoice,
    callbacks: await callbacksOf(
      context,
      accountId,
      [invoice, ...transactions.rows, ...refunds.rows].map((one) => one.id),
    ),
    buyer_page: `${context.config.publicUrl}/invoice/${invoice.id}/`,
  };
}

/** The reason of a hold: the risk check, or a person. */
const heldBy = ({ quarantined, quarantined_by: by }: TransactionView) =>
  quarantined ? { analysis: by === RISK_ANALYSIS, name: by } : null;

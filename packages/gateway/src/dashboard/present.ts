import type { Context } from '../context.ts';
import { presentListedInvoice } from '../invoice/present.ts';
import type { InvoiceRow } from '../invoice/store.ts';
import { presentRefund } from '../refund/present.ts';
import type { RefundView } from '../refund/store.ts';
import { presentTransaction } from '../transaction/present.ts';
import type { TransactionView } from '../transaction/views.ts';
import { ordersOf, uncountedOf } from './order-money.ts';

// The presentations of the API, with what an operator sees beside them: the order of a payment, and
// money that does not count.

export async function presentInvoices({ db }: Context, rows: readonly InvoiceRow[]) {
  const uncounted = await uncountedOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...presentListedInvoice(row),
    uncounted: uncounted.get(row.id) ?? [],
  }));
}

export async function presentTransactions({ db }: Context, views: readonly TransactionView[]) {
  const orders = await ordersOf(
    db,
    views.map(({ invoice_id }) => invoice_id),
  );
  return views.map((view) => ({
    ...presentTransaction(view),
    order_id: orders.get(view.invoice_id) ?? null,
  }));
}

export async function presentRefunds({ db }: Context, views: readonly RefundView[]) {
  const orders = await ordersOf(
    db,
    views.map(({ invoice_id }) => invoice_id),
  );
  return views.map((view) => ({
    ...presentRefund(view),
    order_id: orders.get(view.invoice_id) ?? null,
  }));
}

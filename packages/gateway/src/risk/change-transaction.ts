import type { Context } from '../context.ts';
import { transact } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { settleInvoices } from '../settlement/settle-invoices.ts';
import { loadBatch } from '../settlement/batch.ts';
import { queueInvoiceCallbacks, queueTransactionCallbacks } from '../settlement/queue-callbacks.ts';
import { settleTransactions } from '../settlement/settle-transactions.ts';
import { LedgerError } from '../ledger/post.ts';
import type { TransactionRow } from '../transaction/store.ts';
import { findTransactions, type TransactionView } from '../transaction/views.ts';

/**
 * Changes a fact of a transaction with all consequences (status, ledger, invoice, callbacks) in one
 * database transaction, under the lock that scans take too.
 * @param change edits the row; if it throws, nothing is written
 * @throws ServiceError `NotFound` for an unknown id, also for one of another account
 * @throws LedgerError when its money was spent already
 */
export async function changeTransaction(
  context: Context,
  accountId: string,
  id: string,
  change: (row: TransactionRow) => void,
): Promise<TransactionView> {
  const [found] = isUuid(id) ? await findTransactions(context.db, [id], accountId) : [];
  if (!found) throw new ServiceError('NotFound', 'There is no transaction with this id.');
  return transact(context.db, async (trx) => {
    const now = context.clock.now();
    const batch = await loadBatch(trx, [found.invoice_id], { ids: [id] });
    const draft = [...batch.drafts.values()].find(({ row }) => row.id === id);
    if (!draft) throw new Error(`Transaction ${id} is not in the batch of its invoice`);
    change(draft.row);
    const transactions = await settleTransactions(trx, context, batch, now);
    // Do not create a debt that later payments would cover; reject the change instead.
    if (draft.row.owed && !draft.stored?.owed)
      throw new LedgerError(`The money of transaction ${id} was spent`);
    const invoices = await settleInvoices(trx, batch, transactions.invoiceIds, now);
    await queueTransactionCallbacks(trx, context, batch, transactions);
    await queueInvoiceCallbacks(trx, context, invoices);
    const [changed] = await findTransactions(trx, [id]);
    return changed!;
  });
}

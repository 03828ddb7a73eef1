import type { Context } from '../context.ts';
import { transact } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { settleInvoices } from '../invoice/settle.ts';
import { loadBatch } from '../transaction/batch.ts';
import { reportInvoices, reportTransactions } from '../transaction/report.ts';
import { settleTransactions } from '../transaction/settle.ts';
import { LedgerError } from '../wallet/post.ts';
import { findTransactions, type TransactionRow, type TransactionView } from '../transaction/store.ts';

/**
 * Changes a fact of a transaction and everything that follows from it: status, ledger, invoice and callbacks, in one database
 * transaction and under the lock that scans take too.
 * @param change writes into the row, or throws; then nothing happens
 * @throws ServiceError `NotFound` for an unknown id and another account's alike
 * @throws LedgerError when its money is not there any more
 */
export async function changeTransaction(
  context: Context,
  accountId: string,
  id: string,
  change: (row: TransactionRow) => void,
): Promise<TransactionView> {
  const [known] = isUuid(id) ? await findTransactions(context.db, [id], accountId) : [];
  if (!known) throw new ServiceError('NotFound', 'There is no transaction with this id.');
  return transact(context.db, async (trx) => {
    const now = context.clock.now();
    const batch = await loadBatch(trx, [known.invoice_id], { ids: [id] });
    const draft = [...batch.drafts.values()].find(({ row }) => row.id === id);
    if (!draft) throw new Error(`Transaction ${id} left its invoice`);
    change(draft.row);
    const transactions = await settleTransactions(trx, context, batch, now);
    // Taken later it would be taken from others' payments: whoever decides is told instead.
    if (draft.row.owed && !draft.stored?.owed) throw new LedgerError(`The money of transaction ${id} was spent`);
    const invoices = await settleInvoices(trx, batch, transactions.invoiceIds, now);
    await reportTransactions(trx, context, batch, transactions);
    await reportInvoices(trx, context, invoices);
    const [changed] = await findTransactions(trx, [id]);
    return changed!;
  });
}

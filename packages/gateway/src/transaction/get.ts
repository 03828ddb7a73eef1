import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { findTransactions, type TransactionView } from './views.ts';

/** @throws ServiceError `NotFound` for an unknown id, also for one of another account */
export async function getTransaction(
  { db }: Context,
  accountId: string,
  id: string,
): Promise<TransactionView> {
  const [transaction] = isUuid(id) ? await findTransactions(db, [id], accountId) : [];
  if (!transaction) throw new ServiceError('NotFound', 'There is no transaction with this id.');
  return transaction;
}

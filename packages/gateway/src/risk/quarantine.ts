import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import type { TransactionView } from '../transaction/views.ts';
import { LedgerError } from '../ledger/post.ts';
import { changeTransaction } from './change-transaction.ts';

/**
 * Holds a transaction: its money is frozen and does not count towards the invoice until it is
 * released.
 * @param by name of the operator or the API key
 * @throws ServiceError `NotFound`, or `InvalidState` if it is already held, final, lost or spent
 * @example await quarantineTransaction(context, accountId, id, 'operator');
 */
export async function quarantineTransaction(
  context: Context,
  accountId: string,
  id: string,
  by: string,
): Promise<TransactionView> {
  try {
    return await changeTransaction(context, accountId, id, (row) => {
      if (row.quarantined) throw wrongState('is already held');
      if (row.status === 'complete' || row.status === 'replaced' || row.status === 'failed')
        throw wrongState(
          `is ${row.status} and can't be held; only pending, unconfirmed and confirmed transactions can`,
        );
      row.quarantined = true;
      row.quarantined_by = by;
      row.released_by = null;
    });
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    throw wrongState(
      "can't be held: its amount was spent already, and the wallet's available balance is lower",
      error,
    );
  }
}

/**
 * Releases a held transaction. Its status follows from its confirmations, and no risk check holds
 * it again.
 * @param by name of the operator or the API key
 * @throws ServiceError `NotFound`, or `InvalidState` if it is not held
 */
export async function releaseTransaction(
  context: Context,
  accountId: string,
  id: string,
  by: string,
): Promise<TransactionView> {
  return changeTransaction(context, accountId, id, (row) => {
    if (!row.quarantined) throw wrongState('is not held');
    row.quarantined = false;
    row.released_by = by;
  });
}

const wrongState = (what: string, cause?: unknown): ServiceError =>
  new ServiceError('InvalidState', `The transaction ${what}.`, { cause });

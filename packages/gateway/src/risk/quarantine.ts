import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import type { TransactionView } from '../transaction/store.ts';
import { LedgerError } from '../wallet/post.ts';
import { changeTransaction } from './change.ts';

/**
 * Holds a transaction by hand (§3.2): its money is frozen and counts for no invoice until somebody releases it.
 * @param by who says so, as an operator's or a key's name
 * @throws ServiceError `NotFound`, or `InvalidState` for one that is held, final, lost or spent already
 * @example await quarantineTransaction(context, accountId, id, 'operator');
 */
export async function quarantineTransaction(context: Context, accountId: string, id: string, by: string): Promise<TransactionView> {
  try {
    return await changeTransaction(context, accountId, id, (row) => {
      if (row.quarantined) throw wrongState('is held already');
      if (row.status === 'complete' || row.status === 'replaced' || row.status === 'failed')
        throw wrongState(`is ${row.status} and can't be held; only pending, unconfirmed and confirmed ones can`);
      row.quarantined = true;
      row.quarantined_by = by;
      row.released_by = null;
    });
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    throw wrongState("can't be held: its wallet has less available than its amount, because it was spent already", error);
  }
}

/**
 * Lets a held transaction go, whoever held it: it is where its confirmations put it, and is not held again by an analysis.
 * @param by who says so
 * @throws ServiceError `NotFound`, or `InvalidState` for one that is not held
 */
export async function releaseTransaction(context: Context, accountId: string, id: string, by: string): Promise<TransactionView> {
  return changeTransaction(context, accountId, id, (row) => {
    if (!row.quarantined) throw wrongState('is not held, so there is nothing to release');
    row.quarantined = false;
    row.released_by = by;
  });
}

const wrongState = (what: string, cause?: unknown): ServiceError => new ServiceError('InvalidState', `The transaction ${what}.`, { cause });

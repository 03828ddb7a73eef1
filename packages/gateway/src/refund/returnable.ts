import type { Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { findTransactions } from '../transaction/views.ts';
import { obstacleOf } from './entitlement.ts';

/**
 * The chain may have taken the money back, or a review may hold it, since a payout was made to
 * return it.
 * @throws ServiceError `InvalidState`; none for a payout that returns nothing
 */
export async function requireReturnable(trx: Trx, payoutId: string): Promise<void> {
  const refund = await trx
    .selectFrom('refund')
    .select('transaction_id')
    .where('payout_id', '=', payoutId)
    .executeTakeFirst();
  if (refund === undefined) return;
  const [transaction] = await findTransactions(trx, [refund.transaction_id]);
  const obstacle = obstacleOf(transaction!);
  if (obstacle !== null)
    throw new ServiceError('InvalidState', `The transaction ${obstacle}; it can't be refunded.`);
}

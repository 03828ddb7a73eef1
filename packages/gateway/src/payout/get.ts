import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { findPayouts, type PayoutView } from './store.ts';

/** @throws ServiceError `NotFound` for an unknown id or another account's id */
export async function getPayout(
  { db }: Context,
  accountId: string,
  id: string,
): Promise<PayoutView> {
  const [payout] = isUuid(id) ? await findPayouts(db, [id], accountId) : [];
  if (!payout) throw new ServiceError('NotFound', 'No payout has this id.');
  return payout;
}

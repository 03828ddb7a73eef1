import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { findRefunds, type RefundView } from './store.ts';

/** @throws ServiceError `NotFound` for an unknown id or another account's id */
export async function getRefund(
  { db }: Context,
  accountId: string,
  id: string,
): Promise<RefundView> {
  const [refund] = isUuid(id) ? await findRefunds(db, [id], accountId) : [];
  if (!refund) throw new ServiceError('NotFound', 'There is no refund with this id.');
  return refund;
}

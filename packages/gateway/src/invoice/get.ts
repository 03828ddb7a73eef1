import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { findInvoices, type InvoiceView } from './store.ts';

/** @throws ServiceError `NotFound` for an unknown id, also for one of another account */
export async function getInvoice(
  { db }: Context,
  accountId: string,
  id: string,
): Promise<InvoiceView> {
  const [invoice] = isUuid(id) ? await findInvoices(db, [id], accountId) : [];
  if (!invoice) throw new ServiceError('NotFound', 'There is no invoice with this id.');
  return invoice;
}

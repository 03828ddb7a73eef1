import { INVOICE_STATUSES } from '@crypto-checkout/protocol/status';
import type { Context } from '../context.ts';
import { isUuid } from '../http/id.ts';
import {
  pageNumber,
  pageOffset,
  pagination,
  PER_PAGE,
  type Pagination,
} from '../http/pagination.ts';
import { readChoice } from '../resource/filters.ts';
import { listInvoices, type InvoiceRow } from './store.ts';

export const FILTERS = ['p', 'txid', 'address', 'status', 'profile_id', 'order_id'] as const;

/** One page of an account's invoices, newest first. */
export async function listInvoicePage(
  { db, clock }: Context,
  accountId: string,
  {
    p,
    txid,
    address,
    status,
    profile_id,
    order_id,
  }: Partial<Record<(typeof FILTERS)[number], string>>,
): Promise<{ rows: InvoiceRow[]; pagination: Pagination }> {
  const page = pageNumber(p);
  const filter = {
    txid,
    address,
    status: readChoice('status', INVOICE_STATUSES, status),
    profile_id,
    order_id,
  };
  // The database rejects anything but a UUID, and no invoice has such a profile.
  if (profile_id !== undefined && !isUuid(profile_id))
    return { rows: [], pagination: pagination(page, 0) };
  if ([txid, address, order_id].some((text) => text?.includes('\0')))
    return { rows: [], pagination: pagination(page, 0) };
  const { rows, count } = await listInvoices(db, accountId, filter, {
    limit: PER_PAGE,
    offset: pageOffset(page),
    now: clock.now(),
  });
  return { rows, pagination: pagination(page, count) };
}

import { REFUND_STATUSES } from '@crypto-checkout/protocol/status';
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
import { listRefunds, type RefundView } from './store.ts';

/** Filters of `GET /v1/refunds/` (docs/interface.md, "Refund operations"). */
export const FILTERS = ['p', 'status', 'transaction_id', 'invoice_id', 'reference_id'] as const;

/** One page of an account's refunds, newest first. */
export async function listRefundPage(
  { db }: Context,
  accountId: string,
  query: Partial<Record<(typeof FILTERS)[number], string>>,
): Promise<{ rows: RefundView[]; pagination: Pagination }> {
  const { transaction_id, invoice_id, reference_id } = query;
  const page = pageNumber(query.p);
  const status = readChoice('status', STATUS_FILTERS, query.status);
  // The database rejects ids that are not UUIDs, and texts with a NUL.
  const matchesNothing =
    [transaction_id, invoice_id].some((id) => id !== undefined && !isUuid(id)) ||
    reference_id?.includes('\0') === true;
  if (matchesNothing) return { rows: [], pagination: pagination(page, 0) };
  const filter = { status, transaction_id, invoice_id, reference_id };
  const window = { limit: PER_PAGE, offset: pageOffset(page) };
  const { rows, count } = await listRefunds(db, accountId, filter, window);
  return { rows, pagination: pagination(page, count) };
}

/** Operators and shops look for the refunds that wait for a decision. */
export const STATUS_FILTERS = [...REFUND_STATUSES, 'waiting'] as const;

import { PAYOUT_STATUSES } from '@crypto-checkout/protocol/status';
import type { Context } from '../context.ts';
import { timestamp } from '../database/timestamp.ts';
import { isUuid } from '../http/id.ts';
import {
  pageNumber,
  pageOffset,
  pagination,
  PER_PAGE,
  type Pagination,
} from '../http/pagination.ts';
import { readChoice, readDate } from '../resource/filters.ts';
import { listPayouts, type StatusFilter } from './list-store.ts';
import type { PayoutView } from './store.ts';

/** Filters of `GET /v1/payouts/` (docs/interface.md, "Filters"). */
export const FILTERS = [
  'p',
  'txid',
  'address',
  'reference_id',
  'profile_id',
  'date_from',
  'date_to',
] as const;

/** Operators can also filter by status. */
export const OPERATOR_FILTERS = [...FILTERS, 'status'] as const;

/** One page of an account's payouts, newest first. */
export async function listPayoutPage(
  { db, clock }: Context,
  accountId: string,
  query: Partial<Record<(typeof OPERATOR_FILTERS)[number], string>>,
): Promise<{ rows: PayoutView[]; pagination: Pagination }> {
  const { txid, address, reference_id, profile_id, date_from, date_to } = query;
  const page = pageNumber(query.p);
  const filter = {
    status: readChoice('status', STATUSES, query.status),
    txid,
    address,
    reference_id,
    profile_id,
    from: date_from === undefined ? undefined : timestamp(readDate('date_from', date_from).start),
    before: date_to === undefined ? undefined : timestamp(readDate('date_to', date_to).end),
  };
  // The database rejects ids that are not UUIDs, and texts with a NUL.
  const matchesNothing =
    (profile_id !== undefined && !isUuid(profile_id)) ||
    [txid, address, reference_id].some((text) => text?.includes('\0'));
  if (matchesNothing) return { rows: [], pagination: pagination(page, 0) };
  const { rows, count } = await listPayouts(db, accountId, filter, {
    limit: PER_PAGE,
    offset: pageOffset(page),
    now: clock.now(),
  });
  return { rows, pagination: pagination(page, count) };
}

const STATUSES: readonly StatusFilter[] = [...PAYOUT_STATUSES, 'waiting'];

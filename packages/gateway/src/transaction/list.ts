import { RISK_LEVELS } from '@crypto-checkout/protocol/status';
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
import { listTransactions, type TransactionFilter, type TransactionView } from './views.ts';

export const FILTERS = [
  'p',
  'txid',
  'address',
  'invoice_id',
  'profile_id',
  'date_from',
  'date_to',
  'risk_level',
] as const;

/** One page of an account's transactions, newest first. */
export async function listTransactionPage(
  { db, clock }: Context,
  accountId: string,
  query: Partial<Record<(typeof FILTERS)[number], string>>,
): Promise<{ rows: TransactionView[]; pagination: Pagination }> {
  const { txid, address, invoice_id, profile_id } = query;
  const page = pageNumber(query.p);
  const filter: TransactionFilter = {
    txid,
    address,
    invoice_id,
    profile_id,
    from:
      query.date_from === undefined
        ? undefined
        : timestamp(readDate('date_from', query.date_from).start),
    before:
      query.date_to === undefined ? undefined : timestamp(readDate('date_to', query.date_to).end),
    risk_level: readRiskLevel(query.risk_level),
  };
  // The database rejects NUL and anything but a UUID; no transaction has such values.
  const isImpossible =
    [invoice_id, profile_id].some((id) => id !== undefined && !isUuid(id)) ||
    [txid, address].some((text) => text?.includes('\0'));
  if (isImpossible) return { rows: [], pagination: pagination(page, 0) };
  const { rows, count } = await listTransactions(db, accountId, filter, {
    limit: PER_PAGE,
    offset: pageOffset(page),
    now: clock.now(),
  });
  return { rows, pagination: pagination(page, count) };
}

const RISK_CHOICES = [...RISK_LEVELS, 'null'] as const;

/** @returns null for transactions without an analysis */
function readRiskLevel(text: string | undefined): string | null | undefined {
  const choice = readChoice('risk_level', RISK_CHOICES, text);
  return choice === 'null' ? null : choice;
}

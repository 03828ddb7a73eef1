import { RISK_LEVELS } from '@crypto-checkout/protocol/status';
import type { Context } from '../context.ts';
import { timestamp } from '../database/timestamp.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import {
  pageNumber,
  pageOffset,
  pagination,
  PER_PAGE,
  type Pagination,
} from '../http/pagination.ts';
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

const DAY_MS = 24 * 60 * 60 * 1000;
const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d)?$/;
/** Years 1 to 9999: four digits, and supported by the database. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads a UTC date. Both ends are inclusive: a date covers its whole day, a time its whole second.
 */
export function readDate(field: string, text: string): { start: number; end: number } {
  const bare = !text.includes('T');
  const start = DATE.test(text) ? Date.parse(bare ? `${text}T00:00:00Z` : `${text}Z`) : Number.NaN;
  // Date.parse reads `2026-02-30` as a day in March.
  const exists = start >= FIRST_MS && new Date(start).toISOString().startsWith(text);
  if (exists) return { start, end: Math.min(start + (bare ? DAY_MS : 1000), LAST_MS) };
  const message = 'must be a date in UTC, YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS';
  throw new ServiceError(
    'ValidationError',
    `The filter ${field} ${message}, not "${text.slice(0, 40)}".`,
    {
      errors: [{ field, message }],
    },
  );
}

function readRiskLevel(level: string | undefined): string | null | undefined {
  if (level === undefined) return undefined;
  if (level === 'null') return null;
  const found = RISK_LEVELS.find((candidate) => candidate === level);
  if (found) return found;
  const message = `must be one of ${RISK_LEVELS.join(', ')}, null`;
  throw new ServiceError(
    'ValidationError',
    `The filter risk_level ${message}, not "${level.slice(0, 40)}".`,
    {
      errors: [{ field: 'risk_level', message }],
    },
  );
}

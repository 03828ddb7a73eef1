import { PER_PAGE, pageOffset } from '../http/pagination.ts';
import { type Io, UsageError } from './io.ts';

/** @throws UsageError when it is not a page number */
export function readPage(text: string): number {
  const page = Number(text);
  if (/^\d{1,9}$/.test(text) && page >= 1) return page;
  throw new UsageError(`--page takes a number from 1, not "${text}".`);
}

/**
 * One row more than a page: it shows whether another page follows, without a count that may take
 * seconds.
 */
export const limitAndOffset = (page: number): { limit: number; offset: number } => ({
  limit: PER_PAGE + 1,
  offset: pageOffset(page),
});

/** The rows of a page; prints a note when more follow. */
export function pageFrom<T>(io: Io, rows: readonly T[], page: number): T[] {
  if (rows.length > PER_PAGE)
    io.note(`Showing ${PER_PAGE}; see older ones with: --page ${page + 1}`);
  return rows.slice(0, PER_PAGE);
}

import { ServiceError } from './error.ts';

/** Items on a page of every list (docs/interface.md, "Pagination"). */
export const PER_PAGE = 25;
/** The last page that is served: the database reads every row that a page skips. */
const MAX_PAGE = 1_000_000;

/** The wire format of a page (docs/interface.md, "Pagination"). */
export interface Pagination {
  num_pages: number;
  count: number;
  page: number;
  next_page: number | null;
  previous_page: number | null;
  per_page: number;
}

/**
 * Reads the page number from the filter `p`; 1 without one.
 * @throws ServiceError when it is not a page number
 */
export function pageNumber(p: string | undefined): number {
  if (p === undefined) return 1;
  const page = /^\d{1,7}$/.test(p) ? Number(p) : 0;
  if (page >= 1 && page <= MAX_PAGE) return page;
  throw new ServiceError(
    'ValidationError',
    `The filter p must be a page number from 1, not "${p.slice(0, 40)}".`,
    {
      errors: [{ field: 'p', message: 'must be a whole number from 1' }],
    },
  );
}

/** Offset of a page in the list. */
export const pageOffset = (page: number): number => (page - 1) * PER_PAGE;

/** The pagination object. A page beyond the last is empty and points back to the last. */
export function pagination(page: number, count: number): Pagination {
  const pages = Math.max(1, Math.ceil(count / PER_PAGE));
  return {
    num_pages: pages,
    count,
    page,
    next_page: page < pages ? page + 1 : null,
    previous_page: page > 1 ? Math.min(page - 1, pages) : null,
    per_page: PER_PAGE,
  };
}

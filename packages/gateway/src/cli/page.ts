import { PER_PAGE, pageOffset } from '../http/pagination.ts';
import { type Io, UsageError } from './io.ts';

/** @throws UsageError for what is no page */
export function readPage(text: string): number {
  const page = Number(text);
  if (/^\d{1,9}$/.test(text) && page >= 1) return page;
  throw new UsageError(`--page takes a number from 1, not "${text}".`);
}

/** What to ask for to know whether another page follows: counting all of them may take seconds. */
export const window = (page: number): { limit: number; offset: number } => ({ limit: PER_PAGE + 1, offset: pageOffset(page) });

/** The rows of a page out of its window; the operator is told when others follow. */
export function pageFrom<T>(io: Io, rows: readonly T[], page: number): T[] {
  if (rows.length > PER_PAGE) io.note(`${PER_PAGE} are shown; --page ${page + 1} shows those before them.`);
  return rows.slice(0, PER_PAGE);
}

/** @throws UsageError for a word that is none of them */
export function oneOf<T extends string>(option: string, allowed: readonly T[], text: string): T {
  const found = allowed.find((known) => known === text);
  if (found !== undefined) return found;
  const all = [allowed.slice(0, -1).join(', '), allowed.at(-1)].filter(Boolean).join(' or ');
  throw new UsageError(`${option} takes ${all}, not "${text}".`);
}

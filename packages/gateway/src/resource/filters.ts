import { ServiceError } from '../http/error.ts';

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
  throw invalidFilter(field, 'must be a date in UTC, YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS', text);
}

/**
 * Reads a filter that has one of these words.
 * @returns undefined without the filter
 * @throws ServiceError `ValidationError` for another word
 */
export function readChoice<T extends string>(
  field: string,
  choices: readonly T[],
  text: string | undefined,
): T | undefined {
  const found = choices.find((choice) => choice === text);
  if (text === undefined || found !== undefined) return found;
  throw invalidFilter(field, `must be one of ${choices.join(', ')}`, text);
}

/** The refusal of a filter: the rule, and the beginning of the given text. */
export const invalidFilter = (field: string, message: string, text: string): ServiceError =>
  new ServiceError(
    'ValidationError',
    `The filter ${field} ${message}, not "${text.slice(0, 40)}".`,
    { errors: [{ field, message }] },
  );

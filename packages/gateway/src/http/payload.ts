import type { FieldError } from '@crypto-checkout/protocol/error';
import type { Payload } from '@crypto-checkout/protocol/signature';
import type { Context as HonoContext } from 'hono';
import type { z } from 'zod';
import type { Env } from './env.ts';
import { ServiceError } from './error.ts';
import { describeProblem } from './problem.ts';

/**
 * Parses a payload (or any value) with its schema; unknown members are dropped.
 * @throws ServiceError `ValidationError` with one entry for each wrong member
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value, { error: describeProblem });
  if (result.success) return result.data;
  // An unknown member first: it may be the misspelt name of a missing one.
  const errors = result.error.issues
    .toSorted((a, b) => Number(isUnknown(b)) - Number(isUnknown(a)))
    .flatMap(fieldErrors)
    .slice(0, 20);
  const [first] = errors;
  const subject = first?.field ? `The member ${first.field}` : 'The payload';
  throw new ServiceError(
    'ValidationError',
    `${subject} ${first?.message ?? ''}.`.replace(/\.+$/, '.'),
    { errors, cause: result.error },
  );
}

const isUnknown = ({ code }: z.core.$ZodIssue): boolean => code === 'unrecognized_keys';

/** One entry for each member: zod reports all unknown members in one issue. */
function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const at = (...names: PropertyKey[]): string => [...issue.path, ...names].join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ field: at(key), message: 'is not known here' }));
  return [{ field: at(), message: issue.message }];
}

/**
 * Reads the filters of a list, from the query string or from payload members.
 * @param names the filters that the list supports
 * @throws ServiceError when a filter comes twice, or with different values in both places
 */
export function filters<Name extends string>(
  c: HonoContext<Env>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  const last = lastFilter(c);
  for (const name of names) {
    const queried = c.req.queries(name) ?? [];
    if (name === last) queried.push(queried.pop()!.slice(0, -1));
    const signed = filterText(name, c.get('payload'));
    const values = [...new Set([...queried, ...(signed === null ? [] : [signed])])];
    if (values.length > 1) {
      const message = `The filter ${name} is given twice, with different values`;
      throw new ServiceError('ValidationError', `${message}.`, {
        errors: [{ field: name, message }],
      });
    }
    // An empty filter is ignored, as in `?status=`.
    if (values[0] !== undefined && values[0] !== '') found[name] = values[0];
  }
  return found;
}

/**
 * The query parameter whose value ends in a slash that is part of the path. Some clients append
 * the path's slash behind the query, and sign the request like this.
 */
function lastFilter(c: HonoContext<Env>): string | null {
  const { request } = c.get('payload');
  if (typeof request !== 'string' || !request.endsWith('/') || !request.includes('?')) return null;
  const [name, value] = [...new URL(c.req.url).searchParams].at(-1) ?? [];
  return name !== undefined && value?.endsWith('/') ? name : null;
}

function filterText(name: string, payload: Payload): string | null {
  const value = payload[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new ServiceError('ValidationError', `The filter ${name} must be a string.`, {
    errors: [{ field: name, message: 'must be a string' }],
  });
}

import type { FieldError } from '@crypto-checkout/protocol/error';
import type { Payload } from '@crypto-checkout/protocol/signature';
import type { Context as HonoContext } from 'hono';
import type { z } from 'zod';
import type { Env } from './env.ts';
import { ServiceError } from './error.ts';
import { sayProblem } from './problem.ts';

/**
 * Reads a payload (or any value) with its schema; members that the schema does not know are dropped.
 * @throws ServiceError `ValidationError` with one entry per member that is wrong
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value, { error: sayProblem });
  if (result.success) return result.data;
  const errors = result.error.issues.flatMap(fieldErrors).slice(0, 20);
  const [first] = errors;
  const subject = first?.field ? `The member ${first.field}` : 'The payload';
  throw new ServiceError('ValidationError', `${subject} ${first?.message ?? ''}.`.replace(/\.+$/, '.'), { errors, cause: result.error });
}

/** One for each member: those that are not known come in one issue. */
function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const at = (...names: PropertyKey[]): string => [...issue.path, ...names].join('.');
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ field: at(key), message: 'is not known here' }));
  return [{ field: at(), message: issue.message }];
}

/**
 * The filters of a list, which clients send in the query string or as payload members.
 * @param names the filters that the list knows
 * @throws ServiceError when one comes in both with different values, or twice
 */
export function filters<Name extends string>(c: HonoContext<Env>, names: readonly Name[]): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const queried = c.req.queries(name) ?? [];
    const signed = filterText(name, c.get('payload'));
    const values = [...new Set([...queried, ...(signed === null ? [] : [signed])])];
    if (values.length > 1) {
      const message = `The filter ${name} is given twice, with different values`;
      throw new ServiceError('ValidationError', `${message}.`, { errors: [{ field: name, message }] });
    }
    // An empty filter filters nothing, as in `?status=`.
    if (values[0] !== undefined && values[0] !== '') found[name] = values[0];
  }
  return found;
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

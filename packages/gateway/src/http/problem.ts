import { z } from 'zod';

export const REQUIRED = 'is required';

/**
 * What is said of a value that its schema refuses without words of its own: how it must be, to follow the name of the member. Given to
 * every parse of what callers send, so that no sentence of the library, which is about its types, comes to them.
 * @example schema.safeParse(value, { error: sayProblem });
 */
export function sayProblem(issue: z.core.$ZodRawIssue): string {
  const { input } = issue;
  if (input === undefined) return REQUIRED;
  switch (issue.code) {
    case 'invalid_type':
      return isNumber(issue.expected) ? numberProblem(issue) : `must be ${TYPES[issue.expected] ?? 'of another type'}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      if (isNumber(issue.origin)) return numberProblem(issue);
      return issue.minimum === 1 ? 'must not be empty' : `must have at least ${count(issue)}`;
    case 'too_big':
      return isNumber(issue.origin) ? numberProblem(issue) : `may have at most ${count(issue)}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'must be written in another form';
    case 'invalid_union':
      return unionProblem(issue.errors);
    case 'invalid_key':
    case 'invalid_element':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'custom':
      break;
  }
  return 'must be of another form';
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'must be an email address',
  datetime: 'must be a time with its offset, as in 2030-01-31T12:00:00Z',
};

const isNumber = (type: string): boolean => type === 'number' || type === 'int';

/** Both bounds at once: whoever corrects one must not meet the other next. */
function numberProblem({ schema, input }: z.core.$ZodRawIssue): string {
  if (!(schema instanceof z.ZodNumber) || !schema.isInt) return 'must be a number';
  const from = schema.minValue ?? Number.MIN_SAFE_INTEGER;
  const to = schema.maxValue ?? Number.MAX_SAFE_INTEGER;
  // The largest of all is said to whoever goes beyond it alone.
  const isBound = to < Number.MAX_SAFE_INTEGER || isBeyond(input);
  const range = isBound ? ` from ${from} to ${to}` : from > Number.MIN_SAFE_INTEGER ? `, ${from} or more` : '';
  // Fractions come as text, as they were written; only of a whole number is it the quotes that are wrong.
  const quoted = typeof input === 'string' && /^-?\d{1,15}$/.test(input) ? ', without quotes' : '';
  return `must be a whole number${range}${quoted}`;
}

/** As a number, or as it was written. */
const isBeyond = (input: unknown): boolean =>
  typeof input === 'number' || (typeof input === 'string' && /^-?\d+$/.test(input)) ? Number(input) > Number.MAX_SAFE_INTEGER : false;

const count = (issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>): string =>
  `${issue.code === 'too_big' ? issue.maximum : issue.minimum} ${issue.origin === 'string' ? 'characters' : 'entries'}`;

function unionProblem(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const must = 'must be ';
  const ways = errors.flatMap(([first]) =>
    first?.path.length === 0 && first.message.startsWith(must) ? [first.message.slice(must.length)] : [],
  );
  return ways.length > 0 ? must + [...new Set(ways)].join(' or ') : 'must be of another form';
}

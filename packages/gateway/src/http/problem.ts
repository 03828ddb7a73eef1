import { quotedText } from '@crypto-checkout/protocol/spelling';
import { z } from 'zod';

export const REQUIRED = 'is required';

/**
 * Describes a value that its schema refuses without a message of its own, as the continuation of
 * the member's name. Passed to every parse of caller input, so that no message of zod, which speaks
 * of its own types, reaches a caller.
 * @example schema.safeParse(value, { error: describeProblem });
 */
export function describeProblem(issue: z.core.$ZodRawIssue): string {
  const { input } = issue;
  if (input === undefined) return REQUIRED;
  switch (issue.code) {
    case 'invalid_type':
      return isNumber(issue.expected)
        ? numberProblem(issue)
        : `must be ${TYPES[issue.expected] ?? 'of another type'}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}${
        typeof input === 'string' ? `, not ${quotedText(input)}` : ''
      }`;
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

/** Names both bounds at once, so that correcting one does not run into the other. */
function numberProblem({ schema, input }: z.core.$ZodRawIssue): string {
  if (!(schema instanceof z.ZodNumber) || !schema.isInt) return 'must be a number';
  const from = schema.minValue ?? Number.MIN_SAFE_INTEGER;
  const to = schema.maxValue ?? Number.MAX_SAFE_INTEGER;
  // The global maximum is named only when it is exceeded.
  const isBound = to < Number.MAX_SAFE_INTEGER || isBeyond(input);
  const range = isBound
    ? ` from ${from} to ${to}`
    : from > Number.MIN_SAFE_INTEGER
      ? `, ${from} or more`
      : '';
  // Fractions are sent as text; only for a whole number are the quotes the mistake.
  const quoted = typeof input === 'string' && /^-?\d{1,15}$/.test(input) ? ', without quotes' : '';
  return `must be a whole number${range}${quoted}`;
}

/** A number, or its original text. */
const isBeyond = (input: unknown): boolean =>
  typeof input === 'number' || (typeof input === 'string' && /^-?\d+$/.test(input))
    ? Number(input) > Number.MAX_SAFE_INTEGER
    : false;

const count = (
  issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>,
): string =>
  `${issue.code === 'too_big' ? issue.maximum : issue.minimum} ${issue.origin === 'string' ? 'characters' : 'entries'}`;

function unionProblem(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const must = 'must be ';
  const ways = errors.flatMap(([first]) =>
    first?.path.length === 0 && first.message.startsWith(must)
      ? [first.message.slice(must.length)]
      : [],
  );
  return ways.length > 0 ? must + [...new Set(ways)].join(' or ') : 'must be of another form';
}

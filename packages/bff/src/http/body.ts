import { parseJsonWith, plainNumber } from '@crypto-checkout/protocol/json';
import { describeMistake } from '@crypto-checkout/protocol/order-token';
import type { Context } from 'hono';
import type { z } from 'zod';
import { HttpError } from './http-error.ts';

/**
 * Reads a body up to a limit, independent of its `Content-Length`.
 * @throws HttpError 413 beyond the limit, 400 when it is not UTF-8 or incomplete
 */
export async function readText(c: Context, maxBytes: number): Promise<string> {
  const tooLarge = new HttpError(
    413,
    'PayloadTooLarge',
    `The body may be at most ${maxBytes} bytes.`,
  );
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge;
  const stream = c.req.raw.body;
  if (!stream) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = stream.getReader();
  let text = '';
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge;
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    if (error instanceof HttpError) throw error;
    throw new HttpError(400, 'InvalidPayload', 'The body could not be read as UTF-8 text.', {
      cause: error,
    });
  }
}

/** @throws HttpError 415, 413, 400 */
export async function readJson<T>(c: Context, schema: z.ZodType<T>, maxBytes: number): Promise<T> {
  if (mediaType(c) !== 'application/json') throw unsupportedMediaType('application/json');
  return validate(schema, parseJson(await readText(c, maxBytes)));
}

/** @throws HttpError 400 */
function parseJson(text: string): unknown {
  try {
    // Numbers that a double cannot represent stay text, so that amounts keep their digits.
    return parseJsonWith<number | string>(text, plainNumber);
  } catch (error) {
    throw new HttpError(400, 'InvalidPayload', 'The body is not JSON.', { cause: error });
  }
}

/** @throws HttpError 400 with one sentence per field: its value and the rule */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value, { error: issueMessage });
  if (result.success) return result.data;
  const errors = result.error.issues.slice(0, 10).map(({ path, message }) => ({
    field: path.join('.'),
    message:
      path.length === 0
        ? `The body ${message}.`
        : `${describeMistake(path.join('.'), valueAt(value, path), message)}.`,
  }));
  throw new HttpError(400, 'ValidationError', errors[0]?.message ?? 'The body is not valid.', {
    errors,
  });
}

/** The value at a path of a body, if any. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[name],
    value,
  );
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/**
 * The message for an issue without one in the schema: the messages of the library are not written
 * for callers of the API.
 */
export function issueMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? 'something else'}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'too_small':
      return issue.origin === 'string'
        ? `must have at least ${count(issue.minimum, 'character')}`
        : `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${count(issue.maximum, 'character')}`
        : `must be at most ${issue.maximum}`;
    case 'unrecognized_keys':
      return `must not hold ${issue.keys.map((key) => JSON.stringify(key.slice(0, 60))).join(', ')}`;
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
    default:
      return 'is not valid';
  }
}

const count = (many: number | bigint, what: string): string =>
  `${many} ${what}${Number(many) === 1 ? '' : 's'}`;

export function mediaType(c: Context): string {
  return (c.req.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export const unsupportedMediaType = (allowed: string): HttpError =>
  new HttpError(415, 'InvalidPayload', `The content type must be ${allowed}.`);

import { parseJsonWith, plainNumber } from '@crypto-checkout/protocol/json';
import { mistake } from '@crypto-checkout/protocol/order-token';
import type { Context } from 'hono';
import type { z } from 'zod';
import { Refusal } from './refusal.ts';

/**
 * Reads a body up to a number of bytes, whatever its `Content-Length` says.
 * @throws Refusal 413 beyond it, 400 when it is not UTF-8 or ends early
 */
export async function readText(c: Context, maxBytes: number): Promise<string> {
  const tooLarge = new Refusal(413, 'PayloadTooLarge', `The body may be at most ${maxBytes} bytes.`);
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
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, 'InvalidPayload', 'The body could not be read as UTF-8 text.', { cause: error });
  }
}

/** @throws Refusal 415, 413, 400 */
export async function readJson<T>(c: Context, schema: z.ZodType<T>, maxBytes: number): Promise<T> {
  if (mediaType(c) !== 'application/json') throw wrongType('application/json');
  return check(schema, parseJson(await readText(c, maxBytes)));
}

/** @throws Refusal 400 */
function parseJson(text: string): unknown {
  try {
    // What a double would not write the same stays the text that it is: an amount keeps its digits.
    return parseJsonWith<number | string>(text, plainNumber);
  } catch (error) {
    throw new Refusal(400, 'InvalidPayload', 'The body is not JSON.', { cause: error });
  }
}

/** @throws Refusal 400 with a sentence for each field: what it is and what it has to be */
export function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value, { error: inOurWords });
  if (result.success) return result.data;
  const errors = result.error.issues.slice(0, 10).map(({ path, message }) => ({
    field: path.join('.'),
    message: path.length === 0 ? `The body ${message}.` : `${mistake(path.join('.'), valueAt(value, path), message)}.`,
  }));
  throw new Refusal(400, 'ValidationError', errors[0]?.message ?? 'The body is not valid.', { errors });
}

/** What stands at a place of a body, where there is one. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[name], value);
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

/** For what a schema has no words of its own: the library's are not made for whoever sends a body. */
export function inOurWords(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? 'something else'}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'too_small':
      return issue.origin === 'string' ? `must have at least ${count(issue.minimum, 'character')}` : `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string' ? `must have at most ${count(issue.maximum, 'character')}` : `must be at most ${issue.maximum}`;
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

const count = (many: number | bigint, what: string): string => `${many} ${what}${Number(many) === 1 ? '' : 's'}`;

export function mediaType(c: Context): string {
  return (c.req.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export const wrongType = (allowed: string): Refusal => new Refusal(415, 'InvalidPayload', `The content type must be ${allowed}.`);

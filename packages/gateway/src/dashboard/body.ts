import type { Context as HonoContext } from 'hono';
import type { z } from 'zod';
import type { Env } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';
import { validate } from '../http/payload.ts';

/** Largest body: an id and an amount. */
const MAX_BODY = 16 * 1024;

/**
 * Parses a JSON body with its schema.
 * @throws ServiceError `PayloadTooLarge`, `ValidationError`
 */
export async function readBody<T>(c: HonoContext<Env>, schema: z.ZodType<T>): Promise<T> {
  return validate(schema, parse(await readText(c.req.raw)));
}

/** Reads at most the limit, whatever length was announced. */
async function readText({ body }: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MAX_BODY)
      throw new ServiceError('PayloadTooLarge', `The body may have ${MAX_BODY} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new ServiceError('ValidationError', 'The body is not JSON.', { cause });
  }
}

import { z } from 'zod';
import { ForbiddenError, UnavailableError } from './error.ts';
import { RefusedError, TooLargeError } from './rpc/http.ts';
import { createPost, type Post, type PostOptions } from './rpc/post.ts';

/** The node responded with a JSON-RPC error. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';
  readonly code: number;

  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message} (${code})`);
    this.code = code;
  }
}

export interface Call<T> {
  method: string;
  params: readonly unknown[];
  /** Schema of the result. */
  answer: z.ZodType<T>;
  /** For a slow method. Default: the timeout of the client. */
  timeoutMs?: number;
}

export interface JsonRpc {
  /**
   * A call can reach the node twice: a request without an answer is repeated.
   * @throws JsonRpcError for an error response
   * @throws UnavailableError without a response, or with a malformed one
   */
  call<T>(call: Call<T>): Promise<T>;
  /**
   * Sends the calls in batches and returns the results in their order. Throws the first error
   * response.
   */
  batch<T>(calls: readonly Call<T>[]): Promise<T[]>;
}

export interface JsonRpcOptions extends PostOptions {
  /**
   * Calls per batch at first. A provider that refuses a batch gets smaller ones from then on.
   * Default: 50.
   */
  batchSize?: number;
}

const item = z.object({
  id: z.union([z.number(), z.string(), z.null()]),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).nullish(),
});
type Item = z.infer<typeof item>;

/** The provider did not take a batch. */
class BatchRefused extends Error {
  /** The error for a single call. */
  readonly reason: Error;
  /** Whether later batches have to be smaller too. */
  readonly isLasting: boolean;

  constructor(reason: Error, isLasting: boolean) {
    super(reason.message);
    this.reason = reason;
    this.isLasting = isLasting;
  }
}

/**
 * JSON-RPC 2.0 over HTTP for one provider. It finds out how many calls a batch may have, waits as
 * long as a provider asks for, and repeats requests that fail for a moment. No message of an error
 * contains URL, credentials or headers.
 */
export function createJsonRpc({ batchSize = 50, ...options }: JsonRpcOptions): JsonRpc {
  const post = createPost(options);
  const exchange = createExchange(post);
  /** Zero: each call is sent alone, and not as an array. */
  let learned = batchSize;

  async function ask(calls: readonly Call<unknown>[], limit: number): Promise<Item[]> {
    const items: Item[] = [];
    while (items.length < calls.length) {
      const size = Math.min(limit, learned);
      const part = calls.slice(items.length, items.length + Math.max(1, size));
      try {
        items.push(...(await exchange(part, size > 0)));
      } catch (error) {
        if (!(error instanceof BatchRefused)) throw error;
        const isSmallest = error.isLasting ? size === 0 : part.length === 1;
        if (isSmallest) throw error.reason;
        const smaller = part.length > 1 ? Math.ceil(part.length / 2) : 0;
        items.push(...(await ask(part, smaller)));
        // Only a smaller batch that was taken shows that the size was at fault.
        if (error.isLasting) learned = Math.min(learned, smaller);
      }
    }
    return items;
  }

  async function batch<T>(calls: readonly Call<T>[]): Promise<T[]> {
    const items = await ask(calls, learned);
    return calls.map((call, at) => resultOf(call, items[at], post));
  }

  return {
    batch,
    async call(call) {
      const [result] = await batch([call]);
      return result as never;
    },
  };
}

type Exchange = (calls: readonly Call<unknown>[], asArray: boolean) => Promise<Item[]>;

/** Sends one batch; calls that the provider postpones are sent again. */
function createExchange(post: Post): Exchange {
  async function sendOnce(
    calls: readonly Call<unknown>[],
    ids: readonly number[],
    asArray: boolean,
  ): Promise<Item[]> {
    const requests = ids.map((id) => ({
      jsonrpc: '2.0',
      id,
      method: calls[id]!.method,
      params: calls[id]!.params,
    }));
    const timeoutMs = Math.max(0, ...ids.map((id) => calls[id]!.timeoutMs ?? 0));
    const content = await post
      .send(asArray ? requests : requests[0], timeoutMs)
      .catch((error: unknown) => asBatchError(error, calls[ids[0]!]!));
    const parsed = z.array(item).safeParse(Array.isArray(content) ? content : [content]);
    if (!parsed.success) throw new UnavailableError('The node returned invalid JSON-RPC');
    const items = parsed.data;
    const byId = new Map(items.map((one) => [Number(one.id ?? Number.NaN), one]));
    const found = ids.flatMap((id) => byId.get(id) ?? []);
    if (found.length === ids.length && (Array.isArray(content) || ids.length === 1)) return found;
    const whole = items.find(({ error, id }) => error && (id === null || !Array.isArray(content)));
    // The provider postpones the batch as a whole.
    if (isRateLimit(whole?.error)) return ids.map((id) => ({ ...whole!, id }));
    throw new BatchRefused(refusalOf(calls[ids[0]!]!, whole, post), true);
  }

  return async (calls, asArray) => {
    const items: Item[] = [];
    let ids = calls.map((_, id) => id);
    for (let attempt = 1; ids.length > 0; attempt += 1) {
      for (const one of await sendOnce(calls, ids, asArray)) items[Number(one.id)] = one;
      if (ids.length > 1 && items.some(({ error }) => isTooLarge(error)))
        throw new BatchRefused(new UnavailableError('The response is too large'), false);
      ids = ids.filter((id) => isRateLimit(items[id]?.error));
      if (ids.length === 0) break;
      if (attempt >= post.attempts)
        throw new UnavailableError('The node limits the rate of requests');
      await post.pause(attempt);
    }
    return items;
  };
}

function asBatchError(error: unknown, { method }: Call<unknown>): never {
  if (error instanceof ForbiddenError) throw new ForbiddenError(method);
  if (error instanceof RefusedError) throw new BatchRefused(error, true);
  if (error instanceof TooLargeError) throw new BatchRefused(error, false);
  throw error;
}

function refusalOf({ method }: Call<unknown>, refusal: Item | undefined, post: Post): Error {
  if (!refusal?.error) return new UnavailableError(`The node returned no result for ${method}`);
  const { code, message } = refusal.error;
  return new JsonRpcError(method, code, shownMessage(message, post));
}

/**
 * Providers limit the rate of calls by an error of the call too. It is no answer of the node, and
 * callers take an error response for one.
 */
function isRateLimit(error: Item['error']): boolean {
  if (!error) return false;
  if (error.code === 429) return true;
  return (
    error.code === -32_005 &&
    /rate|too many requests|compute units|per second|capacity/i.test(error.message)
  );
}

/** Geth's limit on the size of a batch's response. */
const isTooLarge = (error: Item['error']): boolean =>
  error?.code === -32_003 && /response too large/i.test(error.message);

const MAX_MESSAGE = 300;
const shownMessage = (message: string, { redact }: Post): string =>
  redact(message).slice(0, MAX_MESSAGE);

function resultOf<T>({ method, answer }: Call<T>, found: Item | undefined, post: Post): T {
  if (found === undefined) throw new UnavailableError(`The node returned no result for ${method}`);
  if (found.error)
    throw new JsonRpcError(method, found.error.code, shownMessage(found.error.message, post));
  const parsed = answer.safeParse(found.result);
  if (parsed.success) return parsed.data;
  const cause = new Error(post.redact(parsed.error.message));
  throw new UnavailableError(`The node returned an unexpected result for ${method}`, { cause });
}

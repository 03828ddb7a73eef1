import { z } from 'zod';
import { UnavailableError } from '../../http/error.ts';

/** The node answered, and the answer is a refusal. */
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
  /** What the answer must look like. */
  answer: z.ZodType<T>;
}

export interface JsonRpc {
  /** @throws JsonRpcError when the node refuses; UnavailableError when it does not answer, or not what was asked for */
  call<T>(call: Call<T>): Promise<T>;
  /** The answers in the order of the calls, sent in batches; the first refusal is thrown. */
  batch<T>(calls: readonly Call<T>[]): Promise<T[]>;
}

export interface JsonRpcOptions {
  url: string;
  /** Default: the platform's. */
  fetch?: typeof fetch;
  /** For one request, until its last byte. Default: 20 s, because tracing a full block takes long. */
  timeoutMs?: number;
  /** A longer answer is refused. Default: 128 MiB, above the trace of the largest blocks. */
  maxBytes?: number;
  /** Calls in one request. Default: 50. */
  batchSize?: number;
}

const answers = z.array(
  z.object({
    id: z.number(),
    result: z.unknown().optional(),
    error: z.object({ code: z.number(), message: z.string() }).optional(),
  }),
);

/** JSON-RPC 2.0 over HTTP, with a time limit and a bound on the size of answers. */
export function createJsonRpc({
  url,
  fetch: send = fetch,
  timeoutMs = 20_000,
  maxBytes = 128 * 1024 * 1024,
  batchSize = 50,
}: JsonRpcOptions): JsonRpc {
  async function post(body: unknown): Promise<unknown> {
    try {
      const response = await send(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'error',
      });
      return JSON.parse(await readBounded(response, maxBytes)) as unknown;
    } catch (cause) {
      // The address may hold a provider's key, so it is not in the message.
      throw new UnavailableError('The node does not answer', { cause });
    }
  }

  async function batch<T>(calls: readonly Call<T>[]): Promise<T[]> {
    const results: T[] = [];
    for (let at = 0; at < calls.length; at += batchSize) {
      const part = calls.slice(at, at + batchSize);
      const requests = part.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
      const answer = await post(requests);
      // Nodes that refuse a whole batch answer it with one object.
      const parsed = answers.safeParse(Array.isArray(answer) ? answer : [answer]);
      if (!parsed.success) throw new UnavailableError('The node answered something that is not JSON-RPC', { cause: parsed.error });
      const byId = new Map(parsed.data.map((item) => [item.id, item]));
      results.push(...part.map((call, id) => resultOf(call, byId.get(id))));
    }
    return results;
  }

  return {
    batch,
    async call(call) {
      const [result] = await batch([call]);
      return result as never;
    },
  };
}

function resultOf<T>({ method, answer }: Call<T>, item: z.infer<typeof answers>[number] | undefined): T {
  if (item === undefined) throw new UnavailableError(`The node left ${method} without an answer`);
  if (item.error !== undefined) throw new JsonRpcError(method, item.error.code, item.error.message);
  const parsed = answer.safeParse(item.result);
  if (!parsed.success) throw new UnavailableError(`The node answered ${method} with something unexpected`, { cause: parsed.error });
  return parsed.data;
}

async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  // A body that is absent reads as the empty text, which is no JSON.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`The answer is larger than ${maxBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  if (!response.ok && text === '') throw new Error(`HTTP ${response.status}`);
  return text + decoder.decode();
}

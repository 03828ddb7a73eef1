import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RpcCall {
  id: number;
  method: string;
  params: readonly unknown[];
}

export interface RpcAnswer {
  result?: unknown;
  error?: { code: number; message: string } | null;
}

/** Returns the answer that the caller receives instead of the node's own. */
export type ChangeAnswer = (call: RpcCall, answer: RpcAnswer) => RpcAnswer;

export interface RpcProxy {
  url: string;
  /** Changes the answers from now on. Null: the proxy passes them on. */
  change(rule: ChangeAnswer | null): void;
  /** Answers requests with such a call by HTTP 403 and a page, as some providers do. */
  forbid(methods: RegExp | null): void;
  /** Refuses larger batches as a whole. */
  limitBatch(calls: number): void;
  /** Number of calls of a method so far. */
  calls(method: string): number;
  stop(): Promise<void>;
}

/**
 * Starts an HTTP server between an adapter and a node, which can change each JSON-RPC answer: a
 * provider that lags, refuses or does not have an answer yet. The node receives every call, with
 * these headers.
 */
export async function startRpcProxy(
  nodeUrl: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RpcProxy> {
  let rule: ChangeAnswer | null = null;
  let forbidden: RegExp | null = null;
  let maxBatch = Number.POSITIVE_INFINITY;
  const counts = new Map<string, number>();
  const answerAll = async (calls: readonly RpcCall[]): Promise<unknown[]> => {
    const response = await fetch(nodeUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(calls),
    });
    const answers = (await response.json()) as (RpcAnswer & { id: number })[];
    return calls.map((call) => {
      counts.set(call.method, (counts.get(call.method) ?? 0) + 1);
      const { result, error } = answers.find(({ id }) => id === call.id)!;
      const own = error ? { error } : { result };
      return { jsonrpc: '2.0', id: call.id, ...(rule === null ? own : rule(call, own)) };
    });
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const calls = JSON.parse(Buffer.concat(chunks).toString()) as RpcCall[];
      if (calls.some(({ method }) => forbidden?.test(method))) {
        response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Forbidden</h1>');
        return;
      }
      if (calls.length > maxBatch) {
        const error = { code: -32_600, message: 'batch too large' };
        response.writeHead(200).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
        return;
      }
      void answerAll(calls).then(
        (answers) =>
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify(answers)),
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    change: (next) => void (rule = next),
    limitBatch: (calls) => void (maxBatch = calls),
    forbid: (methods) => void (forbidden = methods),
    calls: (method) => counts.get(method) ?? 0,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A change that answers some methods with this result. */
export const answering =
  (methods: RegExp, result: unknown): ChangeAnswer =>
  ({ method }, answer) =>
    methods.test(method) ? { result } : answer;

import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { z } from 'zod';
import { UnavailableError } from '../../error.ts';
import { createCredentials, type Credentials } from '../../rpc/credentials.ts';
import { errorOf, failureOf, LndAccessError, parseJson, streamItem } from './failure.ts';
import type { Macaroon } from './macaroon.ts';
import { notWithin, readLines, readText, type LndStream } from './response.ts';
import { createTls } from './tls.ts';

export interface LndRestOptions {
  /** An https URL. */
  url: string;
  /** Path of LND's own certificate. Null: the certificate is checked like that of any website. */
  certificateFile: string | null;
  macaroon: Macaroon;
  /** Timeout of a request, and of the first part of a stream. Default: 10 s. */
  timeoutMs?: number;
}

export interface LndCall<T> {
  method?: 'GET' | 'POST';
  /** With query. */
  path: string;
  body?: unknown;
  /** Schema of the answer; of each item of a stream. */
  answer: z.ZodType<T>;
}

export interface LndRest {
  /**
   * @throws LndError when the node answers with an error
   * @throws LndAccessError when certificate or macaroon are refused: an operator is needed
   * @throws UnavailableError without an answer, or with a malformed one
   */
  call<T>(call: LndCall<T>): Promise<T>;
  /**
   * Opens a stream; resolves when the node answers. Rejects like `call`.
   * @param onEnd called once, when it ends for any other reason than `close`; null at its regular
   * end
   */
  stream<T>(
    call: LndCall<T>,
    onItem: (item: T) => void,
    onEnd: (error: Error | null) => void,
  ): Promise<LndStream>;
}

/**
 * A client of LND's REST interface. The certificate is pinned, redirects are not followed, and no
 * message contains URL or macaroon.
 */
export function createLndRest(options: LndRestOptions): LndRest {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const credentials = createCredentials({
    url: options.url,
    headers: { 'grpc-metadata-macaroon': options.macaroon.hex },
  });
  const open = createOpen(credentials, options);

  function parse<T>({ path, answer }: LndCall<T>, content: unknown): T {
    const parsed = answer.safeParse(content);
    if (parsed.success) return parsed.data;
    throw new UnavailableError(unexpected(path), {
      cause: new Error(credentials.redact(parsed.error.message)),
    });
  }

  const refusal = (response: IncomingMessage, text: string): Error =>
    errorOf(response.statusCode ?? 0, text, (part) => credentials.redact(part));

  return {
    async call(call) {
      const response = await open(call);
      const text = await readText(response, timeoutMs);
      if (response.statusCode !== 200) throw refusal(response, text);
      return parse(call, parseJson(text));
    },
    async stream(call, onItem, onEnd) {
      const response = await open(call);
      if (response.statusCode !== 200) throw refusal(response, await readText(response, timeoutMs));
      return readLines(response, {
        onLine(line) {
          const item = streamItem.safeParse(parseJson(line));
          if (!item.success) throw new UnavailableError(unexpected(call.path));
          if (item.data.result === undefined) throw refusal(response, line);
          onItem(parse(call, item.data.result));
        },
        onEnd,
      });
    },
  };
}

type Request = Pick<LndCall<unknown>, 'method' | 'path' | 'body'>;
type Open = (request: Request, options?: OpenOptions) => Promise<IncomingMessage>;

interface OpenOptions {
  /** Default: that of all requests. */
  timeoutMs?: number;
  /** Ends the request. */
  signal?: AbortSignal | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** Sends requests, and resolves with the head of the response. */
export function createOpen(
  credentials: Credentials,
  {
    certificateFile,
    timeoutMs: usualMs = DEFAULT_TIMEOUT_MS,
    setting = 'LND_CERT',
  }: Pick<LndRestOptions, 'certificateFile' | 'timeoutMs'> & { setting?: string },
): Open {
  const base = credentials.url.replace(/\/+$/, '');
  const tls = createTls(certificateFile, setting);

  async function send(
    { method = 'GET', path, body }: Request,
    { timeoutMs = usualMs, signal }: OpenOptions,
  ): Promise<IncomingMessage> {
    const headers = await credentials.headers();
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = httpsRequest(
        `${base}${path}`,
        { ...tls.options(), method, headers, ...(signal && { signal }) },
        resolve,
      );
      const timer = setTimeout(
        () => request.destroy(new UnavailableError(notWithin(timeoutMs))),
        timeoutMs,
      );
      request.on('response', () => clearTimeout(timer));
      request.on('close', () => clearTimeout(timer));
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(error.code ?? '');
        reject(isStale && method === 'GET' ? new StaleConnectionError() : failureOf(error));
      });
      request.end(text);
    });
  }

  /** LND replaces its certificate when it expires; the file is read again then. */
  return async function open(call, options = {}) {
    try {
      return await send(call, options);
    } catch (error) {
      if (error instanceof StaleConnectionError) return open(call, options);
      const isStale = error instanceof LndAccessError && error.part === 'certificate';
      if (!isStale || !tls.renew()) throw error;
      return send(call, options);
    }
  };
}

const unexpected = (path: string): string =>
  `The node returned an unexpected answer for ${pathOf(path)}`;

/** The node closed a connection that was kept for later. */
class StaleConnectionError extends Error {}

/** The path without values that identify a payment. */
const pathOf = (path: string): string =>
  path
    .split('?')[0]!
    .split('/')
    .filter((part) => part.length < 30)
    .join('/');

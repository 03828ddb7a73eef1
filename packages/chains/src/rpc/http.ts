import { ForbiddenError, LoginError, UnavailableError } from '../error.ts';
import { createCredentials, type CredentialOptions } from './credentials.ts';

export interface HttpOptions extends CredentialOptions {
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Least timeout of one request including its body. Default: 10 s. */
  timeoutMs?: number;
  /** Limit on the response size. Default: 128 MiB, above the trace of the largest blocks. */
  maxBytes?: number;
  /** Requests until a failure that may pass is reported. Default: 3. */
  attempts?: number;
  /** Real time in milliseconds. Default: `Date.now`. */
  now?: () => number;
  /** A number from 0 up to 1. Default: `Math.random`. */
  random?: () => number;
  /** Default: a timer. */
  sleep?: (ms: number) => Promise<void>;
}

export interface HttpRequest<T> {
  method: 'GET' | 'POST';
  /** Appended to the path of the URL. Default: nothing. */
  path?: string;
  /** The query of this request. Default: that of the URL. */
  query?: Readonly<Record<string, string>>;
  body?: string;
  /** Type of the body. Default: JSON. */
  contentType?: string;
  /** When this request may take longer than others. */
  timeoutMs?: number;
  /** Reads a response that is neither a redirect, a refused login nor a limit of the rate. */
  read: (response: HttpResponse) => T;
}

export interface HttpResponse {
  status: number;
  bytes: Uint8Array;
}

export interface Http {
  /**
   * Sends a request, and repeats it after failures that may pass.
   * @throws TooLargeError for a response above the limit
   * @throws UnavailableError for every other failure
   */
  send<T>(request: HttpRequest<T>): Promise<T>;
  /** Waits before the next attempt, longer each time. */
  pause(attempt: number): Promise<void>;
  /** Removes URL, keys and headers from a text of the provider. */
  redact(text: string): string;
  readonly attempts: number;
}

/** The response exceeds the limit. */
export class TooLargeError extends UnavailableError {}
/** The provider refuses a request as a whole; a batch may be too large for it. */
export class RefusedError extends UnavailableError {}
/** The same request can succeed in a moment. */
class PassingError extends UnavailableError {}

const FIRST_PAUSE_MS = 500;
/** A longer pause fails at once, so that another provider can be asked. */
const MAX_PAUSE_MS = 10_000;

/** HTTP with authorization, a timeout, retries and a limit on the response size. */
export function createHttp({
  fetch: request = fetch,
  timeoutMs: leastMs = 10_000,
  maxBytes = 128 * 1024 * 1024,
  attempts = 3,
  now = Date.now,
  random = Math.random,
  sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  ...options
}: HttpOptions): Http {
  const credentials = createCredentials(options);
  let pausedUntil = 0;

  const pauseMs = (attempt: number): number => backoffMs(attempt, random());

  async function exchange<T>(
    { method, path, query, body, contentType }: HttpRequest<T>,
    timeoutMs: number,
  ): Promise<{ response: Response; bytes: Uint8Array }> {
    const headers = await credentials.headers();
    try {
      const response = await request(addressOf(credentials.url, path, query), {
        method,
        headers: contentType === undefined ? headers : { ...headers, 'content-type': contentType },
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'manual',
      });
      return { response, bytes: await readBounded(response, maxBytes) };
    } catch (error) {
      throw failureOf(error, timeoutMs);
    }
  }

  async function attemptOnce<T>(own: HttpRequest<T>, attempt: number): Promise<T> {
    const timeoutMs = Math.max(leastMs, own.timeoutMs ?? 0);
    const waitMs = pausedUntil - now();
    if (waitMs > MAX_PAUSE_MS) throw limited();
    if (waitMs > 0) await sleep(waitMs);
    let { response, bytes } = await exchange(own, timeoutMs);
    if (response.status === 401 && (await credentials.renew()))
      ({ response, bytes } = await exchange(own, timeoutMs));
    if (response.status === 429) {
      pausedUntil = now() + (retryAfterMs(response, now()) ?? pauseMs(attempt));
      throw limited();
    }
    requireAnswer(response);
    return own.read({ status: response.status, bytes });
  }

  return {
    attempts,
    redact: (text) => credentials.redact(text),
    pause: (attempt) => sleep(pauseMs(attempt)),
    async send(own) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await attemptOnce(own, attempt);
        } catch (error) {
          if (!(error instanceof PassingError) || attempt >= attempts) throw error;
          const waitMs = pausedUntil - now();
          if (waitMs > MAX_PAUSE_MS) throw error;
          // A provider that limits the rate is waited for before the next request.
          if (waitMs <= 0) await sleep(pauseMs(attempt));
        }
      }
    },
  };
}

/** A query of the URL, which can hold a key, stays behind the path. */
function addressOf(
  url: string,
  path: string | undefined,
  query: HttpRequest<never>['query'],
): string {
  if (path === undefined) return url;
  const address = new URL(url);
  if (query !== undefined) address.search = new URLSearchParams(query).toString();
  address.pathname = address.pathname.replace(/\/+$/, '') + path;
  return address.href;
}

/** Exponential, with jitter: several processes do not retry at the same moment. */
const backoffMs = (attempt: number, random: number): number =>
  Math.round(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + random / 2));

const limited = (): PassingError =>
  new PassingError('The node limits the rate of requests (HTTP 429)');

/** RFC 9110, "Retry-After": seconds or a date. */
function retryAfterMs({ headers }: Response, now: number): number | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function requireAnswer({ status, type }: Response): void {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400))
    throw new UnavailableError(`The node answers with a redirect (HTTP ${status})`);
  if (status === 401) throw new LoginError('The node refuses the credentials (HTTP 401)');
}

/**
 * The error of a response that is no answer.
 * @returns null below HTTP 400
 */
export function refusalOf(status: number): UnavailableError | null {
  if (status < 400) return null;
  if (status === 403) return new ForbiddenError();
  if (status === 502 || status === 503 || status === 504)
    return new PassingError(`The node does not answer (HTTP ${status})`);
  return new RefusedError(`The node refuses the request (HTTP ${status})`);
}

/** Errors of `fetch` can show URL and host, so only the system's code is kept. */
function failureOf(error: unknown, timeoutMs: number): Error {
  if (error instanceof UnavailableError) return error;
  if (error instanceof Error && error.name === 'TimeoutError')
    return new UnavailableError(`The node does not answer within ${timeoutMs / 1_000} seconds`);
  const code = codeOf(error);
  return new PassingError(
    code === null ? 'The node does not answer' : `The node does not answer (${code})`,
  );
}

/** `ECONNREFUSED` of "The node does not answer (ECONNREFUSED)", for sentences that say the rest. */
export const withoutFrame = ({ message }: Error): string =>
  /^The node does not answer \((.*)\)$/.exec(message)?.[1] ?? message;

function codeOf(error: unknown): string | null {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && /^[A-Z][A-Z_]{2,40}$/.test(code)) return code;
  return cause === undefined ? null : codeOf(cause);
}

async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes)
      throw new TooLargeError(`The response of the node exceeds ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

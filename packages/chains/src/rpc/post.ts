import { LoginError, UnavailableError } from '../error.ts';
import { createCredentials, type CredentialOptions } from './credentials.ts';
import { parseExactly } from './exact-numbers.ts';

export interface PostOptions extends CredentialOptions {
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Least timeout of one request including its body. Default: 10 s. */
  timeoutMs?: number;
  /** Limit on the response size. Default: 128 MiB, above the trace of the largest blocks. */
  maxBytes?: number;
  /** Requests until a failure that may pass is reported. Default: 3. */
  attempts?: number;
  /**
   * Keeps numbers that a double does not hold exactly as text, also every number with a fraction.
   * Default false.
   */
  exactNumbers?: boolean;
  /** Real time in milliseconds. Default: `Date.now`. */
  now?: () => number;
  /** A number from 0 up to 1. Default: `Math.random`. */
  random?: () => number;
  /** Default: a timer. */
  sleep?: (ms: number) => Promise<void>;
}

export interface Post {
  /**
   * Sends a JSON body and returns the parsed response.
   * @param timeoutMs when this request may take longer than others
   * @throws TooLargeError for a response above the limit
   * @throws RefusedError for a request that the provider refuses as a whole
   * @throws UnavailableError for every other failure
   */
  send(body: unknown, timeoutMs?: number): Promise<unknown>;
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

/** HTTP POST of JSON with authorization, a timeout, retries and a limit on the response size. */
export function createPost({
  fetch: request = fetch,
  timeoutMs: leastMs = 10_000,
  maxBytes = 128 * 1024 * 1024,
  attempts = 3,
  exactNumbers = false,
  now = Date.now,
  random = Math.random,
  sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  ...options
}: PostOptions): Post {
  const credentials = createCredentials(options);
  const parse = exactNumbers ? parseExactly : (text: string) => JSON.parse(text) as unknown;
  let pausedUntil = 0;

  const pauseMs = (attempt: number): number => backoffMs(attempt, random());

  async function exchange(
    body: string,
    timeoutMs: number,
  ): Promise<{ response: Response; text: string }> {
    const headers = await credentials.headers();
    try {
      const response = await request(credentials.url, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'manual',
      });
      return { response, text: await readBounded(response, maxBytes) };
    } catch (error) {
      throw failureOf(error, timeoutMs);
    }
  }

  async function attemptOnce(body: string, timeoutMs: number, attempt: number): Promise<unknown> {
    const waitMs = pausedUntil - now();
    if (waitMs > MAX_PAUSE_MS) throw limited();
    if (waitMs > 0) await sleep(waitMs);
    let { response, text } = await exchange(body, timeoutMs);
    if (response.status === 401 && (await credentials.renew()))
      ({ response, text } = await exchange(body, timeoutMs));
    if (response.status === 429) {
      pausedUntil = now() + (retryAfterMs(response, now()) ?? pauseMs(attempt));
      throw limited();
    }
    return contentOf(response, text, parse);
  }

  return {
    attempts,
    redact: (text) => credentials.redact(text),
    pause: (attempt) => sleep(pauseMs(attempt)),
    async send(body, timeoutMs = 0) {
      const text = JSON.stringify(body);
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await attemptOnce(text, Math.max(leastMs, timeoutMs), attempt);
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

/** Bitcoin nodes send JSON-RPC errors with an HTTP error, so a body of JSON comes first. */
function contentOf(
  { status, type }: Response,
  text: string,
  parse: (text: string) => unknown,
): unknown {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400))
    throw new UnavailableError(`The node answers with a redirect (HTTP ${status})`);
  if (status === 401) throw new LoginError('The node refuses the credentials (HTTP 401)');
  const content = parsed(text, parse);
  if (isJsonRpc(content)) return content;
  if (status === 403) throw new UnavailableError('The node refuses the request (HTTP 403)');
  if (status === 502 || status === 503 || status === 504)
    throw new PassingError(`The node does not answer (HTTP ${status})`);
  if (status >= 400) throw new RefusedError(`The node refuses the request (HTTP ${status})`);
  throw new UnavailableError(
    content === undefined ? 'The node returned no JSON' : 'The node returned invalid JSON-RPC',
  );
}

/** Undefined for a text that is no JSON. The parser's own error would show the text. */
function parsed(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function isJsonRpc(content: unknown): boolean {
  if (Array.isArray(content)) return true;
  return (
    typeof content === 'object' &&
    content !== null &&
    'id' in content &&
    ('result' in content || 'error' in content)
  );
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

function codeOf(error: unknown): string | null {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && /^[A-Z][A-Z_]{2,40}$/.test(code)) return code;
  return cause === undefined ? null : codeOf(cause);
}

async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  // A missing body reads as an empty text, which is not valid JSON.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes)
      throw new TooLargeError(`The response of the node exceeds ${maxBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

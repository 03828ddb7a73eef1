import {
  encodePayload,
  KEY_HEADER,
  PAYLOAD_HEADER,
  SIGNATURE_HEADER,
  signPayload,
} from '@crypto-checkout/protocol/signature';
import { hmacWebCrypto } from '@crypto-checkout/protocol/signature-web';
import { errorFrom, ServiceError } from './error.ts';
import { type NonceQueue, nonceQueueFor } from './nonce-queue.ts';
import { ServerTime } from './server-time.ts';

export interface ApiKey {
  key: string;
  secret: string;
  /** The key was created with `nonce_window`, so its calls may run in parallel. Default false. */
  nonceWindow?: boolean;
}

export interface TransportOptions {
  /** URL of the service; `request` in the signed payload is the path below it. */
  baseUrl: string;
  keys: readonly ApiKey[];
  fetch: typeof fetch;
  timeoutMs: number;
  /** Retries of a read without a definite response. */
  readRetries: number;
  now: () => number;
  nonce: () => bigint;
  delay: (ms: number) => Promise<void>;
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path with a trailing slash and encoded ids. */
  path: string;
  /** Sent in the signed payload, and for GET in the query as well. */
  parameters?: object | undefined;
  signal?: AbortSignal | undefined;
}

/** Retries with a fresh nonce after another process has used a greater one. */
const NONCE_RETRIES = 3;
/** Maximum wait of a read for `Retry-After`. */
const MAX_WAIT_MS = 2000;

/** Signs and sends calls, and retries those that are safe to repeat. */
export class Transport {
  readonly time: ServerTime;
  readonly #options: TransportOptions;
  readonly #queues: readonly { key: ApiKey; queue: NonceQueue }[];

  constructor(options: TransportOptions) {
    this.#options = options;
    this.time = new ServerTime(options.now);
    this.#queues = options.keys.map((key) => ({
      key,
      queue: nonceQueueFor(options.baseUrl, key.key),
    }));
  }

  /**
   * Sends a call and returns the body of a successful response.
   * @throws ServiceError
   */
  async send(call: Call): Promise<unknown> {
    for (let nonceRetries = 0, readRetries = 0; ;) {
      try {
        return await this.#sendOnce(call);
      } catch (error) {
        if (!(error instanceof ServiceError) || call.signal?.aborted) throw error;
        // The service rejects a nonce before it does anything, so every call may be repeated.
        if (error.reason === 'InvalidNonce' && nonceRetries++ < NONCE_RETRIES) continue;
        const wait =
          call.method === 'GET' && readRetries < this.#options.readRetries
            ? retryDelay(error, readRetries++)
            : null;
        if (wait === null) throw error;
        await this.#options.delay(wait);
      }
    }
  }

  #sendOnce(call: Call): Promise<unknown> {
    // Use the least busy key of the pool.
    const { key, queue } = this.#queues.reduce((best, other) =>
      other.queue.pending < best.queue.pending ? other : best,
    );
    return queue.run(
      (nonce) => this.#fetch(call, key, nonce),
      this.#options.nonce,
      key.nonceWindow ?? false,
    );
  }

  async #fetch(call: Call, { key, secret }: ApiKey, nonce: bigint): Promise<unknown> {
    const { method, path, parameters, signal } = call;
    const { baseUrl, now, timeoutMs } = this.#options;
    // `method` extends the payload: a service that supports it rejects the payload under another
    // method.
    const payload = encodePayload({ ...parameters, request: path, method }, nonce);
    const signature = await signPayload(payload, secret, hmacWebCrypto);
    const timeout = AbortSignal.timeout(timeoutMs);
    const sentAt = now();
    try {
      signal?.throwIfAborted();
      const response = await this.#options.fetch(
        `${baseUrl}${path}${method === 'GET' ? queryOf(parameters) : ''}`,
        {
          method,
          headers: {
            [KEY_HEADER]: key,
            [PAYLOAD_HEADER]: payload,
            [SIGNATURE_HEADER]: signature,
            accept: 'application/json',
          },
          // Do not send signed headers to another URL.
          redirect: 'manual',
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        },
      );
      this.time.observe(response.headers.get('date'), sentAt);
      const body = parse(await response.text());
      if (!response.ok) throw errorFrom(response.status, response.headers, body);
      if (body === undefined)
        throw new ServiceError('the response is not JSON', { status: response.status });
      return body;
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause;
      throw new ServiceError(
        signal?.aborted ? 'the call was aborted' : lostMessage(timeout, this.#options),
        {},
        { cause },
      );
    }
  }
}

function lostMessage(
  timeout: AbortSignal,
  { timeoutMs, baseUrl }: Pick<TransportOptions, 'timeoutMs' | 'baseUrl'>,
): string {
  const { origin } = new URL(baseUrl);
  return timeout.aborted
    ? `no response from ${origin} within ${timeoutMs} ms`
    : `the service at ${origin} could not be reached`;
}

/** The delay before a retry of a read; null for no retry. */
function retryDelay(error: ServiceError, attempt: number): number | null {
  const asked = error.retryAfterSeconds === null ? null : error.retryAfterSeconds * 1000;
  if (asked !== null && asked > MAX_WAIT_MS) return null;
  if (error.reason === 'RateLimited') return asked ?? MAX_WAIT_MS / 2;
  const lost =
    error.outcome === 'unknown' &&
    (error.status === null || error.status >= 500 || error.status === 429);
  return lost ? (asked ?? 100 * 2 ** attempt * (0.5 + Math.random())) : null;
}

function queryOf(parameters: object | undefined): string {
  const pairs = Object.entries(parameters ?? {}).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  const query = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
  return pairs.length === 0 ? '' : `?${query}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

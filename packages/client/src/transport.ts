import { encodePayload, KEY_HEADER, PAYLOAD_HEADER, SIGNATURE_HEADER, signPayload } from '@crypto-checkout/protocol/signature';
import { hmacWebCrypto } from '@crypto-checkout/protocol/signature-web';
import { errorFrom, ServiceError } from './error.ts';
import { type Lane, laneOf } from './lane.ts';
import { ServerTime } from './server-time.ts';

export interface ApiKey {
  key: string;
  secret: string;
  /** The key was created with `nonce_window`: its calls may be sent at the same time. Default false. */
  nonceWindow?: boolean;
}

export interface TransportOptions {
  /** The service's address; `request` of the signed payload is the path below it. */
  baseUrl: string;
  keys: readonly ApiKey[];
  fetch: typeof fetch;
  timeoutMs: number;
  /** How often a read is tried again when no definite answer came. */
  readRetries: number;
  now: () => number;
  nonce: () => bigint;
  delay: (ms: number) => Promise<void>;
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path with a slash at its end, ids encoded. */
  path: string;
  /** Sent in the signed payload; for GET in the query as well. */
  parameters?: object | undefined;
  signal?: AbortSignal | undefined;
}

/** A nonce that another process has overtaken is replaced by a fresh one so often. */
const NONCE_RETRIES = 3;
/** A read waits no longer than this for what `Retry-After` asks. */
const MAX_WAIT_MS = 2000;

/** Signs and sends calls, and tries again what is safe to try again. */
export class Transport {
  readonly time: ServerTime;
  readonly #options: TransportOptions;
  readonly #lanes: readonly { key: ApiKey; lane: Lane }[];

  constructor(options: TransportOptions) {
    this.#options = options;
    this.time = new ServerTime(options.now);
    this.#lanes = options.keys.map((key) => ({ key, lane: laneOf(options.baseUrl, key.key) }));
  }

  /**
   * The body of a successful answer.
   * @throws ServiceError
   */
  async send(call: Call): Promise<unknown> {
    for (let nonceRetries = 0, readRetries = 0; ;) {
      try {
        return await this.#sendOnce(call);
      } catch (error) {
        if (!(error instanceof ServiceError) || call.signal?.aborted) throw error;
        // Refused before anything was done: any call may be sent again.
        if (error.reason === 'InvalidNonce' && nonceRetries++ < NONCE_RETRIES) continue;
        const wait = call.method === 'GET' && readRetries < this.#options.readRetries ? waitFor(error, readRetries++) : null;
        if (wait === null) throw error;
        await this.#options.delay(wait);
      }
    }
  }

  #sendOnce(call: Call): Promise<unknown> {
    // The least busy key of the pool.
    const { key, lane } = this.#lanes.reduce((best, other) => (other.lane.pending < best.lane.pending ? other : best));
    return lane.run((nonce) => this.#fetch(call, key, nonce), this.#options.nonce, key.nonceWindow ?? false);
  }

  async #fetch(call: Call, { key, secret }: ApiKey, nonce: bigint): Promise<unknown> {
    const { method, path, parameters, signal } = call;
    const { baseUrl, now, timeoutMs } = this.#options;
    // `method` is not part of the specified payload; services that know it refuse the payload under another method.
    const payload = encodePayload({ ...parameters, request: path, method }, nonce);
    const signature = await signPayload(payload, secret, hmacWebCrypto);
    const timeout = AbortSignal.timeout(timeoutMs);
    const sentAt = now();
    try {
      signal?.throwIfAborted();
      const response = await this.#options.fetch(`${baseUrl}${path}${method === 'GET' ? queryOf(parameters) : ''}`, {
        method,
        headers: { [KEY_HEADER]: key, [PAYLOAD_HEADER]: payload, [SIGNATURE_HEADER]: signature, accept: 'application/json' },
        // Signed headers go nowhere else.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      this.time.observe(response.headers.get('date'), sentAt);
      const body = parse(await response.text());
      if (!response.ok) throw errorFrom(response.status, response.headers, body);
      if (body === undefined) throw new ServiceError('the service’s answer is not JSON', { status: response.status });
      return body;
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause;
      throw new ServiceError(signal?.aborted ? 'the call was given up' : lostMessage(timeout, timeoutMs), {}, { cause });
    }
  }
}

function lostMessage(timeout: AbortSignal, timeoutMs: number): string {
  return timeout.aborted ? `no answer within ${timeoutMs} ms` : 'the service could not be reached';
}

/** How long to wait before a read is tried again; null when that makes no sense. */
function waitFor(error: ServiceError, attempt: number): number | null {
  const asked = error.retryAfterSeconds === null ? null : error.retryAfterSeconds * 1000;
  if (asked !== null && asked > MAX_WAIT_MS) return null;
  if (error.reason === 'RateLimited') return asked ?? MAX_WAIT_MS / 2;
  const lost = error.outcome === 'unknown' && (error.status === null || error.status >= 500 || error.status === 429);
  return lost ? (asked ?? 100 * 2 ** attempt * (0.5 + Math.random())) : null;
}

function queryOf(parameters: object | undefined): string {
  const pairs = Object.entries(parameters ?? {}).filter(([, value]) => value !== undefined && value !== null);
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

import { Requester } from './requester.ts';
import { payments, type Payments } from './payments.ts';
import { refunds, type Refunds } from './refunds.ts';
import { resources, type Resources } from './resources.ts';
import { type ApiKey, Transport } from './transport.ts';

export interface ClientOptions {
  /** URL of the service. */
  baseUrl: string;
  key?: string;
  secret?: string;
  /** The key was created with `nonce_window`, so its calls may run in parallel. Default false. */
  nonceWindow?: boolean;
  /** A pool of keys instead of one; each call uses the least busy. */
  keys?: readonly ApiKey[];
  /** Default: the `fetch` of the platform. */
  fetch?: typeof fetch;
  /** Timeout of one attempt. Default 10,000. */
  timeoutMs?: number;
  /** Retries of a read without a definite response. Writes are never retried. Default 2. */
  readRetries?: number;
  /** Own clock, milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
  /**
   * Source of nonces. A nonce that is not greater than the last one is replaced by the next
   * integer. Default: nanoseconds since the epoch.
   */
  nonce?: () => bigint;
  /** Waits between attempts. Default `setTimeout`. */
  delay?: (ms: number) => Promise<void>;
}

export interface Client extends Payments, Refunds, Resources {
  /**
   * The service's time in milliseconds since the epoch, from the `Date` headers of its responses;
   * the own clock before the first response.
   */
  serverTime(): number;
}

/**
 * Creates a client of the payment service. It signs calls, and validates and types responses. It
 * runs on every platform with `fetch` and WebCrypto. Every method throws `ServiceError`.
 * @example
 * const client = createClient({baseUrl: 'https://gateway.example', key, secret});
 * const invoice = await client.invoices.create({
 *   profile_id, amount: '19.90', currency: 'EUR', kind: 'BTC',
 * });
 */
export function createClient(options: ClientOptions): Client {
  const transport = new Transport({
    baseUrl: parseBaseUrl(options.baseUrl),
    keys: requireKeys(options),
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs: options.timeoutMs ?? 10_000,
    readRetries: options.readRetries ?? 2,
    now: options.now ?? Date.now,
    nonce: options.nonce ?? (() => BigInt((options.now ?? Date.now)()) * 1_000_000n),
    delay: options.delay ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
  });
  const asker = new Requester(transport);
  return {
    ...payments(asker),
    ...refunds(asker),
    ...resources(asker),
    serverTime: () => transport.time.now(),
  };
}

function parseBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new TypeError(
      `baseUrl must be the http(s) URL of the payment service, such as https://gateway.example, not ${baseUrl}`,
    );
  return url.href.replace(/\/+$/, '');
}

function requireKeys({ key, secret, nonceWindow, keys }: ClientOptions): readonly ApiKey[] {
  const pool =
    keys ??
    (key && secret ? [{ key, secret, ...(nonceWindow !== undefined && { nonceWindow }) }] : []);
  if (pool.length === 0 || pool.some((each) => !each.key || !each.secret))
    throw new TypeError('createClient needs `key` and `secret`, or `keys`');
  return pool;
}

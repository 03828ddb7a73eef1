import { Asker } from './ask.ts';
import { payments, type Payments } from './payments.ts';
import { resources, type Resources } from './resources.ts';
import { type ApiKey, Transport } from './transport.ts';

export interface ClientOptions {
  /** The service's address. */
  baseUrl: string;
  key?: string;
  secret?: string;
  /** The key was created with `nonce_window`: its calls may be sent at the same time. Default false. */
  nonceWindow?: boolean;
  /** A pool of keys instead of one; each call takes the least busy. */
  keys?: readonly ApiKey[];
  /** Default the platform's. */
  fetch?: typeof fetch;
  /** How long one attempt may take. Default 10,000. */
  timeoutMs?: number;
  /** How often a read is tried again when no definite answer came. Writes never are. Default 2. */
  readRetries?: number;
  /** Own clock, milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
  /** Where nonces come from; one that is not greater than the last is replaced by the next integer. Default nanoseconds since the epoch. */
  nonce?: () => bigint;
  /** Waits between attempts. Default `setTimeout`. */
  delay?: (ms: number) => Promise<void>;
}

export interface Client extends Payments, Resources {
  /** The service's time, milliseconds since the epoch, from the `Date` headers of its answers; our own until one came. */
  serverTime(): number;
}

/**
 * A client of the payment service: calls are signed, answers are checked and typed. Runs wherever there are `fetch` and WebCrypto.
 * Every method throws `ServiceError`.
 * @example
 * const client = createClient({baseUrl: 'https://pay.example', key, secret});
 * const invoice = await client.invoices.create({profile_id, amount: '19.90', currency: 'EUR', kind: 'BTC'});
 */
export function createClient(options: ClientOptions): Client {
  const transport = new Transport({
    baseUrl: baseOf(options.baseUrl),
    keys: keysOf(options),
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs: options.timeoutMs ?? 10_000,
    readRetries: options.readRetries ?? 2,
    now: options.now ?? Date.now,
    nonce: options.nonce ?? (() => BigInt((options.now ?? Date.now)()) * 1_000_000n),
    delay: options.delay ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
  });
  const asker = new Asker(transport);
  return { ...payments(asker), ...resources(asker), serverTime: () => transport.time.now() };
}

function baseOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  if (!/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new TypeError(`baseUrl must be an http(s) address without query: ${baseUrl}`);
  return url.href.replace(/\/+$/, '');
}

function keysOf({ key, secret, nonceWindow, keys }: ClientOptions): readonly ApiKey[] {
  const pool = keys ?? (key && secret ? [{ key, secret, ...(nonceWindow !== undefined && { nonceWindow }) }] : []);
  if (pool.length === 0 || pool.some((each) => !each.key || !each.secret))
    throw new TypeError('createClient needs `key` and `secret`, or `keys`');
  return pool;
}

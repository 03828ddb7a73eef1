import { listOf, resultOf } from '@crypto-checkout/protocol/schema/answer';
import { confirmations } from '@crypto-checkout/protocol/schema/confirmations';
import { exchangeRate, type ExchangeRate } from '@crypto-checkout/protocol/schema/exchange-rate';
import { type CreateInvoice, invoice, type Invoice } from '@crypto-checkout/protocol/schema/invoice';
import {
  type CreatePayout,
  payout,
  type Payout,
  payoutEstimate,
  type PayoutEstimate,
  payoutResent,
  type PayoutResent,
} from '@crypto-checkout/protocol/schema/payout';
import { type Page, pageOf } from '@crypto-checkout/protocol/schema/pagination';
import { profile, type Profile } from '@crypto-checkout/protocol/schema/profile';
import { transaction, type Transaction } from '@crypto-checkout/protocol/schema/transaction';
import { wallet, type Wallet } from '@crypto-checkout/protocol/schema/wallet';
import { ServiceError } from './error.ts';
import { type ApiKey, type Call, Transport } from './transport.ts';

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

export interface CallOptions {
  signal?: AbortSignal;
}

/** §4.1. */
export interface InvoiceFilters {
  /** Page, from 1. */
  p?: number;
  txid?: string;
  address?: string;
  status?: 'new' | 'pending' | 'complete' | 'expired' | (string & {});
  profile_id?: string;
}

/** §4.2. */
export interface TransactionFilters {
  p?: number;
  txid?: string;
  address?: string;
  invoice_id?: string;
  profile_id?: string;
  /** UTC, `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SS`, inclusive. */
  date_from?: string;
  date_to?: string;
  risk_level?: 'no_risk' | 'low' | 'medium' | 'high' | 'critical' | 'null';
}

/** §4.3. */
export interface PayoutFilters {
  p?: number;
  txid?: string;
  /** Of a recipient. */
  address?: string;
  reference_id?: string;
  profile_id?: string;
  /** UTC, `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SS`, inclusive. */
  date_from?: string;
  date_to?: string;
}

export interface Client {
  invoices: {
    /** A write: when it fails with `outcome: 'unknown'`, the invoice may exist. */
    create(payload: CreateInvoice, options?: CallOptions): Promise<Invoice>;
    get(id: string, options?: CallOptions): Promise<Invoice>;
    list(filters?: InvoiceFilters, options?: CallOptions): Promise<Page<Invoice>>;
    /** Every invoice, page after page, newest first; one that moves between pages meanwhile comes once. */
    listAll(filters?: InvoiceFilters, options?: CallOptions): AsyncIterable<Invoice>;
    /** A new quote after expiry, or with `extend` one more period at the same rate. Not every service has it. */
    renew(id: string, payload?: { extend?: boolean }, options?: CallOptions): Promise<Invoice>;
  };
  transactions: {
    get(id: string, options?: CallOptions): Promise<Transaction>;
    list(filters?: TransactionFilters, options?: CallOptions): Promise<Page<Transaction>>;
    listAll(filters?: TransactionFilters, options?: CallOptions): AsyncIterable<Transaction>;
  };
  payouts: {
    /**
     * A write that moves money: when it fails with `outcome: 'unknown'`, the payout may exist and be sent. Give it a `reference_id`, and
     * the same call again gives the same payout.
     */
    create(payload: Omit<CreatePayout, 'estimate_only'>, options?: CallOptions): Promise<Payout>;
    /** All checks and the network fee, and nothing is sent. */
    estimate(payload: Omit<CreatePayout, 'estimate_only'>, options?: CallOptions): Promise<PayoutEstimate>;
    get(id: string, options?: CallOptions): Promise<Payout>;
    list(filters?: PayoutFilters, options?: CallOptions): Promise<Page<Payout>>;
    listAll(filters?: PayoutFilters, options?: CallOptions): AsyncIterable<Payout>;
    /** A draft is sent; the key needs the Approve permission. */
    approve(id: string, options?: CallOptions): Promise<Payout>;
    /** A draft ends. */
    reject(id: string, options?: CallOptions): Promise<Payout>;
    /** How deep payouts are, in the order of the ids. */
    confirmations(ids: readonly string[], options?: CallOptions): Promise<{ id: string; confirmations: number }[]>;
    /** The last callback, sent once more. */
    resendCallback(id: string, options?: CallOptions): Promise<PayoutResent>;
  };
  profiles: {
    get(id: string, options?: CallOptions): Promise<Profile>;
    list(options?: CallOptions): Promise<Profile[]>;
  };
  wallets: {
    get(id: string, options?: CallOptions): Promise<Wallet>;
    list(filters?: { profile_id?: string }, options?: CallOptions): Promise<Wallet[]>;
  };
  rates: {
    get(symbol: string, options?: CallOptions): Promise<ExchangeRate>;
    list(options?: CallOptions): Promise<ExchangeRate[]>;
  };
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
  const read = <T>(schema: Schema<T>, path: string, parameters?: object, call?: CallOptions) =>
    ask(transport, schema, { method: 'GET', path, parameters, signal: call?.signal });
  const write = <T>(schema: Schema<T>, path: string, parameters: object, call?: CallOptions) =>
    ask(transport, schema, { method: 'POST', path, parameters, signal: call?.signal });

  const decide = async (id: string, approve: boolean, call?: CallOptions) =>
    (await ask(transport, one.payout, { method: 'PUT', path: path('payouts', id), parameters: { approve }, signal: call?.signal })).result;

  const client: Client = {
    invoices: {
      create: async (payload, call) => (await write(one.invoice, '/v1/invoices/', payload, call)).result,
      get: async (id, call) => (await read(one.invoice, path('invoices', id), undefined, call)).result,
      list: (filters, call) => read(pages.invoice, '/v1/invoices/', filters, call),
      listAll: (filters, call) => all((p) => client.invoices.list({ ...filters, p }, call)),
      renew: async (id, payload = {}, call) => (await write(one.invoice, `${path('invoices', id)}renew/`, payload, call)).result,
    },
    transactions: {
      get: async (id, call) => (await read(one.transaction, path('transactions', id), undefined, call)).result,
      list: (filters, call) => read(pages.transaction, '/v1/transactions/', filters, call),
      listAll: (filters, call) => all((p) => client.transactions.list({ ...filters, p }, call)),
    },
    payouts: {
      create: async (payload, call) => (await write(one.payout, '/v1/payouts/', payload, call)).result,
      estimate: async (payload, call) => (await write(one.estimate, '/v1/payouts/', { ...payload, estimate_only: true }, call)).result,
      get: async (id, call) => (await read(one.payout, path('payouts', id), undefined, call)).result,
      list: (filters, call) => read(pages.payout, '/v1/payouts/', filters, call),
      listAll: (filters, call) => all((p) => client.payouts.list({ ...filters, p }, call)),
      approve: (id, call) => decide(id, true, call),
      reject: (id, call) => decide(id, false, call),
      confirmations: async (ids, call) => (await write(many.confirmations, '/v1/payouts/confirmations/', { id: ids }, call)).result,
      resendCallback: (id, call) => write(payoutResent, `${path('payouts', id)}resend-callback/`, {}, call),
    },
    profiles: {
      get: async (id, call) => (await read(one.profile, path('profiles', id), undefined, call)).result,
      list: async (call) => (await read(many.profile, '/v1/profiles/', undefined, call)).result,
    },
    wallets: {
      // The one read that answers the object itself (§4).
      get: async (id, call) => read(one.wallet, path('wallets', id), undefined, call),
      list: async (filters, call) => (await read(many.wallet, '/v1/wallets/', filters, call)).result,
    },
    rates: {
      get: async (symbol, call) => (await read(one.rate, path('exchange-rates', symbol), undefined, call)).result,
      list: async (call) => (await read(many.rate, '/v1/exchange-rates/', undefined, call)).result,
    },
    serverTime: () => transport.time.now(),
  };
  return client;
}

const one = {
  invoice: resultOf(invoice),
  transaction: resultOf(transaction),
  payout: resultOf(payout),
  estimate: resultOf(payoutEstimate),
  profile: resultOf(profile),
  wallet,
  rate: resultOf(exchangeRate),
};
const many = { confirmations: listOf(confirmations), profile: listOf(profile), wallet: listOf(wallet), rate: listOf(exchangeRate) };
const pages = { invoice: pageOf(invoice), transaction: pageOf(transaction), payout: pageOf(payout) };

/** What we need of a schema, whatever makes it. */
interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };
}

async function ask<T>(transport: Transport, schema: Schema<T>, call: Call): Promise<T> {
  const parsed = schema.safeParse(await transport.send(call));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const message = `the service’s answer to ${call.method} ${call.path} is not as specified: ${issue?.path.join('.')} ${issue?.message}`;
  throw new ServiceError(message, { status: 200 }, { cause: parsed.error });
}

async function* all<Item extends { id: string }>(list: (page: number) => Promise<Page<Item>>): AsyncGenerator<Item> {
  const seen = new Set<string>();
  for (let page: number | null = 1; page !== null;) {
    const { result, pagination }: Page<Item> = await list(page);
    for (const item of result) {
      if (!seen.has(item.id)) yield item;
      seen.add(item.id);
    }
    // A page that is not behind this one would go on for ever.
    page = pagination.next_page !== null && pagination.next_page > page ? pagination.next_page : null;
  }
}

function path(resource: string, id: string): string {
  // An empty id would read the list, and dots another path.
  if (id === '' || /^\.{1,2}$/.test(id)) throw new TypeError(`not an id: ${JSON.stringify(id)}`);
  return `/v1/${resource}/${encodeURIComponent(id)}/`;
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

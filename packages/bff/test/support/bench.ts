import { createHmac } from 'node:crypto';
import { type Bff, createBff } from '../../src/app.ts';
import type { ShopEvent } from '@crypto-checkout/protocol/shop-event';
import { shopEvent } from '@crypto-checkout/protocol/schema/shop-event';
import { nodeAbilities } from '../../src/host/abilities.ts';
import type { BffOptions } from '../../src/options.ts';
import { createMemoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/store.ts';
import {
  API_KEY,
  API_SECRET,
  CALLBACK_TOKEN,
  PROFILE_ID,
  SERVICE_URL,
  TestService,
} from './fake-service.ts';

export const ORDER_SECRET = 'order-secret-for-tests-0123456789';
export const SHOP_SECRET = 'shop-secret-for-tests-0123456789';
export const PUBLIC_URL = 'https://pay.test';
export const SHOP_ORIGIN = 'https://shop.test';
export const WEBHOOK_SECRET = `whsec_${Buffer.from('webhook-secret-for-tests-01234567').toString('base64')}`;

// oxlint-disable-next-line typescript/no-explicit-any -- answers are looked at piece by piece
export type Json = any;

export interface Bench {
  bff: Bff;
  service: TestService;
  store: Store;
  events: ShopEvent[];
  /** Outcome of the next deliveries to the shop: `false` rejects them. */
  shopAccepts: { value: boolean };
  clock: { now: number };
  options: BffOptions;
  /** Advances the own clock and the service's clock together. */
  advance(seconds: number): void;
  /** Starts a new process with the same store and service. */
  restart(changed?: Partial<BffOptions>): Bff;
  get(
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: Json }>;
  post(
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: Json }>;
  /** Delivers a callback. */
  call(
    event: string,
    id: string,
    options?: Parameters<TestService['callback']>[2],
  ): Promise<number>;
}

/** A BFF with a service in memory and a manual clock. */
export function setUp(changed: Partial<BffOptions> = {}): Bench {
  const service = new TestService();
  const clock = { now: service.time };
  const events: ShopEvent[] = [];
  const shopAccepts = { value: true };
  const store = changed.store ?? createMemoryStore();
  const options: BffOptions = {
    ...testOptions({ service, clock, events, shopAccepts }),
    store,
    ...changed,
  };
  const bench: Bench = {
    bff: createBff(options),
    service,
    store,
    events,
    shopAccepts,
    clock,
    options,
    advance(seconds) {
      clock.now += seconds * 1000;
      service.advance(seconds);
    },
    restart(more = {}) {
      bench.bff = createBff({ ...options, ...more });
      return bench.bff;
    },
    get: async (path, headers = {}) => read(await bench.bff.request(path, { headers })),
    post: async (path, body, headers = {}) =>
      read(
        await bench.bff.request(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      ),
    async call(event, id, more = {}) {
      return (await bench.bff.request(service.callback(event, id, { at: clock.now, ...more })))
        .status;
    },
  };
  return bench;
}

type Observed = Pick<Bench, 'service' | 'clock' | 'events' | 'shopAccepts'>;

/** The settings of the tests. Events of the shop's webhook go to the list. */
function testOptions({ service, clock, events, shopAccepts }: Observed): Omit<BffOptions, 'store'> {
  return {
    serviceUrl: SERVICE_URL,
    apiKey: API_KEY,
    apiSecret: API_SECRET,
    nonceWindow: true,
    callbackToken: CALLBACK_TOKEN,
    profileId: PROFILE_ID,
    orderSecret: ORDER_SECRET,
    shopSecret: SHOP_SECRET,
    publicUrl: PUBLIC_URL,
    merchantName: 'Test Shop',
    embedOrigins: [SHOP_ORIGIN],
    successOrigins: [SHOP_ORIGIN],
    rateLimit: { perSecond: 10_000, burst: 100_000 },
    fetch: service.fetch,
    serviceTimeoutMs: 150,
    now: () => clock.now,
    host: nodeAbilities,
    onEvent: async (event) => {
      if (!shopAccepts.value) throw new Error('the shop is away');
      // Its shape is the one that shops may check.
      shopEvent.parse(event);
      events.push(event);
    },
  };
}

/** An answer with its body, parsed if it is JSON. */
async function read(response: Response): Promise<{ status: number; headers: Headers; body: Json }> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: isJson(response) && text !== '' ? JSON.parse(text) : text,
  };
}

const isJson = (response: Response): boolean =>
  response.headers.get('content-type')?.includes('json') ?? false;

export interface Claims {
  order_id: string;
  amount: string;
  currency: string;
  exp: number;
  [name: string]: unknown;
}

/** A token as a shop creates it, without code of this repository. */
export function token(
  claims: Partial<Claims> = {},
  {
    secret = ORDER_SECRET,
    header = { alg: 'HS256', typ: 'JWT' },
  }: { secret?: string; header?: object } = {},
): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const all = {
    order_id: 'A-1',
    amount: '50',
    currency: 'USD',
    exp: Date.parse('2026-11-21T09:00:00Z') / 1000,
    ...claims,
  };
  const head = `${part(header)}.${part(all)}`;
  return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`;
}

/** Opens an order and returns its view. */
export async function open(bench: Bench, claims: Partial<Claims> = {}): Promise<Json> {
  const { status, body } = await bench.post('/checkouts', { order: token(claims) });
  if (status !== 201) throw new Error(`not opened: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Opens an order and chooses a coin. */
export async function choose(
  bench: Bench,
  kind = 'BTC',
  claims: Partial<Claims> = {},
): Promise<Json> {
  const { id } = await open(bench, claims);
  const { status, body } = await bench.post(`/checkouts/${id}/payment`, { kind });
  if (status !== 200) throw new Error(`not chosen: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Pays an order of 50 USD for which LTC was chosen with a half in LTC and one in BTC. */
export async function payHalves(bench: Bench, { id, payment: ltc }: Json): Promise<void> {
  const btc = (await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })).body.payment;
  for (const [{ invoice_id }, amount] of [
    [btc, '0.0005'],
    [ltc, '0.25'],
  ]) {
    const half = bench.service.pay(invoice_id, { amount, confirmations: 6 });
    await bench.call('transaction_complete', half.id);
  }
}

import type { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import type { Env } from '../http/env.ts';
import {
  call,
  testAccount,
  type TestAccount,
  type TestAnswer,
  testConfig,
} from '../../test/support/call.ts';
import { testShop, type ShownInvoice, type TestShop } from '../../test/support/shop.ts';

let shop: TestShop;
let app: Hono<Env>;
let account: TestAccount;
let first: ShownInvoice;
let second: ShownInvoice;
let txid: string;

beforeAll(async () => {
  const config = testConfig();
  shop = await testShop({ chains: ['bitcoin', 'xrp', 'ethereum'], overrides: { config } });
  account = await testAccount(shop.context);
  app = createApp(shop.context);
  first = await shop.create({ amount: undefined, passthrough: 'one' });
  second = await shop.create({ kind: 'XRP', currency: 'EUR' });
  txid = await shop.pay(first.id, { outputs: Array.from({ length: 27 }, () => '0.01') });
  await shop.mine('BTC');
  await shop.advance(600);
  await shop.pay(second.id);
  await shop.mine('XRP');
});
afterAll(() => shop.close());

const get = (query = '', members: Record<string, unknown> = {}): Promise<TestAnswer> =>
  call(app, account.api, 'GET', '/v1/transactions/', members, { query });
const countOf = async (query: string): Promise<number> => (await get(query)).body.pagination.count;

describe('GET /v1/transactions/', () => {
  it('lists 25 on a page, newest first', async () => {
    const { body } = await get();
    expect(body.pagination).toEqual({
      num_pages: 2,
      count: 28,
      page: 1,
      next_page: 2,
      previous_page: null,
      per_page: 25,
    });
    expect(body.result[0].kind).toBe('XRP');
    expect((await get('?p=2')).body.result).toHaveLength(3);
  });

  it('returns every transaction field', async () => {
    const [transaction] = (await get(`?invoice_id=${second.id}`)).body.result;
    expect(transaction).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: 'XRP',
      txid: expect.any(String),
      invoice: {
        id: second.id,
        kind: 'XRP',
        created_at: second.created_at,
        profile_id: shop.profileId,
        address: second.address,
        lightning: null,
        network: 'testnet',
        amount: {
          requested: { amount: '100', currency: 'EUR' },
          invoiced: { amount: '62.5', currency: 'XRP', rate_usd: '2' },
          paid: { amount: '62.5', currency: 'XRP' },
        },
        custom_fee: null,
        min_confirmations: 1,
        zero_conf_enabled: false,
        notes: null,
        passthrough: null,
      },
      amount: { paid: { amount: '62.5', currency: 'XRP', quotes: { USD: '125', EUR: '100' } } },
      currency_rates: { XRP: { USD: '2', EUR: '1.6' } },
      created_at: '2026-11-21T06:10:00.000000+00:00',
      executed_at: '2026-11-21T06:10:00.000000+00:00',
      confirmed_at: '2026-11-21T06:10:00.000000+00:00',
      confirmations: 1,
      status: 'complete',
      zero_conf_status: null,
      network: 'testnet',
      risk_level: null,
      risk_data: {},
      sub_kind: null,
    });
    const { body } = await call(app, account.api, 'GET', `/v1/transactions/${transaction.id}/`);
    expect(body).toEqual({ result: transaction });
    const risk = await call(app, account.api, 'GET', `/v1/transactions/${transaction.id}/risk/`);
    expect(risk.body).toEqual({ result: { id: transaction.id, kind: 'XRP', risk_data: {} } });
  });

  it.each([
    ['?txid=TXID', 27],
    ['?txid=none', 0],
    ['?address=FIRST', 27],
    ['?address=SECOND', 1],
    ['?address=none', 0],
    ['?invoice_id=FIRST_ID', 27],
    ['?invoice_id=none', 0],
    ['?profile_id=PROFILE', 28],
    ['?profile_id=00000000-0000-4000-8000-000000000000', 0],
    ['?date_from=2026-11-21', 28],
    ['?date_from=2026-11-22', 0],
    ['?date_to=2026-11-20', 0],
    ['?date_to=2026-11-21', 28],
    ['?date_from=2026-11-21T06:10:00', 1],
    ['?date_from=2026-11-21T06:10:01', 0],
    ['?date_to=2026-11-21T06:10:00', 28],
    ['?date_to=2026-11-21T06:09:59', 27],
    ['?date_from=2026-11-21T06:00:00&date_to=2026-11-21T06:00:00', 27],
    ['?date_from=0001-01-01&date_to=9999-12-31', 28],
    ['?date_to=9999-12-31T23:59:59', 28],
    ['?risk_level=null', 28],
    ['?risk_level=high', 0],
    ['?invoice_id=FIRST_ID&txid=none', 0],
  ])('filters %s', async (query, count) => {
    const values: Record<string, string | null> = {
      TXID: txid,
      FIRST_ID: first.id,
      SECOND: second.address,
      FIRST: first.address,
      PROFILE: shop.profileId,
    };
    const filled = query.replace(
      /=([A-Z_]+)(?=&|$)/g,
      (_, name: string) => `=${encodeURIComponent(values[name] ?? '')}`,
    );
    expect(await countOf(filled)).toBe(count);
  });

  it.each([
    ['date_from', '2026-13-01'],
    ['date_from', '2026-02-30'],
    ['date_from', '0000-01-01'],
    ['date_to', '0000-12-31'],
    ['date_from', '21.11.2026'],
    ['date_to', '2026-11-21T25:00:00'],
    ['date_to', '2026-11-21T06:00:00Z'],
    ['date_to', 'yesterday'],
    ['risk_level', 'awful'],
    ['p', '0'],
  ])('rejects %s %s', async (field, value) => {
    expect(await get(`?${field}=${value}`)).toMatchObject({
      status: 400,
      body: { reason: 'ValidationError', errors: [{ field }] },
    });
  });

  it('accepts filters in the payload', async () => {
    expect((await get('', { invoice_id: second.id })).body.pagination.count).toBe(1);
  });
});

describe('POST /v1/transactions/confirmations/', () => {
  const ask = (id: unknown): Promise<TestAnswer> =>
    call(app, account.api, 'POST', '/v1/transactions/confirmations/', { id });

  it('returns confirmations in the order of the request', async () => {
    await shop.mine('BTC', 2);
    const all = (await get()).body.result as { id: string; kind: string }[];
    const asked = [all[3]!, all[0]!, all[1]!];
    const { status, body } = await ask(asked.map(({ id }) => id));
    expect(status).toBe(200);
    expect(body).toEqual({
      result: asked.map(({ id, kind }) => ({ id, confirmations: kind === 'XRP' ? 1 : 3 })),
    });
  });

  it.each([undefined, [], 'x', [1], {}])('rejects %j', async (id) => {
    expect(await ask(id)).toMatchObject({ status: 400, body: { reason: 'ValidationError' } });
  });

  it.each(['x', '00000000-0000-4000-8000-000000000000'])(
    'answers 404 for the id %s',
    async (id) => {
      expect((await ask([id])).status).toBe(404);
    },
  );
});

describe('GET /v1/transactions/<ID>/', () => {
  it.each(['x', '00000000-0000-4000-8000-000000000000'])('answers 404 for %s', async (id) => {
    expect((await call(app, account.api, 'GET', `/v1/transactions/${id}/`)).status).toBe(404);
    expect((await call(app, account.api, 'GET', `/v1/transactions/${id}/risk/`)).status).toBe(404);
  });
});

it('finds hex ids of every chain in either case', async () => {
  for (const { txid: id } of (await get()).body.result as { txid: string }[])
    for (const text of [id.toLowerCase(), id.toUpperCase()])
      expect((await get(`?txid=${text}`)).body.result).toContainEqual(
        expect.objectContaining({ txid: id }),
      );
});

// Must be last: it adds a payment that the other tests do not expect.
it('finds an EVM hash in either case', async () => {
  const invoice = await shop.create({ kind: 'ETH' });
  const hash = await shop.pay(invoice.id);
  expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
  for (const text of [hash, hash.toUpperCase(), hash.toUpperCase().replace('0X', '0x')])
    expect((await get(`?txid=${text}`)).body.result).toMatchObject([
      { txid: hash, invoice: { id: invoice.id } },
    ]);
});

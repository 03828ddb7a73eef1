import type { Hono } from 'hono';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../account/create.ts';
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
const made: ShownInvoice[] = [];

beforeAll(async () => {
  const config = testConfig();
  shop = await testShop({
    chains: ['bitcoin', 'xrp', 'ethereum', 'liquid', 'ton'],
    overrides: { config },
  });
  account = await testAccount(shop.context);
  app = createApp(shop.context);
  for (let number = 0; number < 60; number += 1) {
    const price = number % 4 === 3 ? { amount: '0.001', currency: 'L-BTC' } : {};
    made.push(await shop.create({ kind: ['BTC', 'XRP', 'ETH', 'L-BTC'][number % 4], ...price }));
    shop.context.clock.advance(1);
  }
});
afterAll(() => shop.close());

const get = (query = '', members: Record<string, unknown> = {}): Promise<TestAnswer> =>
  call(app, account.api, 'GET', '/v1/invoices/', members, { query });
const idsOf = ({ body }: TestAnswer): string[] => body.result.map(({ id }: { id: string }) => id);

describe('POST /v1/invoices/', () => {
  it('answers 201 with the invoice', async () => {
    const { status, body } = await call(app, account.api, 'POST', '/v1/invoices/', {
      profile_id: shop.profileId,
      amount: '10',
      currency: 'USD',
      kind: 'BTC',
      passthrough: { order: 1, total: '1.10' },
    });
    expect(status).toBe(201);
    expect(body.result).toMatchObject({ status: 'new', passthrough: '{"order":1,"total":"1.10"}' });
    await shop.context.db
      .deleteFrom('deposit_target')
      .where('invoice_id', '=', body.result.id)
      .execute();
    await shop.context.db.deleteFrom('quote').where('invoice_id', '=', body.result.id).execute();
    await shop.context.db.deleteFrom('invoice').where('id', '=', body.result.id).execute();
  });

  it('answers 400 with reason, message and fields', async () => {
    const { status, body } = await call(app, account.api, 'POST', '/v1/invoices/', {
      profile_id: shop.profileId,
      kind: 'BTC',
      currency: 'XXX',
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      result: 'error',
      reason: 'ValidationError',
      errors: [{ field: 'currency' }],
      request_id: expect.any(String),
    });
  });

  it('answers 404 for an unknown or foreign profile', async () => {
    const { context } = shop;
    const { profiles } = await createAccount(context, {}, { name: 'Stranger' });
    const ask = (profile_id: string) =>
      call(app, account.api, 'POST', '/v1/invoices/', {
        profile_id,
        kind: 'BTC',
        currency: 'USD',
        amount: '10',
      });
    const count = async () =>
      (await sql`select count(*) as count from invoice`.execute(context.db)).rows;
    const before = await count();
    const [unknown, foreign] = [
      await ask('00000000-0000-4000-8000-000000000000'),
      await ask(profiles[0]!),
    ];
    for (const { status, body } of [unknown, foreign])
      expect([status, body.reason, body.errors[0].field]).toEqual([404, 'NotFound', 'profile_id']);
    expect(foreign.body.message).toBe(unknown.body.message);
    expect(await count()).toEqual(before);
  });

  it('answers 503 without a reason when there is no rate', async () => {
    const { status, body } = await call(app, account.api, 'POST', '/v1/invoices/', {
      profile_id: shop.profileId,
      kind: 'BTC',
      currency: 'KRW',
      amount: '1000',
    });
    expect(status).toBe(503);
    expect(body).not.toHaveProperty('reason');
  });
});

describe('GET /v1/invoices/<ID>/', () => {
  it('returns the invoice with its transactions', async () => {
    const { status, body } = await call(app, account.api, 'GET', `/v1/invoices/${made[0]!.id}/`);
    expect(status).toBe(200);
    expect(body).toEqual({ result: made[0] });
  });

  it.each(['00000000-0000-4000-8000-000000000000', 'x', '%00'])(
    'answers 404 for %s',
    async (id) => {
      expect(await call(app, account.api, 'GET', `/v1/invoices/${id}/`)).toMatchObject({
        status: 404,
        body: { reason: 'NotFound' },
      });
    },
  );
});

describe('GET /v1/invoices/', () => {
  it('lists 25 on a page, newest first, without transactions', async () => {
    const { body } = await get();
    expect(body.pagination).toEqual({
      num_pages: 3,
      count: 60,
      page: 1,
      next_page: 2,
      previous_page: null,
      per_page: 25,
    });
    const newest = made.toReversed().map(({ id }) => id);
    expect(idsOf({ body } as TestAnswer)).toEqual(newest.slice(0, 25));
    expect(body.result[0]).not.toHaveProperty('transactions');
    expect(idsOf(await get('?p=3'))).toEqual(newest.slice(50));
    expect(idsOf(await get('', { p: 2 }))).toEqual(newest.slice(25, 50));
    expect((await get('?p=9')).body).toMatchObject({
      result: [],
      pagination: { page: 9, next_page: null, previous_page: 3 },
    });
  });

  it.each(['0', '-1', 'x', '1.5', '99999999999'])('rejects the page %s', async (p) => {
    expect(await get(`?p=${p}`)).toMatchObject({
      status: 400,
      body: { reason: 'ValidationError', errors: [{ field: 'p' }] },
    });
  });

  it('finds an address in each of its forms', async () => {
    for (const invoice of made.slice(0, 8)) {
      const { address, x_address, public_address } = invoice as ShownInvoice & {
        x_address?: string;
        public_address?: string;
      };
      const forms = [
        address,
        x_address,
        public_address,
        // BIP173: QR codes hold these in upper case.
        ...(/^(tb|tltc|tlq)1/.test(address ?? '') ? [address?.toUpperCase()] : []),
        ...(address?.startsWith('0x')
          ? [address.toLowerCase(), address.toUpperCase().replace('0X', '0x')]
          : []),
      ];
      for (const form of forms) {
        if (form)
          expect(idsOf(await get(`?address=${encodeURIComponent(form)}`)), form).toEqual([
            invoice.id,
          ]);
      }
    }
    const ton = await shop.create({ kind: 'TON' });
    const bytes = Buffer.from(ton.address!, 'base64url');
    const raw = `0:${bytes.subarray(2, 34).toString('hex')}`;
    for (const form of [ton.address!, bytes.toString('base64'), raw, raw.toUpperCase()])
      expect(idsOf(await get(`?address=${encodeURIComponent(form)}`)), form).toEqual([ton.id]);
    await shop.context.db.deleteFrom('deposit_target').where('invoice_id', '=', ton.id).execute();
    await shop.context.db.deleteFrom('quote').where('invoice_id', '=', ton.id).execute();
    await shop.context.db.deleteFrom('invoice').where('id', '=', ton.id).execute();
    expect(idsOf(await get('?address=nobody'))).toEqual([]);
    expect(idsOf(await get('', { address: 'a\0b' }))).toEqual([]);
  });

  it('filters by status, including paid', async () => {
    const [one, two] = [made[0]!, made[4]!];
    const txid = await shop.pay(one.id);
    expect(idsOf(await get('?status=pending'))).toEqual([one.id]);
    await shop.mine('BTC');
    expect(idsOf(await get('?status=paid'))).toEqual([one.id]);
    await shop.pay(two.id);
    await shop.mine('BTC', 6);
    expect(idsOf(await get('?status=complete'))).toEqual([two.id, one.id]);
    expect((await get('?status=new')).body.pagination.count).toBe(58);
    for (const text of [txid, txid.toUpperCase()])
      expect(idsOf(await get(`?txid=${text}`))).toEqual([one.id]);
    expect(idsOf(await get(`?txid=${txid}&status=new`))).toEqual([]);
    expect(await get('?status=done')).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'status' }] },
    });
  });

  it('filters by profile', async () => {
    expect((await get(`?profile_id=${shop.profileId}`)).body.pagination.count).toBe(60);
    expect(idsOf(await get('?profile_id=00000000-0000-4000-8000-000000000000'))).toEqual([]);
    expect(idsOf(await get('?profile_id=x'))).toEqual([]);
  });

  it("filters by the order's id, in this account alone", async () => {
    const { id } = made[7]!;
    await shop.context.db
      .updateTable('invoice')
      .set({ order_id: 'A-1042/ü' })
      .where('id', '=', id)
      .execute();
    const { body } = await get(`?order_id=${encodeURIComponent('A-1042/ü')}`);
    expect(body.result.map((one: { order_id: string }) => one.order_id)).toEqual(['A-1042/ü']);
    for (const other of ['A-1042', 'a-1042/ü'])
      expect(idsOf(await get(`?order_id=${encodeURIComponent(other)}`)), other).toEqual([]);
  });

  it('accepts filters in the payload and rejects conflicting values', async () => {
    const { address } = made[1]!;
    expect(idsOf(await get('', { address }))).toEqual([made[1]!.id]);
    expect(idsOf(await get(`?address=${encodeURIComponent(address ?? '')}`, { address }))).toEqual([
      made[1]!.id,
    ]);
    expect((await get('?address=x', { address })).status).toBe(400);
  });

  it('ignores a slash after the query, where the signed request has it too', async () => {
    const signed = (query: string): Promise<TestAnswer> =>
      get(query, { request: `/v1/invoices/${query}` });
    expect((await signed('?status=new/')).body.pagination.count).toBe(58);
    expect((await signed('?p=2&status=new/')).body.pagination).toMatchObject({
      page: 2,
      count: 58,
    });
    expect((await signed('?status=new&p=2/')).body.pagination).toMatchObject({
      page: 2,
      count: 58,
    });
    expect((await signed(`?profile_id=${shop.profileId}/`)).body.pagination.count).toBe(60);
    for (const refused of ['?status=new//', '?status=new/&p=1', '?status=new/&x=1/'])
      expect((await signed(refused)).status, refused).toBe(400);
    expect((await get('?status=new/')).status).toBe(400);
  });

  it('returns nothing to another account', async () => {
    const stranger = shop.context.ids.uuid();
    await sql`insert into account (id, name, is_testnet, callback_token_sealed, created_at) values (${stranger}, 's', true, 'x', now())`.execute(
      shop.context.db,
    );
    await sql`update api_key set account_id = ${stranger} where id = ${account.bff_key_id}`.execute(
      shop.context.db,
    );
    expect((await call(app, account.bff, 'GET', '/v1/invoices/')).body.result).toEqual([]);
    expect((await call(app, account.bff, 'GET', `/v1/invoices/${made[0]!.id}/`)).status).toBe(404);
    expect(
      (await call(app, account.bff, 'POST', `/v1/invoices/${made[0]!.id}/renew/`)).status,
    ).toBe(404);
    expect((await call(app, account.bff, 'GET', '/v1/transactions/')).body.result).toEqual([]);
    const create = { profile_id: shop.profileId, amount: '1', currency: 'USD', kind: 'BTC' };
    expect((await call(app, account.bff, 'POST', '/v1/invoices/', create)).status).toBe(404);
  });
});

describe('POST /v1/invoices/<ID>/renew/', () => {
  it('returns the invoice with its new price, or 409', async () => {
    const path = `/v1/invoices/${made[8]!.id}/renew/`;
    expect(await call(app, account.api, 'POST', path)).toMatchObject({
      status: 409,
      body: { reason: 'InvalidState' },
    });
    expect(await call(app, account.api, 'POST', path, { extend: true })).toMatchObject({
      status: 200,
      body: { result: { status: 'new' } },
    });
  });
});

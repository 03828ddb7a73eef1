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
import {
  requireBooks,
  testShop,
  type ShownTransaction,
  type TestShop,
} from '../../test/support/shop.ts';

let shop: TestShop;
let app: Hono<Env>;
let account: TestAccount;
/** One transaction per status. */
const transactions: Record<string, ShownTransaction> = {};
/** A transaction of another account. */
let foreign: string;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const PATH = '/v1/transactions/';

beforeAll(async () => {
  const config = testConfig();
  shop = await testShop({ chains: ['bitcoin', 'xrp'], overrides: { config } });
  account = await testAccount(shop.context);
  app = createApp(shop.context);
  const paid = async (how: Parameters<TestShop['pay']>[1] = {}, kind = 'BTC') => {
    const invoice = await shop.create({ kind });
    return { invoice, txid: await shop.pay(invoice.id, how) };
  };
  const complete = await paid({ risk: 'low' });
  await shop.mine('BTC', 6);
  const confirmed = await paid({ risk: 'medium' });
  await shop.mine('BTC');
  const pending = await paid({ risk: 'no_risk' });
  const quarantined = await paid({ risk: 'critical' });
  const replaced = await paid();
  await shop.replace(replaced.txid);
  const failed = await paid();
  await shop.fail(failed.txid);
  for (const [status, { invoice }] of Object.entries({
    complete,
    confirmed,
    pending,
    quarantined,
    replaced,
    failed,
  }))
    transactions[status] = (await shop.transactions(invoice.id))[0]!;
  foreign = await strange((await paid({ risk: 'high' }, 'XRP')).invoice.id);
});
afterAll(() => shop.close());

const send = (
  method: string,
  path = '',
  members: Record<string, unknown> = {},
  query = '',
): Promise<TestAnswer> => call(app, account.api, method, PATH + path, members, { query });
const idOf = (status: string): string => transactions[status]!.id;

describe('GET /v1/transactions/ by risk', () => {
  it.each([
    ['no_risk', ['pending']],
    ['low', ['complete']],
    ['medium', ['confirmed']],
    ['high', []],
    ['critical', ['quarantined']],
    ['null', ['failed', 'replaced']],
  ])('filters by level %s', async (level, statuses) => {
    for (const { body } of [
      await send('GET', '', {}, `?risk_level=${level}`),
      await send('GET', '', { risk_level: level }),
    ]) {
      expect(body.result.map(({ status }: ShownTransaction) => status)).toEqual(statuses);
      expect(body.pagination.count).toBe(statuses.length);
    }
  });

  it.each(['High', 'none', 'no risk', 'low,high', '0', 'undefined', '\u{1f4b8}', '%00', "'"])(
    'rejects the level %s',
    async (level) => {
      const { status, body } = await send(
        'GET',
        '',
        {},
        `?risk_level=${level.startsWith('%') ? level : encodeURIComponent(level)}`,
      );
      expect([status, body.reason, body.errors]).toEqual([
        400,
        'ValidationError',
        [
          {
            field: 'risk_level',
            message: 'must be one of no_risk, low, medium, high, critical, null',
          },
        ],
      ]);
    },
  );

  it('rejects two levels and a non-string level', async () => {
    expect(await send('GET', '', { risk_level: 'low' }, '?risk_level=high')).toMatchObject({
      status: 400,
      body: { reason: 'ValidationError' },
    });
    expect(await send('GET', '', { risk_level: ['low'] })).toMatchObject({
      status: 400,
      body: { reason: 'ValidationError' },
    });
  });
});

describe('GET /v1/transactions/<ID>/risk/', () => {
  it('returns exactly id, kind and risk data', async () => {
    expect(await send('GET', `${idOf('quarantined')}/risk/`)).toMatchObject({ status: 200 });
    expect((await send('GET', `${idOf('quarantined')}/risk/`)).body).toEqual({
      result: { id: idOf('quarantined'), kind: 'BTC', risk_data: { source: 'sandbox' } },
    });
    expect((await send('GET', `${idOf('failed')}/risk/`)).body).toEqual({
      result: { id: idOf('failed'), kind: 'BTC', risk_data: {} },
    });
  });
});

describe('unknown and foreign ids', () => {
  const members = { approve: true, id: UNKNOWN };
  it.each([
    ['GET', ''],
    ['GET', 'risk/'],
    ['POST', 'quarantine/'],
    ['POST', 'release/'],
    ['POST', 'resend-callback/'],
  ])('answer the same 404 for %s <ID>/%s', async (method, path) => {
    const upper = idOf('pending').toUpperCase();
    const without = idOf('pending').replaceAll('-', '');
    for (const id of [
      'x',
      UNKNOWN,
      foreign,
      upper,
      without,
      `${idOf('pending')}0`,
      '%00',
      '%F0%9F%92%B8',
      "';--",
    ]) {
      const answer = await call(app, account.api, method, `${PATH}${id}/${path}`, members);
      expect([id, answer.status, answer.body.reason]).toEqual([id, 404, 'NotFound']);
    }
    await requireBooks(shop.context);
  });
});

describe('POST /v1/transactions/<ID>/quarantine/ and /release/', () => {
  it.each([
    ['complete', 'quarantine', 'is complete'],
    ['replaced', 'quarantine', 'is replaced'],
    ['failed', 'quarantine', 'is failed'],
    ['quarantined', 'quarantine', 'is already held'],
    ['complete', 'release', 'is not held'],
    ['confirmed', 'release', 'is not held'],
    ['pending', 'release', 'is not held'],
    ['replaced', 'release', 'is not held'],
    ['failed', 'release', 'is not held'],
  ])('for a %s transaction, rejects %s and changes nothing', async (status, verb, message) => {
    const refused = {
      status: 409,
      body: { reason: 'InvalidState', message: expect.stringContaining(message) },
    };
    expect(await send('POST', `${idOf(status)}/${verb}/`)).toMatchObject(refused);
    expect((await send('GET', `${idOf(status)}/`)).body.result).toEqual(transactions[status]);
  });

  it('holds and releases, records the caller and ignores answer-only fields', async () => {
    const id = idOf('confirmed');
    const held = await send('POST', `${id}/quarantine/`, {
      status: 'complete',
      risk_level: 'low',
      amount: '1',
    });
    expect(held).toMatchObject({
      status: 200,
      body: { result: { id, status: 'quarantined', risk_level: 'medium', confirmed_at: null } },
    });
    expect((await send('GET', `${id}/`)).body).toEqual(held.body);
    expect((await send('POST', `${id}/quarantine/`)).status).toBe(409);
    await requireBooks(shop.context);
    const row = () =>
      shop.context.db
        .selectFrom('transaction')
        .select(['quarantined_by', 'released_by'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    expect(await row()).toEqual({ quarantined_by: 'API', released_by: null });
    expect(await send('POST', `${id}/release/`)).toMatchObject({
      status: 200,
      body: { result: { status: 'confirmed' } },
    });
    expect(await row()).toEqual({ quarantined_by: 'API', released_by: 'API' });
    expect((await send('POST', `${id}/release/`)).status).toBe(409);
    await requireBooks(shop.context);
  });

  it('requires transactions:write', async () => {
    const [hold, release] = [
      `${PATH}${idOf('pending')}/quarantine/`,
      `${PATH}${idOf('quarantined')}/release/`,
    ];
    for (const path of [hold, release])
      expect(await call(app, account.bff, 'POST', path)).toMatchObject({
        status: 403,
        body: { reason: 'PermissionDenied' },
      });
    expect((await send('GET', `${idOf('quarantined')}/`)).body.result).toEqual(
      transactions['quarantined'],
    );
  });

  it('rejects GET, PUT and DELETE', async () => {
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect(await send(method, `${idOf('pending')}/quarantine/`)).toMatchObject({
        status: 405,
        body: { reason: 'MethodNotAllowed' },
      });
  });
});

/** Moves an invoice's transaction to another account. @returns its id */
async function strange(invoiceId: string): Promise<string> {
  const { db, ids, clock } = shop.context;
  const [{ id }] = (await shop.transactions(invoiceId)) as [ShownTransaction];
  const other = ids.uuid();
  const created_at = new Date(clock.now()).toISOString();
  await db
    .insertInto('account')
    .values({ id: other, name: 'Other', is_testnet: true, callback_token_sealed: '', created_at })
    .execute();
  await db.updateTable('transaction').set({ account_id: other }).where('id', '=', id).execute();
  return id;
}

import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Hono } from 'hono';
import { payInvoice } from '../sandbox/pay.ts';
import { settle } from '../worker/settle.ts';
import { timestamp } from '../database/database.ts';
import { createApp } from '../app.ts';
import type { Env } from '../http/env.ts';
import {
  call,
  testAccount,
  type TestAccount,
  type TestAnswer,
  testConfig,
} from '../../test/support/call.ts';
import { testShop, type TestShop } from '../../test/support/shop.ts';
import { getCallback, listCallbacks } from './list.ts';
import { resendCallbackById } from './resend.ts';

const URL_NOW = 'https://shop.example/now';
const UNKNOWN = '7f1f2b3c-0000-4000-8000-000000000000';

let shop: TestShop;
let app: Hono<Env>;
let account: TestAccount;
let answer: () => Response | Promise<Response>;
let seen: { url: string; id: string; body: string }[];

beforeAll(async () => {
  const outbound = (async (url: string, init: RequestInit) => {
    seen.push({ url, id: new Headers(init.headers).get('webhook-id')!, body: init.body as string });
    return answer();
  }) as unknown as typeof fetch;
  const config = testConfig({ LOG_LEVEL: 'silent' });
  shop = await testShop({ chains: ['bitcoin'], overrides: { outbound, config } });
  account = await testAccount(shop.context);
  app = createApp(shop.context);
});
afterAll(() => shop.close());
beforeEach(async () => {
  seen = [];
  answer = () => new Response('thanks', { headers: { 'x-receiver': 'ours' } });
  await setUrl(URL_NOW);
});
afterEach(() => sql`delete from callback_delivery`.execute(shop.context.db));

const setUrl = (url: string | null) =>
  shop.context.db
    .updateTable('profile')
    .set({ callback_url: url })
    .where('id', '=', shop.profileId)
    .execute();
const resend = (resource: string, id: string): Promise<TestAnswer> =>
  call(app, account.api, 'POST', `/v1/${resource}/${id}/resend-callback/`);

/** A paid invoice or its transaction, with the events `…_pending` and `…_confirmed`. */
async function paid(resource: string): Promise<string> {
  const invoice = await shop.create();
  await shop.pay(invoice.id);
  await shop.mine('BTC');
  return resource === 'invoices' ? invoice.id : (await shop.transactions(invoice.id))[0]!.id;
}

describe.each(['transactions', 'invoices'])('the last callback of %s', (resource) => {
  it('is resent with the same id and body, to the profile’s present URL', async () => {
    const id = await paid(resource);
    const first = await resend(resource, id);
    const second = await resend(resource, id);
    const sent = {
      status: 'success',
      message: expect.any(String),
      callback_response: { status_code: 200, url: URL_NOW },
    };
    expect([first.status, first.body, second.body]).toEqual([200, sent, sent]);
    const { rows, count } = await listCallbacks(shop.context.db, shop.accountId, {
      resourceId: id,
    });
    const last = rows.find(({ event }) => event.endsWith('_confirmed'))!;
    expect(count).toBe(2);
    expect(last).toMatchObject({
      state: 'delivered',
      attempts: 0,
      resends: 2,
      last_status_code: 200,
    });
    const { body } = (await getCallback(shop.context.db, shop.accountId, last.id))!;
    expect(seen).toEqual([
      { url: URL_NOW, id: last.id, body },
      { url: URL_NOW, id: last.id, body },
    ]);
    expect(JSON.parse(body)).toMatchObject({ callback_id: last.id, result: { id } });
  });

  it('that is refused or not answered is callback_failed', async () => {
    const id = await paid(resource);
    const failed = (status_code: number | null) => ({
      status: 'error',
      message: expect.any(String),
      error: 'callback_failed',
      callback_response: { status_code, url: URL_NOW },
    });
    answer = () => new Response('no', { status: 500 });
    expect((await resend(resource, id)).body).toEqual(failed(500));
    answer = () =>
      new Response(null, { status: 302, headers: { location: 'https://elsewhere.example/' } });
    expect((await resend(resource, id)).body).toEqual(failed(302));
    answer = () => Promise.reject(new Error('no route'));
    expect((await resend(resource, id)).body).toEqual(failed(null));
    const { rows } = await listCallbacks(shop.context.db, shop.accountId, {
      resourceId: id,
      state: 'pending',
    });
    expect(rows.find(({ event }) => event.endsWith('_confirmed'))).toMatchObject({
      attempts: 0,
      resends: 3,
      last_error: 'no route',
    });
  });

  it('without a callback URL, or without the profile, is no_profile_or_callback_url', async () => {
    const id = await paid(resource);
    await setUrl(null);
    const none = {
      status: 'error',
      message: expect.any(String),
      error: 'no_profile_or_callback_url',
      callback_response: null,
    };
    expect((await resend(resource, id)).body).toEqual(none);
    const view = resource === 'invoices' ? 'invoice' : 'transaction';
    await sql`update ${sql.table(view)} set profile_id = ${UNKNOWN} where id = ${id}`.execute(
      shop.context.db,
    );
    await sql`update callback set profile_id = ${UNKNOWN} where resource_id = ${id}`.execute(
      shop.context.db,
    );
    await setUrl(URL_NOW);
    expect((await resend(resource, id)).body).toEqual(none);
    await sql`update ${sql.table(view)} set profile_id = ${shop.profileId} where id = ${id}`.execute(
      shop.context.db,
    );
    expect(seen).toEqual([]);
  });

  it('that fails on our side is exception_occurred', async () => {
    const id = await paid(resource);
    const { db } = shop.context;
    await sql`alter table callback_delivery add constraint broken check (attempt < 0)`.execute(db);
    const { status, body } = await resend(resource, id);
    await sql`alter table callback_delivery drop constraint broken`.execute(db);
    expect([status, body]).toEqual([
      200,
      {
        status: 'error',
        message: expect.any(String),
        error: 'exception_occurred',
        callback_response: null,
      },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/constraint|broken/);
  });

  it('is 404 for another account, and needs the permission', async () => {
    const id = await paid(resource);
    for (const unknown of [UNKNOWN, 'x', '%00', id.toUpperCase(), id.slice(1), `${id}0`]) {
      const { status, body } = await resend(resource, unknown);
      expect([unknown, status, body.reason]).toEqual([unknown, 404, 'NotFound']);
    }
    const { db, clock, ids } = shop.context;
    const theirs = ids.uuid();
    const at = timestamp(clock.now());
    await db
      .insertInto('account')
      .values({
        id: theirs,
        name: 'B',
        is_testnet: true,
        callback_token_sealed: 'x',
        created_at: at,
      })
      .execute();
    await sql`update api_key set account_id = ${theirs} where api_key = ${account.api.key}`.execute(
      db,
    );
    const foreign = await resend(resource, id);
    await sql`update api_key set account_id = ${shop.accountId} where api_key = ${account.api.key}`.execute(
      db,
    );
    expect([foreign.status, foreign.body.reason]).toEqual([404, 'NotFound']);
    const forbidden = await call(
      app,
      account.approve,
      'POST',
      `/v1/${resource}/${id}/resend-callback/`,
    );
    expect([forbidden.status, forbidden.body.reason]).toEqual([403, 'PermissionDenied']);
    expect(seen).toEqual([]);
  });

  it('of a resource without events is pending', async () => {
    if (resource === 'transactions') return;
    const { id } = await shop.create();
    expect((await resend(resource, id)).body).toEqual({
      status: 'pending',
      message: expect.any(String),
      callback_response: null,
    });
  });
});

describe('a callback by its id', () => {
  it('is resent, also after its final failure, and lists all deliveries', async () => {
    const { context, accountId } = shop;
    const id = await paid('invoices');
    const { rows } = await listCallbacks(context.db, accountId, {
      resource: 'invoice',
      resourceId: id,
    });
    const [callback] = rows;
    await context.db
      .updateTable('callback')
      .set({ state: 'failed' })
      .where('id', '=', callback!.id)
      .execute();
    expect(
      (await listCallbacks(context.db, null, { state: 'failed' })).rows.map((row) => row.id),
    ).toEqual([callback!.id]);
    answer = () => new Response('\0no', { status: 503 });
    expect(await resendCallbackById(context, accountId, callback!.id)).toMatchObject({
      status: 'error',
      error: 'callback_failed',
    });
    context.clock.advance(1_000);
    answer = () => new Response('x'.repeat(70_000), { headers: { 'x-receiver': 'ours' } });
    expect(await resendCallbackById(context, null, callback!.id)).toMatchObject({
      status: 'success',
    });
    const shown = (await getCallback(context.db, accountId, callback!.id))!;
    expect(shown).toMatchObject({ state: 'delivered', resends: 2 });
    expect(shown.deliveries).toMatchObject([
      { attempt: 1, resend: true, url: URL_NOW, status_code: 503, answer: '\uFFFDno' },
      {
        attempt: 2,
        resend: true,
        url: URL_NOW,
        status_code: 200,
        answer_headers: { 'x-receiver': 'ours' },
      },
    ]);
    expect(shown.deliveries[1]!.answer).toHaveLength(65_536);
    expect(shown.deliveries[0]!.request_headers).toMatchObject({
      'webhook-id': callback!.id,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(shown.body)),
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
  });

  it('is 404 for other accounts', async () => {
    const { context, accountId } = shop;
    const { rows } = await listCallbacks(context.db, accountId);
    await expect(resendCallbackById(context, UNKNOWN, rows[0]!.id)).rejects.toMatchObject({
      reason: 'NotFound',
    });
    await expect(resendCallbackById(context, accountId, 'x')).rejects.toMatchObject({
      reason: 'NotFound',
    });
    expect(await getCallback(context.db, UNKNOWN, rows[0]!.id)).toBeNull();
    expect(await getCallback(context.db, accountId, 'x')).toBeNull();
    expect(await listCallbacks(context.db, UNKNOWN)).toEqual({ rows: [], count: 0 });
    expect(await listCallbacks(context.db, accountId, { resourceId: 'x' })).toEqual({
      rows: [],
      count: 0,
    });
    expect((await listCallbacks(context.db, accountId, { page: 900 })).rows).toEqual([]);
  });
});

// Runs last: the books of a test shop expect a callback for every event.
it('an event older than the callback URL is queued on request, and then stays the same', async () => {
  const { context, world } = shop;
  const invoice = await shop.create();
  await setUrl(null);
  await payInvoice(context, world, { invoiceId: invoice.id });
  await settle(context);
  await setUrl(URL_NOW);
  expect((await listCallbacks(context.db, null, { resourceId: invoice.id })).count).toBe(0);
  for (let turn = 0; turn < 2; turn += 1)
    expect((await resend('invoices', invoice.id)).body).toMatchObject({ status: 'success' });
  const { rows } = await listCallbacks(context.db, null, { resourceId: invoice.id });
  expect(rows).toMatchObject([{ event: 'invoice_pending', state: 'delivered', resends: 2 }]);
  expect(seen.map(({ id }) => id)).toEqual([rows[0]!.id, rows[0]!.id]);
  expect(JSON.parse(seen[0]!.body)).toMatchObject({
    callback_status: 'invoice_pending',
    invoice: { id: invoice.id, status: 'pending' },
  });
});

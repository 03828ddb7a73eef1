import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { parseAddress } from '@crypto-checkout/chains/deposit-target';
import { xAddress } from '@crypto-checkout/chains/xrp/address';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import { lightningTarget } from '@crypto-checkout/chains/lightning/payment-request';
import { sentBody } from '../callback/stored-body.ts';
import { PERMISSIONS } from '../account/keys/permission.ts';
import { payout as payoutSchema } from '@crypto-checkout/protocol/schema/payout';
import { sql } from 'kysely';
import { createApp } from '../app.ts';
import {
  call,
  testAccount,
  type TestAccount,
  type TestAnswer,
  type TestKey,
  testConfig,
} from '../../test/support/call.ts';
import { timestamp } from '../database/database.ts';
import {
  ADDRESS,
  payoutShop,
  requirePayoutBooks,
  type PayoutShop,
} from '../../test/support/payouts.ts';

let shop: PayoutShop;
let app: ReturnType<typeof createApp>;
let account: TestAccount;
beforeAll(async () => {
  const config = testConfig({ LOG_LEVEL: 'silent' });
  shop = await payoutShop({ overrides: { config } });
  app = createApp(shop.context);
  account = await testAccount(shop.context);
  await shop.fund('BTC', '10');
  await shop.fund('ETH', '10');
});
afterAll(() => shop.close());

const recipients = [{ amount: '0.01', currency: 'BTC', address: ADDRESS.BTC }];
const create = (key: TestKey, more: object = {}): Promise<TestAnswer> =>
  call(app, key, 'POST', '/v1/payouts/', {
    kind: 'BTC',
    profile_id: shop.profileId,
    recipients,
    ...more,
  });
const put = (key: TestKey, id: string, approve: unknown): Promise<TestAnswer> =>
  call(app, key, 'PUT', `/v1/payouts/${id}/`, { approve });
const get = (key: TestKey, path: string, members = {}, query = ''): Promise<TestAnswer> =>
  call(app, key, 'GET', path, members, { query });

/** Creates a key of the account. */
async function key(
  permissions: readonly string[],
  maxPayout: string | null = null,
  name = 'a key',
): Promise<TestKey> {
  const { db, ids, secrets, clock } = shop.context;
  const id = ids.uuid();
  const made = {
    key: `ck_${randomBytes(8).toString('hex')}`,
    secret: `cs_${randomBytes(8).toString('hex')}`,
  };
  const at = timestamp(clock.now());
  await db
    .insertInto('api_key')
    .values({
      account_id: shop.accountId,
      id,
      api_key: made.key,
      secret_sealed: secrets.seal(made.secret, id),
      name,
      created_by: 'test',
      created_at: at,
      updated_at: at,
      permissions: [...permissions],
      nonce_window: true,
      max_payout: maxPayout,
    })
    .execute();
  return made;
}

const everything = () =>
  sql`select id, status, hold, version from payout order by id`
    .execute(shop.context.db)
    .then(({ rows }) => rows);

describe('POST /v1/payouts/', () => {
  it('answers 201 with the payout that a GET returns', async () => {
    const { status, body } = await create(account.api, { reference_id: 'one' });
    expect(status).toBe(201);
    expect(payoutSchema.safeParse(body.result).error).toBeUndefined();
    expect((await get(account.api, `/v1/payouts/${body.result.id}/`)).body).toEqual(body);
    const repeated = await create(account.api, { reference_id: 'one' });
    expect([repeated.status, repeated.body]).toEqual([200, body]);
    const other = await create(account.api, { reference_id: 'one', network_fee_preset: 'high' });
    expect([other.status, other.body.reason]).toEqual([409, 'DuplicateReference']);
  });

  it('answers 200 with an estimate', async () => {
    const { status, body } = await create(account.api, { estimate_only: true });
    expect([status, body.result.id, body.result.amount.network_fee]).toEqual([
      200,
      null,
      '0.0000209',
    ]);
  });

  it('reads an amount that JSON writes with an exponent, as published clients send it', async () => {
    const { status, body } = await create(account.api, {
      kind: 'ETH',
      recipients: [{ amount: 5e-7, currency: 'ETH', address: ADDRESS.ETH }],
      estimate_only: true,
    });
    expect(JSON.stringify(5e-7)).toBe('5e-7');
    expect([status, body.result.amount.total]).toEqual([200, '0.0000005']);
  });

  it('answers with the reasons that published clients match', async () => {
    const tooMuch = await create(account.api, {
      recipients: [{ ...recipients[0], amount: '100' }],
    });
    expect([tooMuch.status, tooMuch.body.reason]).toEqual([400, 'InsufficientFunds']);
    const nowhere = await create(account.api, { recipients: [{ ...recipients[0], address: 'x' }] });
    expect([nowhere.status, nowhere.body.reason]).toEqual([400, 'InvalidAddress']);
    const fee = await create(account.api, {
      recipients: [{ ...recipients[0], amount: '0.00002' }],
      network_fee_pays: 'recipient',
    });
    expect([fee.status, fee.body.reason]).toEqual([400, 'PayoutNetworkFeeTooHigh']);
  });

  it('rejects a key with the approve permission', async () => {
    const both = await key(['payouts:read', 'payouts:write', 'payouts:approve']);
    const before = await everything();
    for (const more of [{}, { estimate_only: true }]) {
      const { status, body } = await create(both, more);
      expect([status, body.reason]).toEqual([403, 'PermissionDenied']);
    }
    expect(await everything()).toEqual(before);
  });
});

describe('a draft', () => {
  it('is created for a total above the max_payout of the key', async () => {
    const limited = await key(['payouts:read', 'payouts:write'], '1000');
    // 0.01 BTC are 500 dollars.
    expect((await create(limited)).body.result.status).toBe('new');
    expect(
      (await create(limited, { recipients: [recipients[0], recipients[0]] })).body.result.status,
    ).toBe('new');
    const three = await create(limited, {
      recipients: [
        recipients[0],
        recipients[0],
        { ...recipients[0], amount: '1', currency: 'EUR' },
      ],
    });
    expect([three.status, three.body.result.status]).toEqual([201, 'draft']);
    expect(
      (
        await create(limited, {
          recipients: [{ ...recipients[0], amount: '1000.01', currency: 'USD' }],
        })
      ).body.result.status,
    ).toBe('draft');
  });

  it('holds nothing and is not sent until it is approved', async () => {
    const limited = await key(['payouts:read', 'payouts:write'], '1');
    const before = await shop.holdings('BTC');
    const { id } = (await create(limited)).body.result;
    expect(await shop.holdings('BTC')).toEqual(before);
    await shop.work();
    expect((await shop.payout(id)).status).toBe('draft');
    const approved = await put(account.approve, id, true);
    expect(approved).toMatchObject({
      status: 200,
      body: {
        result: {
          status: 'new',
          approved_at: expect.any(String),
          approved_by: { username: 'Approve', email: null },
        },
      },
    });
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
    expect(await shop.events(id)).toEqual(['payout_pending']);
    for (const approve of [true, false]) {
      const late = await put(account.approve, id, approve);
      expect([late.status, late.body.reason]).toEqual([409, 'InvalidState']);
    }
  });

  it('that is rejected reports an event and ends', async () => {
    const limited = await key(['payouts:write'], '1');
    const { id } = (await create(limited, { reference_id: 'rejected' })).body.result;
    expect((await put(account.approve, id, false)).body.result).toMatchObject({
      status: 'rejected',
      approved_at: null,
      approved_by: null,
    });
    expect(await shop.events(id)).toEqual(['payout_rejected']);
    await shop.work();
    expect((await shop.payout(id)).status).toBe('rejected');
    // The reference stays taken: the same request returns the rejected payout.
    expect((await create(limited, { reference_id: 'rejected' })).body.result.status).toBe(
      'rejected',
    );
  });

  it('stays a draft if the funds are insufficient', async () => {
    const limited = await key(['payouts:write'], '1');
    const { id } = (await create(limited, { recipients: [{ ...recipients[0], amount: '1000' }] }))
      .body.result;
    const refused = await put(account.approve, id, true);
    expect([refused.status, refused.body.reason]).toEqual([400, 'InsufficientFunds']);
    expect((await shop.payout(id)).status).toBe('draft');
  });

  it('makes one move if approved and rejected concurrently', async () => {
    const limited = await key(['payouts:write'], '1');
    const approvers = await Promise.all(Array.from({ length: 10 }, () => key(['payouts:approve'])));
    for (let round = 0; round < 5; round += 1) {
      const { id } = (await create(limited)).body.result;
      const answers = await Promise.all(
        approvers.map((approver, at) => put(approver, id, at % 2 === round % 2)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
      const { status } = answers.find((answer) => answer.status === 200)!.body.result;
      expect((await shop.payout(id)).status).toBe(status);
      await requirePayoutBooks(shop);
    }
  });

  it('is never approved by a key with a max_payout', async () => {
    const limited = await key(['payouts:write'], '1');
    const approver = await key(['payouts:approve'], '1000000');
    const { id } = (await create(limited)).body.result;
    for (const approve of [true, false]) {
      const { status, body } = await put(approver, id, approve);
      expect([status, body.reason]).toEqual([403, 'PermissionDenied']);
    }
    expect((await shop.payout(id)).status).toBe('draft');
  });

  it.each([['yes'], [1], [null], [undefined]])('rejects the decision %s', async (approve) => {
    const limited = await key(['payouts:write'], '1');
    const { id } = (await create(limited)).body.result;
    const { status, body } = await put(account.approve, id, approve);
    expect([status, body.reason, body.errors[0].field]).toEqual([
      400,
      'ValidationError',
      'approve',
    ]);
    expect((await shop.payout(id)).status).toBe('draft');
  });
});

describe('lists', () => {
  it('are pages of 25, newest first, and filtered', async () => {
    const eth = '0xde709f2102306220921060314715629080e2fb77';
    for (let made = 0; made < 26; made += 1)
      await create(account.api, {
        kind: 'ETH',
        reference_id: `page-${made}`,
        recipients: [{ amount: '0.01', currency: 'ETH', address: eth }],
      });
    const page = (query: string): Promise<TestAnswer> =>
      get(account.api, '/v1/payouts/', {}, query);
    const first = await page(`?address=${eth.toUpperCase().replace('0X', '0x')}`);
    expect(first.body.pagination).toEqual({
      num_pages: 2,
      count: 26,
      page: 1,
      next_page: 2,
      previous_page: null,
      per_page: 25,
    });
    expect(first.body.result[0].reference_id).toBe('page-25');
    expect((await page(`?address=${eth}&p=2`)).body.result).toHaveLength(1);
    expect((await page('?reference_id=page-3')).body.result).toMatchObject([
      { reference_id: 'page-3' },
    ]);
    expect(
      (await get(account.api, '/v1/payouts/', { reference_id: 'page-3' })).body.pagination.count,
    ).toBe(1);
    expect(
      (await page(`?profile_id=${shop.profileId}&reference_id=page-4`)).body.pagination.count,
    ).toBe(1);
    expect(
      (await page('?profile_id=7f1f2b3c-0000-4000-8000-000000000000')).body.pagination.count,
    ).toBe(0);
    expect((await page('?profile_id=none')).body.result).toEqual([]);
    expect(
      (await page('?date_from=2026-11-21&date_to=2026-11-21&reference_id=page-5')).body.pagination
        .count,
    ).toBe(1);
    expect((await page('?date_from=2026-11-22')).body.result).toEqual([]);
    expect((await page('?date_to=2026-11-20')).body.result).toEqual([]);
    await shop.work();
    const { txid } = (await page('?reference_id=page-5')).body.result[0];
    expect(
      (await page(`?txid=${txid.toUpperCase().replace('0X', '0x')}`)).body.result,
    ).toMatchObject([{ reference_id: 'page-5', txid }]);
  });

  it('are filtered by time, both ends included', async () => {
    const at = new Date(shop.context.clock.now()).toISOString().slice(0, 19);
    const shifted = (seconds: number): string =>
      new Date(Date.parse(`${at}Z`) + seconds * 1000).toISOString().slice(0, 19);
    await create(account.api, { reference_id: 'moment' });
    const count = async (query: string): Promise<number> =>
      (await get(account.api, '/v1/payouts/', {}, `?reference_id=moment&${query}`)).body.pagination
        .count;
    for (const query of [
      `date_from=${at}`,
      `date_to=${at}`,
      `date_from=${at}&date_to=${at}`,
      `date_from=${shifted(-1)}&date_to=${shifted(1)}`,
    ])
      expect([query, await count(query)]).toEqual([query, 1]);
    for (const query of [`date_from=${shifted(1)}`, `date_to=${shifted(-1)}`])
      expect([query, await count(query)]).toEqual([query, 0]);
  });

  it('are filtered by an XRP address with and without its tag, in any form of it', async () => {
    await shop.fund('XRP', '100');
    const pay = (reference_id: string, address: string, more: object = {}) =>
      create(account.api, {
        kind: 'XRP',
        reference_id,
        recipients: [{ amount: '1', currency: 'XRP', address, ...more }],
      });
    await pay('tag 7', `${ADDRESS.XRP}:7`);
    await pay('tag 8', ADDRESS.XRP, { destination_tag: 8 });
    await pay('no tag', ADDRESS.XRP);
    const found = async (address: string): Promise<string[]> =>
      (await get(account.api, '/v1/payouts/', {}, `?address=${address}`)).body.result.map(
        (row: { reference_id: string }) => row.reference_id,
      );
    expect(await found(`${ADDRESS.XRP}:7`)).toEqual(['tag 7']);
    expect(await found(xAddress('testnet', ADDRESS.XRP, '7'))).toEqual(['tag 7']);
    expect(await found(`${ADDRESS.XRP}:8`)).toEqual(['tag 8']);
    expect(await found(`${ADDRESS.XRP}:9`)).toEqual([]);
    expect(await found(ADDRESS.XRP)).toEqual(expect.arrayContaining(['no tag', 'tag 8']));
  });

  it('are filtered by a TON address in each of its forms', async () => {
    await shop.fund('TON', '100');
    const { address } = parseAddress('ton', 'testnet', ADDRESS.TON);
    const bounceable = 'kQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqKYH';
    await create(account.api, {
      kind: 'TON',
      reference_id: 'ton',
      recipients: [{ amount: '1', currency: 'USD', address }],
    });
    for (const text of [address, ADDRESS.TON, bounceable])
      expect(
        (await get(account.api, '/v1/payouts/', {}, `?address=${text}`)).body.result,
      ).toMatchObject([{ reference_id: 'ton' }]);
  });

  it('are filtered by a lightning request in any spelling', async () => {
    const outsideKeys = publicKeysOf(new Uint8Array(32).fill(7), { network: 'testnet' });
    const options = {
      kind: 'BTC_LIGHTNING',
      amount: parseAmount('0.001'),
      expirySeconds: 900,
      description: '',
      now: shop.context.clock.now(),
    };
    const [request, other] = [1, 2].map(
      (index) => lightningTarget(outsideKeys, { ...options, index }).lightning!.paymentRequest!,
    );
    const spellings = `lightning:${request!.toUpperCase()}`;
    await create(account.api, {
      kind: 'BTC_LIGHTNING_TO_LIGHTNING',
      reference_id: 'lightning',
      recipients: [{ currency: 'BTC', address: spellings }],
    });
    const found = async (address: string): Promise<unknown[]> =>
      (await get(account.api, '/v1/payouts/', {}, `?address=${address}`)).body.result.map(
        (row: { reference_id: string }) => row.reference_id,
      );
    for (const text of [spellings, request!, request!.toUpperCase(), `lightning:${request}`])
      expect(await found(text)).toEqual(['lightning']);
    expect(await found(other!)).toEqual([]);
  });

  it.each([
    ['?p=0'],
    ['?p=x'],
    ['?date_from=yesterday'],
    ['?date_to=2026-02-30'],
    ['?txid=a&txid=b'],
  ])('reject %s', async (query) => {
    const { status, body } = await get(account.api, '/v1/payouts/', {}, query);
    expect([status, body.reason]).toEqual([400, 'ValidationError']);
  });
});

describe('confirmations', () => {
  const ask = (key: TestKey, id: unknown): Promise<TestAnswer> =>
    call(app, key, 'POST', '/v1/payouts/confirmations/', { id });

  it('are returned for each id, in order', async () => {
    const [a, b] = [
      (await create(account.api)).body.result.id,
      (await create(account.api)).body.result.id,
    ];
    await shop.work();
    await shop.mine('BTC', 2);
    expect((await ask(account.api, [b, a])).body).toEqual({
      result: [
        { id: b, confirmations: 2 },
        { id: a, confirmations: 2 },
      ],
    });
  });

  it.each([[undefined], [[]], ['x'], [[5]], [null]])('reject the ids %j', async (id) => {
    const { status, body } = await ask(account.api, id);
    expect([status, body.reason]).toEqual([400, 'ValidationError']);
  });

  it('of an unknown id are not found', async () => {
    const { status, body } = await ask(account.api, ['7f1f2b3c-0000-4000-8000-000000000000']);
    expect([status, body.reason]).toEqual([404, 'NotFound']);
  });
});

describe('a resent callback', () => {
  const resend = (id: string): Promise<TestAnswer> =>
    call(app, account.api, 'POST', `/v1/payouts/${id}/resend-callback/`);
  const received: { url: string; id: string; body: string }[] = [];
  let answer: () => Response = () => new Response('ok');
  const receiver = (async (url: string, init: RequestInit) => {
    received.push({
      url,
      id: new Headers(init.headers).get('webhook-id')!,
      body: init.body as string,
    });
    return answer();
  }) as unknown as typeof fetch;

  it('is the last one, with its id and bytes, sent to the current callback URL', async () => {
    const { db } = shop.context;
    const real = shop.context.outbound;
    shop.context.outbound = receiver;
    await db.updateTable('profile').set({ callback_url: 'https://shop.example/new' }).execute();
    const { id } = (await create(account.api)).body.result;
    expect((await resend(id)).body).toMatchObject({ status: 'pending', response: null });
    await shop.work();
    await shop.mine('BTC');
    const { status, body } = await resend(id);
    const url = 'https://shop.example/new';
    expect([status, body]).toEqual([
      200,
      { status: 'success', message: expect.any(String), response: { status_code: 200, url } },
    ]);
    const queued = await db
      .selectFrom('callback')
      .selectAll()
      .where('resource_id', '=', id)
      .where('event', '=', 'payout_confirmed')
      .executeTakeFirstOrThrow();
    expect(received).toEqual([{ url, id: queued.id, body: sentBody(queued.body) }]);
    expect([queued.state, queued.attempts, queued.resends]).toEqual(['delivered', 0, 1]);
    answer = () => new Response('no', { status: 500 });
    expect((await resend(id)).body).toMatchObject({
      status: 'error',
      error: 'callback_failed',
      response: { status_code: 500, url },
    });
    answer = () => {
      throw new Error('no route');
    };
    expect((await resend(id)).body).toMatchObject({
      status: 'error',
      error: 'callback_failed',
      response: { status_code: null, url },
    });
    expect(
      await db
        .selectFrom('callback_delivery')
        .select(['attempt', 'resend', 'status_code'])
        .where('callback_id', '=', queued.id)
        .orderBy('attempt')
        .execute(),
    ).toEqual([
      { attempt: 1, resend: true, status_code: 200 },
      { attempt: 2, resend: true, status_code: 500 },
      { attempt: 3, resend: true, status_code: null },
    ]);
    await sql`alter table callback_delivery add constraint broken check (attempt < 0) not valid`.execute(
      db,
    );
    const broken = await resend(id);
    await sql`alter table callback_delivery drop constraint broken`.execute(db);
    expect([broken.status, broken.body]).toEqual([
      200,
      { status: 'error', message: expect.any(String), error: 'exception_occurred', response: null },
    ]);
    expect(JSON.stringify(broken.body)).not.toMatch(/constraint|broken/);
    await db.updateTable('profile').set({ callback_url: null }).execute();
    expect((await resend(id)).body).toMatchObject({
      status: 'error',
      error: 'no_profile_or_callback_url',
      response: null,
    });
    await db.updateTable('profile').set({ callback_url: url }).execute();
    shop.context.outbound = real;
  });

  it('needs an existing payout', async () => {
    expect((await resend('7f1f2b3c-0000-4000-8000-000000000000')).status).toBe(404);
  });
});

describe('a bump and a cancellation', () => {
  it('answer the payout, need its transaction to wait for a block, and a key without a limit', async () => {
    const approver = await key(['payouts:read', 'payouts:approve']);
    const limited = await key(['payouts:read', 'payouts:approve'], '1000');
    const ask = (by: TestKey, id: string, intent: string) =>
      call(app, by, 'POST', `/v1/payouts/${id}/${intent}/`);
    const { id } = (await create(await key(['payouts:write']))).body.result;
    for (const intent of ['bump', 'cancel']) {
      const { status, body } = await ask(approver, id, intent);
      expect([status, body.reason]).toEqual([409, 'InvalidState']);
    }
    await shop.work();
    expect((await ask(limited, id, 'bump')).body.reason).toBe('PermissionDenied');
    const bumped = await ask(approver, id, 'bump');
    expect(bumped.status).toBe(200);
    expect(bumped.body).toEqual((await get(approver, `/v1/payouts/${id}/`)).body);
    expect((await ask(approver, id, 'cancel')).body.result).toMatchObject({
      id,
      status: 'pending',
    });
    await shop.work();
    await shop.mine('BTC', 6);
    await shop.work();
    expect((await get(approver, `/v1/payouts/${id}/`)).body.result.status).toBe('failed');
    expect((await ask(approver, id, 'cancel')).body.reason).toBe('InvalidState');
  });
});

describe('every route', () => {
  const ROUTES = (
    id: string,
  ): [method: string, path: string, permission: string, members: object][] => [
    ['GET', '/v1/payouts/', 'payouts:read', {}],
    [
      'POST',
      '/v1/payouts/',
      'payouts:write',
      { kind: 'BTC', profile_id: shop.profileId, recipients },
    ],
    ['GET', `/v1/payouts/${id}/`, 'payouts:read', {}],
    ['PUT', `/v1/payouts/${id}/`, 'payouts:approve', { approve: true }],
    ['POST', `/v1/payouts/${id}/bump/`, 'payouts:approve', {}],
    ['POST', `/v1/payouts/${id}/cancel/`, 'payouts:approve', {}],
    ['POST', '/v1/payouts/confirmations/', 'payouts:read', { id: [id] }],
    ['POST', `/v1/payouts/${id}/resend-callback/`, 'payouts:write', {}],
  ];

  it('rejects a key without its permission and changes nothing', async () => {
    const limited = await key(['payouts:write'], '1');
    const { id } = (await create(limited)).body.result;
    const before = await everything();
    for (const [method, path, permission, members] of ROUTES(id)) {
      const without = await key(PERMISSIONS.filter((each) => each !== permission));
      const { status, body } = await call(
        app,
        without,
        method,
        path,
        members as Record<string, unknown>,
      );
      expect([method, path, status, body.reason]).toEqual([method, path, 403, 'PermissionDenied']);
    }
    expect(await everything()).toEqual(before);
  });

  it('hides the payouts of other accounts', async () => {
    const { db, ids, clock } = shop.context;
    const at = timestamp(clock.now());
    const limited = await key(['payouts:write'], '1');
    const { id } = (await create(limited, { reference_id: 'theirs' })).body.result;
    const otherAccount = ids.uuid();
    await db
      .insertInto('account')
      .values({
        id: otherAccount,
        name: 'B',
        is_testnet: true,
        callback_token_sealed: 'x',
        created_at: at,
      })
      .execute();
    const all = await key(PERMISSIONS.filter((each) => each !== 'payouts:approve'));
    const approver = await key(['payouts:approve']);
    await sql`update api_key set account_id = ${otherAccount} where api_key in (${all.key}, ${approver.key})`.execute(
      db,
    );
    const before = await everything();
    const { wallet_id } = await shop.payout(id);
    const answers = [
      await get(all, `/v1/payouts/${id}/`),
      await get(all, '/v1/payouts/7f1f2b3c-0000-4000-8000-000000000000/'),
      await put(approver, id, true),
      await call(app, approver, 'POST', `/v1/payouts/${id}/bump/`),
      await call(app, approver, 'POST', `/v1/payouts/${id}/cancel/`),
      await call(app, all, 'POST', '/v1/payouts/confirmations/', { id: [id] }),
      await call(app, all, 'POST', `/v1/payouts/${id}/resend-callback/`),
      await create(all),
      await create(all, { wallet_id, profile_id: shop.profileId }),
    ];
    expect(answers.map(({ status, body }) => [status, body.reason])).toEqual(
      answers.map(() => [404, 'NotFound']),
    );
    expect(answers[0]!.body.message).toBe(answers[1]!.body.message);
    expect((await get(all, '/v1/payouts/', {}, '?reference_id=theirs')).body.result).toEqual([]);
    expect((await get(all, '/v1/payouts/')).body.pagination.count).toBe(0);
    expect(await everything()).toEqual(before);
  });

  it.each(['GET', 'PUT'])('%s answers 404 for a malformed id', async (method) => {
    for (const id of ['x', '1', 'confirmations', '%00', '7f1f2b3c00004000800000000000000'])
      expect(
        (
          await call(
            app,
            method === 'GET' ? account.api : account.approve,
            method,
            `/v1/payouts/${id}/`,
            { approve: true },
          )
        ).status,
      ).toBeGreaterThanOrEqual(400);
  });
});

describe('fifty concurrent payouts', () => {
  it('of 30 % of the balance never overdraw it', async () => {
    await shop.fund('LTC', '100');
    const caller = await key(['payouts:write']);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        create(caller, {
          kind: 'LTC',
          recipients: [{ amount: '30', currency: 'LTC', address: ADDRESS.LTC }],
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(3);
    for (const { status, body } of answers)
      if (status !== 201) expect([status, body.reason]).toEqual([400, 'InsufficientFunds']);
    await requirePayoutBooks(shop);
    expect(Number((await shop.holdings('LTC')).available)).toBeGreaterThan(0);
  });

  it('with one reference create one payout', async () => {
    const callers = await key(['payouts:write']);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => create(callers, { reference_id: 'fifty' })),
    );
    expect(new Set(answers.map(({ body }) => body.result.id)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
    await requirePayoutBooks(shop);
  });
});

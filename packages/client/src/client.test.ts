import { describe, expect, test } from 'vitest';
import {
  type FakeService,
  fakeService,
  invoiceJson,
  pageJson,
  refuse,
  SECRETS,
} from '../test/support/fake-service.ts';
import { type ClientOptions, createClient } from './client.ts';

let counter = 0;

describe('requests', () => {
  test('are signed, with the parameters in the payload', async () => {
    const { client, service } = start(() =>
      Response.json({ result: invoiceJson('a') }, { status: 201 }),
    );
    const created = await client.invoices.create({
      profile_id: 'p',
      amount: '19.90',
      currency: 'EUR',
      kind: 'BTC',
      passthrough: 'Grüße ₿',
    });
    expect(created).toMatchObject({
      id: 'a',
      status: 'new',
      amount: { invoiced: { amount: '0.00023' } },
    });
    const [request] = service.accepted;
    expect(request).toMatchObject({ method: 'POST', path: '/v1/invoices/' });
    expect(request!.payload).toMatchObject({
      amount: '19.90',
      passthrough: 'Grüße ₿',
      method: 'POST',
    });
    expect(request!.query.size).toBe(0);
  });

  test('that read have their filters in the query as well', async () => {
    const { client, service } = start(() => Response.json(pageJson([], 1, 1)));
    await client.invoices.list({ status: 'new', p: 1, ...({ txid: undefined } as object) });
    expect([...service.accepted[0]!.query]).toEqual([
      ['status', 'new'],
      ['p', '1'],
    ]);
    expect(service.accepted[0]!.payload).toMatchObject({ status: 'new', p: 1 });
  });

  test('of every resource go to its path', async () => {
    const rate = {
      id: 'euro',
      kind: 'fiat',
      symbol: 'EUR',
      rate_usd: '1.1',
      rate_btc: '0.00001',
      sign: '€',
    };
    const wallet = {
      id: 'w',
      name: 'Bitcoin',
      balances: { available: '1', pending: '0', currency: 'BTC' },
    };
    const profile = {
      id: 'p',
      account_id: 'a',
      name: 'Default',
      invoice_expiration: 900,
      currencies: [{ kind: 'BTC', wallet_id: 'w', min_confirmations: 1 }],
    };
    const answers: Record<string, unknown> = {
      '/v1/invoices/i/': { result: invoiceJson('i') },
      '/v1/invoices/i/renew/': { result: invoiceJson('i') },
      '/v1/invoices/i/cancel-request/': { result: invoiceJson('i') },
      '/v1/transactions/t/': { result: transactionJson('t') },
      '/v1/transactions/': pageJson([transactionJson('t')], 1, 1),
      '/v1/profiles/': { result: [profile] },
      '/v1/profiles/p/': { result: profile },
      '/v1/wallets/': { result: [wallet] },
      '/v1/wallets/w/': wallet,
      '/v1/exchange-rates/': { result: [rate] },
      '/v1/exchange-rates/EUR/': { result: rate },
      '/v1/network-fees/': { result: [{ kind: 'BTC', fee_usd: '2.1', seconds: 600 }] },
    };
    const { client } = start(({ path }) => Response.json(answers[path]));
    expect((await client.invoices.get('i')).id).toBe('i');
    expect((await client.invoices.renew('i', { extend: true })).id).toBe('i');
    expect((await client.invoices.cancelRequest('i')).id).toBe('i');
    expect((await client.transactions.get('t')).amount.paid.quotes).toEqual({ USD: '23.00' });
    expect((await client.transactions.list({ invoice_id: 'i' })).result).toHaveLength(1);
    expect((await client.profiles.list())[0]!.acceptance_range.negative_difference).toBe('0.5');
    expect((await client.profiles.get('p')).currencies[0]!.kind).toBe('BTC');
    expect((await client.wallets.list({ profile_id: 'p' }))[0]!.balances.available).toBe('1');
    expect((await client.wallets.get('w')).token_balances).toEqual([]);
    expect((await client.rates.list())[0]!.symbol).toBe('EUR');
    expect((await client.rates.get('EUR')).rate_usd).toBe('1.1');
    expect((await client.networkFees.list())[0]!.fee_usd).toBe('2.1');
  });

  test('of payouts go to their paths with their parameters', async () => {
    const answers: Record<string, unknown> = {
      'POST /v1/payouts/': { result: payoutJson('p') },
      'GET /v1/payouts/p/': { result: payoutJson('p') },
      'PUT /v1/payouts/p/': {
        result: payoutJson('p', {
          status: 'rejected',
          approved_by: { username: 'Ann', email: null },
        }),
      },
      'POST /v1/payouts/p/bump/': { result: payoutJson('p') },
      'POST /v1/payouts/p/cancel/': { result: payoutJson('p') },
      'GET /v1/payouts/': pageJson([payoutJson('p')], 1, 1),
      'POST /v1/payouts/p/resend-callback/': {
        status: 'error',
        message: 'no',
        error: 'callback_failed',
        response: { status_code: 500, url: 'u' },
      },
      'POST /v1/payouts/confirmations/': { result: [{ id: 'p', confirmations: 3 }] },
    };
    const { client, service } = start(({ method, path, payload }) =>
      Response.json(
        payload['estimate_only'] === true
          ? { result: payoutJson(null) }
          : answers[`${method} ${path}`],
      ),
    );
    const recipients = [{ amount: '10', currency: 'EUR', address: 'tb1q' }];
    expect(
      await client.payouts.create({ kind: 'BTC', profile_id: 'p', reference_id: 'r', recipients }),
    ).toMatchObject({ id: 'p' });
    expect(service.accepted[0]!.payload).toMatchObject({
      method: 'POST',
      kind: 'BTC',
      reference_id: 'r',
      recipients,
    });
    expect(
      await client.payouts.estimate({ kind: 'BTC', profile_id: 'p', recipients }),
    ).toMatchObject({
      id: null,
      amount: { network_fee: '0.0000209' },
    });
    expect((await client.payouts.get('p')).recipients[0]!.amount.received.amount).toBe('0.0001');
    expect(
      (await client.payouts.list({ reference_id: 'r', date_from: '2026-11-21' })).result,
    ).toHaveLength(1);
    expect([...service.accepted.at(-1)!.query]).toEqual([
      ['reference_id', 'r'],
      ['date_from', '2026-11-21'],
    ]);
    expect((await client.payouts.reject('p')).approved_by?.username).toBe('Ann');
    expect(service.accepted.at(-1)!.payload).toMatchObject({ approve: false });
    await client.payouts.approve('p');
    expect(service.accepted.at(-1)!.payload).toMatchObject({ approve: true });
    expect(await client.payouts.bump('p')).toMatchObject({ id: 'p' });
    expect(await client.payouts.cancel('p')).toMatchObject({ id: 'p' });
    expect(await client.payouts.confirmations(['p'])).toEqual([{ id: 'p', confirmations: 3 }]);
    expect(await client.payouts.resendCallback('p')).toMatchObject({
      error: 'callback_failed',
      response: { status_code: 500 },
    });
    for await (const payout of client.payouts.listAll()) expect(payout.id).toBe('p');
  });

  test('that create a payout are sent once and report unknown outcomes', async () => {
    const recipients = [{ amount: '10', currency: 'EUR', address: 'tb1q' }];
    const lost = start(() => new Response('', { status: 504 }));
    await expect(
      lost.client.payouts.create({ kind: 'BTC', profile_id: 'p', recipients }),
    ).rejects.toMatchObject({ outcome: 'unknown' });
    expect(lost.service.count).toBe(1);
    const refused = start(() => refuse(400, 'InsufficientFunds'));
    await expect(
      refused.client.payouts.create({ kind: 'BTC', profile_id: 'p', recipients }),
    ).rejects.toMatchObject({
      outcome: 'refused',
      reason: 'InsufficientFunds',
    });
  });

  test('encode ids and reject those that change the path', async () => {
    const { client, service } = start(() => Response.json({ result: invoiceJson('a/b') }));
    await client.invoices.get('a/b?c');
    expect(service.accepted[0]!.path).toBe('/v1/invoices/a%2Fb%3Fc/');
    for (const id of ['', '.', '..'])
      await expect(client.invoices.get(id)).rejects.toThrow(TypeError);
  });
});

describe('nonces', () => {
  test('of one key increase, and its calls are sequential', async () => {
    const { client, service } = start(() => Response.json(pageJson([], 1, 1)));
    await Promise.all(Array.from({ length: 20 }, () => client.invoices.list()));
    expect(service.count).toBe(20);
    expect(service.most).toBe(1);
  });

  test('increase even if the clock stops or goes back', async () => {
    let now = 1_795_219_200_000;
    const { client, service } = start(() => Response.json(pageJson([], 1, 1)), { now: () => now });
    for (const step of [0, 0, -5000, 1]) {
      now += step;
      await client.invoices.list();
    }
    expect(service.count).toBe(4);
    expect(service.accepted[0]!.nonce).toBe(1_795_219_200_000_000_000n);
  });

  test('are shared by clients of the same key', async () => {
    const { client, service, options } = start(() => Response.json(pageJson([], 1, 1)));
    const other = createClient(options);
    await Promise.all([client, other, client, other].map((each) => each.invoices.list()));
    expect(service.count).toBe(4);
    expect(service.most).toBe(1);
  });

  test('allow parallel calls of a key with a nonce window', async () => {
    const service = fakeService(() => Response.json(pageJson([], 1, 1)), { nonceWindow: true });
    const { client } = start(service, { nonceWindow: true });
    await Promise.all(Array.from({ length: 10 }, () => client.invoices.list()));
    expect(service.most).toBeGreaterThan(1);
    expect(new Set(service.accepted.map(({ nonce }) => nonce)).size).toBe(10);
  });

  test('are replaced after InvalidNonce, for writes too', async () => {
    let refusals = 2;
    const { client, service } = start(() =>
      refusals-- > 0
        ? refuse(400, 'InvalidNonce')
        : Response.json({ result: invoiceJson('a') }, { status: 201 }),
    );
    await client.invoices.create({ profile_id: 'p', currency: 'EUR', kind: 'BTC' });
    expect(service.count).toBe(3);
  });

  test('are replaced a limited number of times', async () => {
    const { client, service } = start(() => refuse(400, 'InvalidNonce'));
    await expect(client.invoices.list()).rejects.toMatchObject({
      reason: 'InvalidNonce',
      outcome: 'refused',
    });
    expect(service.count).toBe(4);
  });

  test('come from a custom source and are made to increase', async () => {
    const given = [5n, 5n, 3n, 9n];
    const { client, service } = start(() => Response.json(pageJson([], 1, 1)), {
      nonce: () => given.shift()!,
    });
    for (let call = 0; call < 4; call++) await client.invoices.list();
    expect(service.accepted.map(({ nonce }) => nonce)).toEqual([5n, 6n, 7n, 9n]);
  });

  test('a failed call does not block the next', async () => {
    let first = true;
    const { client } = start(() => {
      if (!first) return Response.json(pageJson([], 1, 1));
      first = false;
      throw new TypeError('connection lost');
    });
    const [lost, read] = await Promise.allSettled([
      client.invoices.create({ profile_id: 'p', currency: 'EUR', kind: 'BTC' }),
      client.invoices.list(),
    ]);
    expect([lost.status, read.status]).toEqual(['rejected', 'fulfilled']);
  });

  test('a pool of keys shares the calls', async () => {
    const keys = ['first', 'second'].map((key) => ({ key, secret: SECRETS[key]! }));
    const service = fakeService(() => Response.json(pageJson([], 1, 1)));
    const client = createClient({
      baseUrl: `https://pool${counter++}.example`,
      keys,
      fetch: service.fetch,
    });
    await Promise.all(Array.from({ length: 10 }, () => client.invoices.list()));
    expect(service.accepted.filter(({ key }) => key === 'first')).toHaveLength(5);
    expect(service.most).toBe(1);
  });
});

describe('errors', () => {
  test('with a reason are certain and contain the details', async () => {
    const body = {
      result: 'error',
      reason: 'ValidationError',
      message: 'amount is no amount',
      errors: [{ field: 'amount', message: 'no' }, 5],
      request_id: 'r',
    };
    const { client, service } = start(() => Response.json(body, { status: 400 }));
    await expect(
      client.invoices.create({ profile_id: 'p', currency: 'EUR', kind: 'BTC' }),
    ).rejects.toMatchObject({
      name: 'ServiceError',
      message: 'amount is no amount',
      status: 400,
      reason: 'ValidationError',
      errors: [{ field: 'amount', message: 'no' }],
      requestId: 'r',
      outcome: 'refused',
    });
    expect(service.count).toBe(1);
  });

  test.each([
    ['a 4xx without reason', () => refuse(403, null), 403],
    ['a 500', () => refuse(500, null), 500],
    ['a 503 that claims a reason', () => refuse(503, 'RateUnavailable'), 503],
    ['a page of a proxy', () => new Response('<html>Bad gateway</html>', { status: 502 }), 502],
    [
      'a redirect',
      () =>
        new Response(null, { status: 302, headers: { location: 'https://elsewhere.example/' } }),
      302,
    ],
    ['a success that is not JSON', () => new Response('ok', { status: 201 }), 201],
    ['a success that is not an invoice', () => Response.json({ result: { id: 5 } }), 200],
    [
      'an amount that is a number',
      () =>
        Response.json({
          result: invoiceJson('a', { amount: { requested: { amount: 1.5, currency: 'EUR' } } }),
        }),
      200,
    ],
  ])('are not certain: %s', async (_, answer, status) => {
    const { client, service } = start(answer);
    const created = client.invoices.create({ profile_id: 'p', currency: 'EUR', kind: 'BTC' });
    await expect(created).rejects.toMatchObject({
      name: 'ServiceError',
      status,
      reason: null,
      outcome: 'unknown',
    });
    // A write with an unknown outcome is never repeated.
    expect(service.count).toBe(1);
  });

  test('are not certain when the connection is lost', async () => {
    const { client } = start(() => Promise.reject(new TypeError('fetch failed')));
    await expect(
      client.invoices.create({ profile_id: 'p', currency: 'EUR', kind: 'BTC' }),
    ).rejects.toMatchObject({
      status: null,
      outcome: 'unknown',
      message: expect.stringMatching(/^the service at https:\/\/\S+ could not be reached$/),
    });
  });

  test('end at the timeout', async () => {
    const { client } = start(
      fakeService(() => Response.json({})),
      {
        timeoutMs: 20,
        fetch: (_, init) =>
          new Promise((_, reject) =>
            init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason)),
          ),
        readRetries: 0,
      },
    );
    await expect(client.invoices.list()).rejects.toMatchObject({
      message: expect.stringMatching(/^no response from https:\/\/\S+ within 20 ms$/),
      outcome: 'unknown',
    });
  });

  test('end at once after an abort, also in the queue', async () => {
    const { client, service } = start(() => Response.json(pageJson([], 1, 1)));
    const controller = new AbortController();
    const [first, second] = [
      client.invoices.list(),
      client.invoices.list({}, { signal: controller.signal }),
    ];
    controller.abort();
    await expect(second).rejects.toMatchObject({ message: 'the call was aborted' });
    await first;
    expect(service.count).toBe(1);
  });

  test('report a missing option at once', () => {
    expect(() => createClient({ baseUrl: 'https://pay.example' })).toThrow(
      /needs `key` and `secret`/,
    );
    expect(() => createClient({ baseUrl: 'https://pay.example', key: 'k', secret: '' })).toThrow(
      TypeError,
    );
    expect(() => createClient({ baseUrl: 'pay.example', key: 'k', secret: 's' })).toThrow(
      'baseUrl must be the http(s) URL of the payment service, such as https://gateway.example, not pay.example',
    );
    expect(() => createClient({} as Parameters<typeof createClient>[0])).toThrow(
      'such as https://gateway.example, not undefined',
    );
    expect(() => createClient({ baseUrl: 'ftp://pay.example', key: 'k', secret: 's' })).toThrow(
      TypeError,
    );
  });
});

describe('reads', () => {
  test('are retried after an unknown outcome', async () => {
    const answers = [
      () => refuse(500, null),
      () => Promise.reject(new TypeError('lost')),
      () => Response.json({ result: invoiceJson('a') }),
    ];
    const waits: number[] = [];
    const { client } = start(() => answers.shift()!(), {
      delay: async (ms) => void waits.push(ms),
    });
    expect((await client.invoices.get('a')).id).toBe('a');
    expect(waits).toHaveLength(2);
    expect(waits[1]).toBeLessThanOrEqual(300);
  });

  test('are retried a limited number of times, and not after a rejection', async () => {
    const lost = start(() => refuse(503, null));
    await expect(lost.client.invoices.get('a')).rejects.toMatchObject({ status: 503 });
    expect(lost.service.count).toBe(3);
    const refused = start(() => refuse(404, 'NotFound'));
    await expect(refused.client.invoices.get('a')).rejects.toMatchObject({
      reason: 'NotFound',
      outcome: 'refused',
    });
    expect(refused.service.count).toBe(1);
  });

  test('wait for a short Retry-After', async () => {
    const answers = [
      refuse(429, 'RateLimited', { 'retry-after': '1' }),
      Response.json(pageJson([], 1, 1)),
    ];
    const waits: number[] = [];
    const short = start(() => answers.shift()!, { delay: async (ms) => void waits.push(ms) });
    await short.client.invoices.list();
    expect(waits).toEqual([1000]);
    const long = start(() => refuse(429, 'RateLimited', { 'retry-after': '60' }));
    await expect(long.client.invoices.list()).rejects.toMatchObject({ retryAfterSeconds: 60 });
    expect(long.service.count).toBe(1);
  });
});

describe('lists', () => {
  test('are read page by page, each item once', async () => {
    const pages = [['a', 'b'], ['b', 'c'], ['d']];
    const { client, service } = start(({ payload }) => {
      const page = payload['p'] as number;
      return Response.json(
        pageJson(
          pages[page - 1]!.map((id) => invoiceJson(id)),
          page,
          3,
        ),
      );
    });
    const ids: string[] = [];
    for await (const { id } of client.invoices.listAll({ status: 'new' })) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c', 'd']);
    expect(service.accepted.map(({ payload }) => [payload['p'], payload['status']])).toEqual(
      [1, 2, 3].map((page) => [page, 'new']),
    );
  });

  test('read only the requested pages', async () => {
    const { client, service } = start(() =>
      Response.json(pageJson([transactionJson('a'), transactionJson('b')], 1, 9)),
    );
    for await (const { id } of client.transactions.listAll()) {
      expect(id).toBe('a');
      break;
    }
    expect(service.count).toBe(1);
  });

  test('end if the service repeats a page', async () => {
    const { client, service } = start(() =>
      Response.json({
        ...pageJson([invoiceJson('a')], 1, 2),
        pagination: {
          num_pages: 2,
          count: 1,
          page: 1,
          next_page: 1,
          previous_page: null,
          per_page: 25,
        },
      }),
    );
    const ids: string[] = [];
    for await (const { id } of client.invoices.listAll()) ids.push(id);
    expect(ids).toEqual(['a']);
    expect(service.count).toBe(1);
  });
});

describe('server time', () => {
  test('is the own clock before the first response, then the service’s', async () => {
    let now = 1_000_000_000_000;
    const service = { offset: 90_000 };
    const date = () => new Date(now + service.offset).toUTCString();
    const { client } = start(
      () => Response.json(pageJson([], 1, 1), { headers: { date: date() } }),
      { now: () => now },
    );
    expect(client.serverTime()).toBe(now);
    await client.invoices.list();
    expect(Math.abs(client.serverTime() - now - 90_000)).toBeLessThan(1000);
    // Each answer narrows it down.
    for (let step = 0; step < 50; step++) {
      now += 1021;
      await client.invoices.list();
    }
    expect(Math.abs(client.serverTime() - now - 90_000)).toBeLessThan(50);
    // A sandbox's clock is moved.
    service.offset += 900_000;
    await client.invoices.list();
    expect(Math.abs(client.serverTime() - now - 990_000)).toBeLessThan(1000);
  });

  test('is read from rejections too, and ignores invalid dates', async () => {
    const dates = ['nonsense', new Date(5_000_000_000_000).toUTCString()];
    const { client } = start(() => refuse(404, 'NotFound', { date: dates.shift()! }), {
      now: () => 1000,
    });
    await client.invoices.get('a').catch(() => undefined);
    expect(client.serverTime()).toBe(1000);
    await client.invoices.get('a').catch(() => undefined);
    expect(Math.abs(client.serverTime() - 5_000_000_000_000)).toBeLessThan(1000);
  });
});

function start(answer: FakeService | FakeService['answer'], changes: Partial<ClientOptions> = {}) {
  const service = typeof answer === 'function' ? fakeService(answer) : answer;
  const options: ClientOptions = {
    // Each test has its own URL: clients of one key share a queue.
    baseUrl: `https://pay${counter++}.example/`,
    key: 'first',
    secret: SECRETS['first']!,
    fetch: service.fetch,
    delay: async () => undefined,
    ...changes,
  };
  return { client: createClient(options), service, options };
}

function transactionJson(id: string): Record<string, unknown> {
  const { status: _, transactions: __, ...invoice } = invoiceJson('i');
  return {
    id,
    kind: 'BTC',
    txid: 'ab'.repeat(32),
    invoice,
    amount: { paid: { amount: '0.00023', currency: 'BTC', quotes: { USD: '23.00' } } },
    currency_rates: { BTC: { USD: '100000' } },
    created_at: '2026-11-21T12:01:00.000000+00:00',
    executed_at: null,
    confirmed_at: null,
    confirmations: 0,
    status: 'pending',
    zero_conf_status: null,
    network: 'mainnet',
    risk_level: null,
    risk_data: {},
    sub_kind: null,
  };
}

function payoutJson(
  id: string | null,
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    id,
    kind: 'BTC',
    txid: '',
    created_at: '2026-11-21T06:00:00.000000+00:00',
    approved_at: null,
    executed_at: null,
    profile_id: 'p',
    wallet_id: 'w',
    confirmations: 0,
    status: 'new',
    network: 'testnet',
    amount: { total: '0.0001', network_fee: '0.0000209', network_fee_currency: 'BTC' },
    network_fee_pays: 'merchant',
    network_fee_preset: 'normal',
    network_fee: null,
    passthrough: null,
    reference_id: 'r',
    sub_kind: null,
    error: null,
    approved_by: null,
    recipients: [
      {
        id: id === null ? null : 'r',
        address: 'tb1q',
        amount: {
          requested: { amount: '10', currency: 'EUR' },
          received: { amount: '0.0001', currency: 'BTC' },
        },
        custom_fee: null,
        notes: null,
      },
    ],
    ...changes,
  };
}

import { PNG } from 'pngjs';
import jsqr from 'jsqr';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { type Bench, SHOP_ORIGIN, choose, open, setUp } from '../../test/support/bench.ts';

const dashless = (id: string): string => id.replaceAll('-', '').toUpperCase();

it('sends a client of the payment service to its own address', async () => {
  const { status, body } = await setUp().get('/v1/invoices/');
  expect([status, body.reason]).toEqual([404, 'NotFound']);
  expect(body.message).toMatch(/^This is the checkout server; .* GATEWAY_URL\.$/);
});

describe('the public status', () => {
  it('answers by query, form and JSON, for both forms of the id', async () => {
    const bench = setUp();
    const { invoice_id } = (await choose(bench)).payment;
    const answers = [
      await bench.get(`/sdk/v1/invoices/status/?id=${invoice_id}`),
      await bench.get(`/sdk/v1/invoices/status?id=${dashless(invoice_id)}`),
      await bench.post('/sdk/v1/invoices/status/', { id: invoice_id }),
      await bench.post('/sdk/v1/invoices/status/', `id=${dashless(invoice_id)}`, {
        'content-type': 'application/x-www-form-urlencoded',
      }),
      await bench.post(`/sdk/v1/invoices/status/?id=${invoice_id}`, '', { 'content-type': '' }),
    ];
    for (const { status, body, headers } of answers) {
      expect([status, body.result, body.invoice.id, body.invoice.status]).toEqual([
        200,
        'success',
        invoice_id,
        'new',
      ]);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('contains only the public members', async () => {
    const bench = setUp();
    const { invoice_id } = (await choose(bench, 'BTC', { description: 'Mug' })).payment;
    bench.service.pay(invoice_id, { confirmations: 2 });
    await bench.call('invoice_confirmed', invoice_id);
    const { invoice } = (await bench.get(`/sdk/v1/invoices/status/?id=${invoice_id}`)).body;
    expect(Object.keys(invoice).toSorted()).toEqual(
      'address amount created_at expires_at id kind lightning min_confirmations network notes public_address status transactions x_address'.split(
        ' ',
      ),
    );
    expect(invoice).toMatchObject({
      status: 'paid',
      notes: 'Mug',
      min_confirmations: 1,
      amount: { requested: { amount: '50' }, paid: { amount: '0.001' } },
    });
    expect(Object.keys(invoice.transactions[0]).toSorted()).toEqual([
      'amount',
      'confirmations',
      'created_at',
      'txid',
    ]);
    expect(JSON.stringify(invoice)).not.toMatch(/passthrough|profile|wallet|risk|mac/);
  });

  it('contains only id, status and amount after 90 days', async () => {
    const bench = setUp();
    const { invoice_id } = (await choose(bench)).payment;
    bench.service.pay(invoice_id, { confirmations: 6 });
    await bench.call('invoice_complete', invoice_id);
    bench.advance(90 * 24 * 3600 - 60);
    expect(
      Object.keys((await bench.get(`/sdk/v1/invoices/status/?id=${invoice_id}`)).body.invoice),
    ).toContain('address');
    bench.advance(120);
    expect(
      Object.keys((await bench.get(`/sdk/v1/invoices/status/?id=${invoice_id}`)).body.invoice),
    ).toEqual(['id', 'status', 'amount']);
    expect((await bench.get(`/sdk/v1/invoices/qr/${invoice_id}/`)).status).toBe(404);
  });

  it('is read again for pollers, and not while it is fresh', async () => {
    const bench = setUp();
    const { invoice_id } = (await choose(bench)).payment;
    await bench.get(`/sdk/v1/invoices/status/?id=${invoice_id}`);
    const before = bench.service.requests.length;
    for (let times = 0; times < 100; times += 1)
      await bench.get(`/sdk/v1/invoices/status/?id=${invoice_id}`);
    expect(bench.service.requests.length).toBe(before);
    bench.service.pay(invoice_id);
    bench.advance(20);
    expect((await bench.get(`/sdk/v1/invoices/status/?id=${invoice_id}`)).body.invoice.status).toBe(
      'pending',
    );
  });

  it('is the same 404 for all unknown ids, with one read per id', async () => {
    const bench = setUp();
    const unknown = '11111111-1111-4111-8111-111111111111';
    const first = await bench.get(`/sdk/v1/invoices/status/?id=${unknown}`);
    const asked = bench.service.requests.length;
    for (let times = 0; times < 20; times += 1)
      await bench.get(`/sdk/v1/invoices/status/?id=${unknown}`);
    expect([first.status, first.body.reason, bench.service.requests.length]).toEqual([
      404,
      'NotFound',
      asked,
    ]);
    for (const id of ['', 'x', '../../v1/profiles', '%00', 'null'])
      expect((await bench.get(`/sdk/v1/invoices/status/?id=${id}`)).status).toBe(400);
    expect((await bench.post('/sdk/v1/invoices/status/', 'x'.repeat(5000))).status).toBe(413);
    expect(
      (await bench.post('/sdk/v1/invoices/status/', 'id=1', { 'content-type': 'text/plain' }))
        .status,
    ).toBe(415);
  });
});

describe('the QR image', () => {
  const scan = async (bench: Bench, path: string): Promise<string> => {
    const answer = await bench.bff.request(path);
    expect([
      answer.status,
      answer.headers.get('content-type'),
      answer.headers.get('cross-origin-resource-policy'),
    ]).toEqual([200, 'image/png', 'cross-origin']);
    const { data, width, height } = PNG.sync.read(Buffer.from(await answer.arrayBuffer()));
    const found = (jsqr as unknown as { default?: typeof jsqr }).default ?? jsqr;
    return (
      (
        found as unknown as (
          data: Uint8ClampedArray,
          width: number,
          height: number,
        ) => { data: string } | null
      )(new Uint8ClampedArray(data), width, height)?.data ?? ''
    );
  };

  it('is a readable PNG: default, with amount, and the bare address', async () => {
    const bench = setUp();
    const { invoice_id, address } = (await choose(bench)).payment;
    expect(await scan(bench, `/sdk/v1/invoices/qr/${invoice_id}/`)).toBe(
      `bitcoin:${address.toUpperCase()}`,
    );
    expect(await scan(bench, `/sdk/v1/invoices/qr/${dashless(invoice_id)}/?full=1`)).toBe(
      `bitcoin:${address.toUpperCase()}?amount=0.001`,
    );
    expect(await scan(bench, `/sdk/v1/invoices/qr/${invoice_id}?address_only=1`)).toBe(address);
  });

  it('is an SVG on request', async () => {
    const bench = setUp();
    const { invoice_id } = (await choose(bench, 'ETH_USDT')).payment;
    for (const [path, headers] of [
      [`/sdk/v1/invoices/qr/${invoice_id}/?format=svg`, {}],
      [`/sdk/v1/invoices/qr/${invoice_id}/`, { accept: 'image/svg+xml' }],
    ] as const) {
      const answer = await bench.get(path, headers);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
      expect(answer.body).toMatch(/^<svg [^>]+><rect [^>]+\/><path [^>]+\/><\/svg>$/);
    }
    const browser = await bench.get(`/sdk/v1/invoices/qr/${invoice_id}/`, {
      accept: 'image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8',
    });
    expect(browser.headers.get('content-type')).toBe('image/png');
  });

  it('says that the invoice is unknown, not the address', async () => {
    const { status, body } = await setUp().get(
      '/sdk/v1/invoices/status/?id=00000000-0000-4000-8000-000000000000',
    );
    expect([status, body.reason, body.message]).toEqual([
      404,
      'NotFound',
      'There is no invoice with this id.',
    ]);
  });

  it('is 404 for an unknown invoice', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    for (const wrong of [id, 'x', '11111111-1111-4111-8111-111111111111'])
      expect((await bench.get(`/sdk/v1/invoices/qr/${wrong}/`)).status).toBe(404);
  });
});

describe('LNURL', () => {
  it('is proxied to the service with its query, and only JSON is returned', async () => {
    const bench = setUp();
    const { status, body, headers } = await bench.get('/lnurl/pay/abc-1?amount=1000');
    expect([status, body, headers.get('access-control-allow-origin')]).toEqual([
      200,
      { tag: 'payRequest', path: '/lnurl/pay/abc-1', query: '?amount=1000' },
      '*',
    ]);
    for (const path of [
      '/lnurl/../v1/invoices/',
      '/lnurl/a%2fb',
      '/lnurl/',
      `/lnurl/${'a/'.repeat(9)}`,
    ])
      expect((await bench.get(path)).status).toBe(404);
    for (const how of ['down', '500', 'html'] as const) {
      bench.service.faults.push({ how, path: /lnurl/, times: 1 });
      const answer = await bench.get('/lnurl/pay/abc');
      expect([how, answer.status]).toEqual([how, 503]);
      expect(JSON.stringify(answer.body)).not.toContain('SECRET');
    }
  });
});

describe('the keys of an account', () => {
  it('are handed through from the service, and nothing else is', async () => {
    const bench = setUp();
    const path = '/.well-known/crypto-checkout-keys/5f0e3c7a-0000-4000-8000-000000000001.json';
    const { status, body, headers } = await bench.get(path);
    expect([status, body, headers.get('access-control-allow-origin')]).toEqual([
      200,
      { keys: [], path },
      '*',
    ]);
    for (const wrong of ['x.json', '..%2f..%2fv1.json', `${'a'.repeat(36)}.html`])
      expect((await bench.get(`/.well-known/crypto-checkout-keys/${wrong}`)).status).toBe(404);
  });
});

describe('a checkout by the id of its invoice', () => {
  it('contains that one invoice, for both forms of the id', async () => {
    const bench = setUp();
    const whole = await choose(bench);
    for (const id of [whole.payment.invoice_id, dashless(whole.payment.invoice_id)]) {
      const { status, body } = await bench.get(`/checkouts/${id}`);
      expect([status, body.id, body.coins, body.payment.invoice_id]).toEqual([
        200,
        whole.payment.invoice_id,
        [],
        whole.payment.invoice_id,
      ]);
      expect(body.order).toMatchObject({
        order_id: 'A-1',
        amount: { amount: '50.00', currency: 'USD' },
      });
    }
    await bench.post(`/checkouts/${whole.id}/payment`, { kind: 'LTC' });
    expect((await bench.get(`/checkouts/${whole.payment.invoice_id}`)).body.payment.kind).toBe(
      'BTC',
    );
    expect(
      (await bench.post(`/checkouts/${whole.payment.invoice_id}/payment`, { kind: 'ETH' })).status,
    ).toBe(400);
    expect(
      (await bench.post(`/checkouts/${whole.payment.invoice_id}/payment`, { kind: 'BTC' })).status,
    ).toBe(200);
  });
});

describe('health checks', () => {
  it('are ready while a signed read succeeds', async () => {
    const bench = setUp();
    expect((await bench.get('/livez')).status).toBe(200);
    expect((await bench.get('/readyz')).status).toBe(200);
    bench.service.faults.push({ how: 'down', path: /./, times: 99 });
    bench.advance(10);
    expect((await bench.get('/readyz')).status).toBe(503);
    expect((await bench.get('/livez')).status).toBe(200);
    bench.service.faults.length = 0;
    bench.advance(10);
    expect((await bench.get('/readyz')).status).toBe(200);
    expect(bench.bff.metrics()).toContain(
      'bff_service_requests_total{what="get_profile",outcome="ok"}',
    );
  });

  it.each([
    [
      'API_SECRET',
      { apiSecret: 'another-secret-0123456789' },
      'The payment service refuses the API key: correct API_KEY and API_SECRET.',
    ],
    [
      'PROFILE_ID',
      { profileId: '00000000-0000-4000-8000-000000000000' },
      'The payment service has no such profile for this API key: correct PROFILE_ID, or SERVICE_URL.',
    ],
  ])('name a wrong %s, which the service refuses, and log it once', async (_, wrong, sentence) => {
    const lines: string[] = [];
    const log = pino(
      { serializers: { error: pino.stdSerializers.err } },
      { write: (line: string) => void lines.push(line) },
    );
    const bench = setUp({ ...wrong, log });
    const { status, body } = await bench.get('/readyz');
    expect([status, body.message]).toEqual([503, sentence]);
    const line = JSON.parse(lines.find((one) => one.includes('request_failed')) ?? '');
    expect(line.msg).toBe(sentence);
    const said = line.error.message as string;
    expect(said.slice(0, said.length / 2 - 1)).not.toBe(said.slice(said.length / 2 + 1));
    expect(said).not.toContain(': ');
    expect(JSON.stringify(body) + lines.join('')).not.toContain('another-secret');
  });
});

describe('with real money', () => {
  it.each([
    ['PUBLIC_URL', { publicUrl: 'http://pay.test' }],
    ['SERVICE_URL', { serviceUrl: 'http://service.test' }],
  ])('a %s without https is refused, and named', async (setting, options) => {
    const bench = setUp(options);
    expect((await bench.get('/readyz')).status).toBe(200);
    bench.service.network = 'mainnet';
    bench.advance(3);
    const { status, body } = await bench.get('/readyz');
    expect([status, body.message]).toEqual([
      503,
      expect.stringContaining(`${setting} must be https on a main network`),
    ]);
    bench.restart();
    await expect(choose(bench)).rejects.toThrow(/not (opened|chosen): 503/);
    expect(bench.service.invoices).toHaveLength(0);
  });
});

describe('origins', () => {
  it('of EMBED_ORIGINS may read and write; others may not, and credentials are never allowed', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const mine = await bench.get(`/checkouts/${id}`, { origin: SHOP_ORIGIN });
    expect(mine.headers.get('access-control-allow-origin')).toBe(SHOP_ORIGIN);
    expect(mine.headers.get('access-control-expose-headers')).toBe(
      'ETag, Date, Retry-After, Checkout-Claim, Checkout-Version',
    );
    expect(mine.headers.get('access-control-allow-credentials')).toBeNull();
    expect(mine.headers.get('vary')).toBe('Origin, Accept-Encoding');
    for (const origin of [
      'https://evil.test',
      'null',
      `${SHOP_ORIGIN}.evil.test`,
      'http://shop.test',
      'https://shop.test:444',
    ]) {
      const read = await bench.get(`/checkouts/${id}`, { origin });
      expect([origin, read.headers.get('access-control-allow-origin')]).toEqual([origin, null]);
      const write = await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' }, { origin });
      expect([origin, write.status, write.headers.get('access-control-allow-origin')]).toEqual([
        origin,
        403,
        null,
      ]);
      const preflight = await bench.bff.request(`/checkouts/${id}/payment`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    }
    expect(bench.service.invoices).toHaveLength(0);
    const preflight = await bench.bff.request(`/checkouts/${id}/payment`, {
      method: 'OPTIONS',
      headers: { origin: SHOP_ORIGIN, 'access-control-request-method': 'POST' },
    });
    expect([
      preflight.status,
      preflight.headers.get('access-control-allow-origin'),
      preflight.headers.get('access-control-allow-methods'),
    ]).toEqual([204, SHOP_ORIGIN, 'GET, POST']);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('if-none-match');
    expect(
      (await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' }, { origin: SHOP_ORIGIN }))
        .status,
    ).toBe(200);
    const refused = await bench.post(
      `/checkouts/${id}/payment`,
      { kind: 'X' },
      { origin: SHOP_ORIGIN },
    );
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      400,
      SHOP_ORIGIN,
    ]);
  });
});

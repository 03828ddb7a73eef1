import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PUBLIC_URL, SHOP_ORIGIN, choose, open, setUp, token } from '../../test/support/bench.ts';

const html = { accept: 'text/html' };
const dashless = (id: string): string => id.replaceAll('-', '').toUpperCase();

describe('the hosted page', () => {
  it('shows amount, address and QR before any script, in at most 9,000 bytes', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'BTC', { description: 'Mug' });
    const answer = await bench.bff.request(`/pay/${id}/`, {
      headers: { ...html, 'accept-encoding': 'gzip, br', 'accept-language': 'ar' },
    });
    expect([
      answer.status,
      answer.headers.get('content-encoding'),
      answer.headers.get('cache-control'),
    ]).toEqual([200, 'br', 'no-store']);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    // No cache may store it.
    expect(answer.headers.get('vary')).toBeNull();
    const body = Buffer.from(await answer.arrayBuffer());
    const headers = [...answer.headers].reduce(
      (sum, [name, value]) => sum + name.length + value.length + 4,
      0,
    );
    expect(body.length + headers).toBeLessThan(9000);
    const text = brotliDecompressSync(body).toString();
    expect(text).toContain(payment.address);
    expect(text).toContain(payment.qr.path);
    expect(text).toContain('<html lang="ar"');
    expect(text).not.toMatch(/ style="/);
  });

  it('has a strict policy, with HSTS only over https', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const secure = await bench.get(`/pay/${id}`, html);
    const policy = secure.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain('upgrade-insecure-requests');
    expect(policy).not.toContain('unsafe');
    expect(secure.headers.get('strict-transport-security')).toContain('max-age');
    bench.restart({ publicUrl: 'http://localhost:8080' });
    const plain = await bench.get(`/pay/${id}/`, html);
    expect(plain.headers.get('content-security-policy')).not.toContain('upgrade-insecure-requests');
    expect(plain.headers.get('strict-transport-security')).toBeNull();
  });

  it('exists for an invoice in both forms of its id, and for nothing else', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    for (const path of [
      `/invoice/${payment.invoice_id}/`,
      `/invoice/${dashless(payment.invoice_id)}`,
      `/pay/${payment.invoice_id}/`,
      `/invoice/${payment.invoice_id}//`,
      `//pay/${id}/`,
    ])
      expect((await bench.get(path, html)).body).toContain(payment.address);
    for (const path of [
      `/invoice/${id}/`,
      '/pay/unknown/',
      '/invoice/11111111-1111-4111-8111-111111111111/',
      '/pay/%3Cscript%3Ealert(1)%3C/',
    ]) {
      const answer = await bench.get(path, html);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        404,
        'text/html; charset=utf-8',
      ]);
      expect(answer.body).not.toContain('<script>alert');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    expect((await bench.get('/pay/unknown/', { accept: 'application/json' })).body.reason).toBe(
      'NotFound',
    );
  });

  it('reports an outage of the service without details', async () => {
    const bench = setUp();
    bench.service.faults.push({ how: 'down', path: /./, times: 99 });
    const { status, body, headers } = await bench.get(
      '/invoice/11111111-1111-4111-8111-111111111111/',
      html,
    );
    expect([status, headers.has('retry-after')]).toEqual([503, true]);
    expect(body).toContain('<html');
    expect(body).not.toContain('SECRET');
  });
});

describe('a success link in the URL of the page', () => {
  it('is stored if its origin is listed, and shown after payment', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    const link = `${SHOP_ORIGIN}/thanks?c={checkout_id}`;
    const page = await bench.get(
      `/invoice/${payment.invoice_id}/?success_url=${encodeURIComponent(link)}`,
      html,
    );
    expect(page.body).not.toContain('thanks');
    expect((await bench.get(`/checkouts/${payment.invoice_id}`)).body.success_url).toBeNull();
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await bench.call('invoice_confirmed', payment.invoice_id);
    expect((await bench.get(`/checkouts/${payment.invoice_id}`)).body.success_url).toBe(
      `${SHOP_ORIGIN}/thanks?c=${payment.invoice_id}`,
    );
  });

  it('to another origin is ignored and not shown', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await bench.call('invoice_confirmed', payment.invoice_id);
    for (const link of [
      'https://evil.example/',
      'javascript:alert(1)',
      '//evil.example',
      `${SHOP_ORIGIN}@evil.example/`,
    ]) {
      for (const path of [`/invoice/${payment.invoice_id}/`, `/pay/${id}/`]) {
        const page = await bench.get(`${path}?success_url=${encodeURIComponent(link)}`, html);
        expect(page.status).toBe(200);
        expect(page.body).not.toMatch(/evil|alert\(1\)/);
      }
      await bench.post('/checkouts', { order: token(), success_url: link });
      expect(
        (await bench.get(`/checkouts/${id}?success_url=${encodeURIComponent(link)}`)).body
          .success_url,
      ).toBeNull();
    }
  });

  it('of a signed order has priority', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'BTC', {
      success_url: 'https://anywhere.example/done',
    });
    await bench.get(`/checkouts/${id}?success_url=${encodeURIComponent(`${SHOP_ORIGIN}/other`)}`);
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await bench.call('invoice_confirmed', payment.invoice_id);
    expect((await bench.get(`/checkouts/${id}`)).body.success_url).toBe(
      'https://anywhere.example/done',
    );
  });
});

describe('a form without scripts', () => {
  const form = (path: string, body: string, headers: Record<string, string> = {}) =>
    ({
      path,
      init: {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      },
    }) as const;

  const posted = async (
    bench: ReturnType<typeof setUp>,
    body: string,
    headers: Record<string, string> = {},
  ) => {
    const { path, init } = form('/checkouts', body, {
      'sec-fetch-site': 'cross-site',
      accept: 'text/html',
      ...headers,
    });
    return bench.bff.request(path, init);
  };

  it('opens a signed order from any page, and shows its checkout', async () => {
    const bench = setUp();
    const signed = token();
    for (const origin of [SHOP_ORIGIN, 'https://unlisted.example', 'null']) {
      const answer = await posted(bench, `order=${signed}`, { origin });
      const { id } = (await bench.post('/checkouts', { order: signed })).body;
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `/pay/${id}/`]);
    }
    const framed = await posted(bench, `order=${signed}`, { 'sec-fetch-dest': 'iframe' });
    expect(framed.headers.get('location')).toMatch(/^\/frame\/\w+\/$/);
    expect(await bench.store.list('checkout/', '', 10)).toHaveLength(1);
  });

  it.each([
    ['an order with another secret', `order=${token({}, { secret: 'other' })}`, 401],
    ['an order as text', 'order=%7B%22order_id%22%3A%22A-1%22%7D', 400],
    ['an item of the catalogue', 'item=mug', 400],
    ["a page's own price", 'offer=1&amount=0.01', 400],
    ['nothing', '', 400],
  ])('is rejected with an error page: %s', async (_, body, status) => {
    const bench = setUp({ allowClientPrices: true });
    const answer = await posted(bench, body);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      status,
      'text/html; charset=utf-8',
    ]);
    expect(await bench.store.list('checkout/', '', 10)).toEqual([]);
  });

  it('has a limit that does not affect other requests of the address', async () => {
    const bench = setUp({ rateLimit: { perSecond: 20, burst: 60 } });
    const answers = [];
    for (let at = 0; at < 60; at += 1)
      answers.push((await posted(bench, `order=${token({}, { secret: 'other' })}`)).status);
    expect(new Set(answers)).toEqual(new Set([401, 429]));
    expect((await bench.post('/checkouts', { order: token() })).status).toBe(201);
  });

  it('chooses a coin, renews, and redirects to the page', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const chosen = form(`/checkouts/${id}/payment`, 'kind=BTC', {
      origin: 'null',
      'sec-fetch-site': 'same-origin',
    });
    const answer = await bench.bff.request(chosen.path, chosen.init);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/pay/${id}/`]);
    const { payment } = (await bench.get(`/checkouts/${id}`)).body;
    bench.advance(901);
    const renewed = form(`/checkouts/${payment.invoice_id}/renew`, '', { origin: PUBLIC_URL });
    const back = await bench.bff.request(renewed.path, renewed.init);
    expect([back.status, back.headers.get('location')]).toEqual([
      303,
      `/invoice/${payment.invoice_id}/`,
    ]);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('pay');
  });

  it('of a foreign page is rejected', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    for (const headers of [
      { origin: 'https://evil.test' },
      { origin: SHOP_ORIGIN },
      { origin: 'null' },
      { origin: PUBLIC_URL, 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const { path, init } = form(`/checkouts/${id}/payment`, 'kind=BTC', headers);
      expect((await bench.bff.request(path, init)).status).toBe(403);
    }
    expect(bench.service.invoices).toHaveLength(0);
  });

  it('keeps the path prefix of the pages', async () => {
    const bench = setUp({ publicUrl: 'https://shop.test/pay-here' });
    const { id } = await open(bench);
    const { path, init } = form(`/checkouts/${id}/payment`, 'kind=BTC');
    expect((await bench.bff.request(path, init)).headers.get('location')).toBe(
      `/pay-here/pay/${id}/`,
    );
  });
});

describe('the URL for a new quote', () => {
  const expired = async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    bench.advance(901);
    return {
      bench,
      path: `/invoice/${payment.invoice_id}/renew/`,
      renewals: () => bench.service.count('POST', /renew/),
    };
  };

  it('renews an expired invoice and shows it', async () => {
    const { bench, path, renewals } = await expired();
    const { status, headers } = await bench.get(`${path}?success_url=x`, html);
    expect([status, headers.get('location'), renewals()]).toEqual([
      303,
      path.replace('renew/', '?success_url=x'),
      1,
    ]);
    await bench.get(path, html);
    expect(renewals()).toBe(1);
  });

  it.each([
    { purpose: 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { 'x-moz': 'prefetch' },
    { 'user-agent': 'WhatsApp/2.23' },
    { 'user-agent': 'TelegramBot (like TwitterBot)' },
    { 'user-agent': 'Slackbot-LinkExpanding 1.0' },
    { 'user-agent': 'facebookexternalhit/1.1' },
  ])('does nothing for %o', async (headers) => {
    const { bench, path, renewals } = await expired();
    expect((await bench.get(path, headers as Record<string, string>)).status).toBe(303);
    expect(renewals()).toBe(0);
  });

  it('does nothing for HEAD, and nothing for a valid quote', async () => {
    const { bench, path, renewals } = await expired();
    expect((await bench.bff.request(path, { method: 'HEAD' })).status).toBe(303);
    expect(renewals()).toBe(0);
    const fresh = await choose(bench, 'LTC', { order_id: 'A-2', exp: 2e9 });
    expect((await bench.get(`/invoice/${fresh.payment.invoice_id}/renew/`)).status).toBe(303);
    expect(renewals()).toBe(0);
  });
});

describe('scripts', () => {
  const elements = () => {
    const file = (text: string) => ({
      body: new TextEncoder().encode(text),
      brotli: new TextEncoder().encode(`br:${text}`),
      type: 'text/javascript; charset=utf-8',
    });
    return {
      manifest: {
        version: '1.2.3',
        embed: 'crypto-checkout.mjs',
        classic: 'crypto-checkout.js',
        page: 'page-abc.mjs',
        locales: {},
        sri: {},
        sizes: {},
      },
      files: new Map([
        ['crypto-checkout.mjs', file('embed')],
        ['crypto-checkout.js', file('classic')],
        ['page-abc.mjs', file('page')],
      ]),
    };
  };

  it('are immutable under their version, for every origin, compressed if accepted', async () => {
    const bench = setUp({ elements: elements() });
    const plain = await bench.get('/elements/1.2.3/crypto-checkout.mjs');
    expect([plain.status, plain.body, plain.headers.get('cache-control')]).toEqual([
      200,
      'embed',
      'max-age=31536000, immutable',
    ]);
    expect(plain.headers.get('access-control-allow-origin')).toBe('*');
    // Only a classic script is fetched without CORS.
    expect(plain.headers.get('cross-origin-resource-policy')).toBeNull();
    const classic = await bench.get('/elements/1.2.3/crypto-checkout.js');
    expect(classic.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const small = await bench.get('/elements/1.2.3/crypto-checkout.mjs', {
      'accept-encoding': 'gzip, br;q=1.0',
    });
    expect([small.body, small.headers.get('content-encoding'), small.headers.get('vary')]).toEqual([
      'br:embed',
      'br',
      'Accept-Encoding',
    ]);
    const refused = await bench.get('/elements/1.2.3/crypto-checkout.mjs', {
      'accept-encoding': 'br;q=0, gzip',
    });
    expect([refused.body, refused.headers.get('content-encoding')]).toEqual(['embed', null]);
    for (const path of [
      '/elements/1.2.4/crypto-checkout.mjs',
      '/elements/1.2.3/manifest.json',
      '/elements/1.2.3/..%2f..%2fetc%2fpasswd',
      '/elements/1.2.3/',
    ])
      expect((await bench.get(path)).status).toBe(404);
  });

  it('have an unversioned alias for the tag', async () => {
    const bench = setUp({ elements: elements() });
    const { body, headers } = await bench.get('/crypto-checkout.js');
    expect([
      body,
      headers.get('cache-control'),
      headers.get('access-control-allow-origin'),
    ]).toEqual([
      expect.stringMatching(/^import\(.*'\.\/elements\/1\.2\.3\/crypto-checkout\.mjs'\);\n$/),
      'public, max-age=300',
      '*',
    ]);
  });

  it('do not exist without a build', async () => {
    const bench = setUp();
    expect((await bench.get('/crypto-checkout.js')).status).toBe(404);
  });
});

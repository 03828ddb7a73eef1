import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../store/memory.ts';
import {
  PUBLIC_URL,
  SHOP_ORIGIN,
  type Bench,
  choose,
  open,
  setUp,
} from '../../test/support/bench.ts';

const json = { accept: 'application/json' };
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const curl = { 'user-agent': 'curl/8.5.0', accept: '*/*' };
const dashless = (id: string): string => id.replaceAll('-', '').toUpperCase();
const policyOf = (headers: Headers): string => headers.get('content-security-policy') ?? '';

async function pay(bench: Bench, invoiceId: string): Promise<void> {
  bench.service.pay(invoiceId, { confirmations: 6 });
  await bench.call('invoice_complete', invoiceId);
}

describe('a program at a payment link', () => {
  it('gets the JSON of the checkout endpoint', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    for (const [page, api] of [
      [`/pay/${id}/`, `/checkouts/${id}`],
      [`/pay/${payment.invoice_id}/`, `/checkouts/${payment.invoice_id}`],
      [`/invoice/${payment.invoice_id}/`, `/checkouts/${payment.invoice_id}`],
      [`/invoice/${dashless(payment.invoice_id)}/`, `/checkouts/${payment.invoice_id}`],
    ] as const) {
      const [here, there] = [await bench.get(page, json), await bench.get(api, json)];
      expect([here.status, here.body]).toEqual([200, there.body]);
      for (const name of [
        'etag',
        'date',
        'cache-control',
        'content-type',
        'access-control-allow-origin',
      ])
        expect([name, here.headers.get(name)]).toEqual([name, there.headers.get(name)]);
      expect(here.headers.get('vary')).toMatch(/Origin.*Accept, .*User-Agent/);
      const again = await bench.get(page, {
        ...json,
        'if-none-match': here.headers.get('etag') ?? '',
      });
      expect([again.status, again.body]).toEqual([304, '']);
    }
  });

  it('stores a success link, and gets errors as JSON', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    await bench.get(`/pay/${id}/?success_url=${encodeURIComponent(`${SHOP_ORIGIN}/done`)}`, json);
    await pay(bench, payment.invoice_id);
    expect((await bench.get(`/pay/${id}/`, json)).body.success_url).toBe(`${SHOP_ORIGIN}/done`);
    for (const path of ['/pay/unknown/', `/invoice/${id}/`]) {
      const { status, body } = await bench.get(path, json);
      expect([status, body.reason]).toEqual([404, 'NotFound']);
    }
  });

  it('can read from a page of EMBED_ORIGINS', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const answer = await bench.get(`/pay/${id}/`, { ...json, origin: SHOP_ORIGIN });
    expect(answer.headers.get('access-control-allow-origin')).toBe(SHOP_ORIGIN);
    expect(
      (await bench.get(`/pay/${id}/`, { ...json, origin: 'https://evil.test' })).headers.get(
        'access-control-allow-origin',
      ),
    ).toBeNull();
  });
});

describe('a person at a terminal', () => {
  it('chooses a coin and gets QR code, amount and address with curl', async () => {
    const bench = setUp();
    const { id } = await open(bench, { description: 'Mug' });
    const list = await bench.get(`/pay/${id}/`, curl);
    expect([list.status, list.headers.get('content-type')]).toEqual([
      200,
      'text/plain; charset=utf-8',
    ]);
    expect(list.headers.get('vary')).toBe('Accept, Accept-Encoding, Accept-Language, User-Agent');
    expect(list.headers.get('x-content-type-options')).toBe('nosniff');
    expect(list.body).toContain('Mug');
    const [, data, address = ''] = /curl -L -d (\S+) (\S+)/.exec(list.body) ?? [];
    expect(data).toMatch(/^kind=\w/);
    // The request of `curl -L -d`, and its redirect.
    const chosen = await bench.bff.request(address.replace(PUBLIC_URL, ''), {
      method: 'POST',
      headers: { ...curl, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'kind=BTC',
    });
    expect(chosen.status).toBe(303);
    const paying = await bench.get(chosen.headers.get('location') ?? '', {
      ...curl,
      'accept-language': 'de',
    });
    const { payment } = (await bench.get(`/checkouts/${id}`)).body;
    expect(paying.headers.get('content-language')).toBe('de');
    expect(paying.body).toContain(`Adresse: ${payment.address}`);
    expect(paying.body).toContain(`Betrag: ${payment.due} BTC`);
    expect(paying.body).toMatch(/█▀▀▀▀▀█/);
    expect(paying.body).toContain(`${PUBLIC_URL}/pay/${id}/`);
  });

  it('gets a sentence for an unknown checkout', async () => {
    const missing = await setUp().get('/pay/unknown/', { ...curl, 'accept-language': 'de' });
    expect([missing.status, missing.headers.get('content-type')]).toEqual([
      404,
      'text/plain; charset=utf-8',
    ]);
    expect(missing.body).toContain('Zahlung');
  });

  it('gets the mistake of a form in words, with the link of the payment', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const send = async (path: string, headers: Record<string, string>, body = 'kind=NOPE') => {
      const all = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
      const answer = await bench.bff.request(path, { method: 'POST', headers: all, body });
      return { status: answer.status, headers: answer.headers, body: await answer.text() };
    };
    const wrong = await send(`/checkouts/${id}/payment`, { ...curl, 'accept-language': 'de' });
    expect([wrong.status, wrong.headers.get('content-type')]).toEqual([
      400,
      'text/plain; charset=utf-8',
    ]);
    expect(wrong.headers.get('content-language')).toBe('de');
    expect(wrong.body.split('\n').slice(-3)).toEqual([
      "This order doesn't support selected payment currency NOPE.",
      `${PUBLIC_URL}/pay/${id}/`,
      '',
    ]);
    expect(wrong.body).not.toContain('{');
    expect((await send(`/checkouts/${id}/payment`, curl, 'coin=BTC')).body).toContain(
      'kind is missing, and must be a text.',
    );
    const unknown = await send('/checkouts/unknown/payment', curl);
    expect([unknown.status, unknown.body.includes('/pay/unknown')]).toEqual([404, false]);

    // A browser without scripts gets a page, also in a frame; a program gets JSON.
    const page = await send(`/checkouts/${id}/payment`, {
      ...html,
      origin: PUBLIC_URL,
      'sec-fetch-site': 'same-origin',
    });
    expect([page.status, page.body.startsWith('<!doctype html>')]).toEqual([400, true]);
    expect(page.body).toContain(`<a href="${PUBLIC_URL}/pay/${id}/">`);
    expect(policyOf(page.headers)).toContain("frame-ancestors 'none';");
    const framed = await send(`/checkouts/${id}/payment`, {
      ...html,
      origin: PUBLIC_URL,
      'sec-fetch-site': 'same-origin',
      'sec-fetch-dest': 'iframe',
    });
    expect(policyOf(framed.headers)).toContain(`frame-ancestors ${SHOP_ORIGIN};`);
    expect(framed.body).toContain(`<a href="${PUBLIC_URL}/frame/${id}/">`);
    expect(
      JSON.parse((await send(`/checkouts/${id}/payment`, { accept: 'application/json' })).body),
    ).toMatchObject({
      reason: 'CurrencyNotEnabled',
    });
  });

  it('gets no colour codes for Accept: text/plain, and the page for text/html', async () => {
    const bench = setUp();
    const { id } = await choose(bench);
    expect((await bench.get(`/pay/${id}/`, curl)).body).toContain('\u001b[');
    expect((await bench.get(`/pay/${id}/`, { ...curl, accept: 'text/plain' })).body).not.toContain(
      '\u001b',
    );
    expect((await bench.get(`/pay/${id}/`, { accept: 'text/plain' })).body).not.toContain('\u001b');
    expect((await bench.get(`/pay/${id}/`, { ...curl, accept: 'text/html' })).body).toContain(
      '<!doctype html>',
    );
  });
});

describe('the page in a shop’s frame', () => {
  it('can be framed only by EMBED_ORIGINS; other pages cannot be framed', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    for (const path of [
      `/frame/${id}/`,
      `/frame/${payment.invoice_id}`,
      `/frame/${dashless(payment.invoice_id)}/`,
    ]) {
      const { status, headers, body } = await bench.get(path, html);
      expect([status, headers.get('x-frame-options')]).toEqual([200, null]);
      expect(policyOf(headers)).toContain(`frame-ancestors ${SHOP_ORIGIN};`);
      expect(body).toMatch(/<html [^>]*data-frame/);
    }
    for (const path of [`/pay/${id}/`, `/invoice/${payment.invoice_id}/`])
      expect(policyOf((await bench.get(path, html)).headers)).toContain("frame-ancestors 'none';");
    bench.restart({ embedOrigins: [] });
    expect(policyOf((await bench.get(`/frame/${id}/`, html)).headers)).toContain(
      "frame-ancestors 'none';",
    );
  });

  it('is HTML for every client, in the language and theme of its URL', async () => {
    const bench = setUp();
    const { id } = await choose(bench);
    const { body } = await bench.get(`/frame/${id}/?lang=ar&theme=dark&accent=red`, {
      ...curl,
      'accept-language': 'de',
    });
    expect(body).toContain(
      '<html lang="ar" dir="rtl" data-frame="https://shop.test" data-theme="dark">',
    );
    expect(body).not.toContain('red"');
  });

  it('shows errors inside the frame', async () => {
    const { status, headers, body } = await setUp().get('/frame/unknown/', html);
    expect([status, body.includes('<!doctype html>')]).toEqual([404, true]);
    expect(policyOf(headers)).toContain(`frame-ancestors ${SHOP_ORIGIN};`);
  });
});

describe('without scripts', () => {
  it('other coins and the way back are links that keep URL and language', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const page = await bench.get(`/pay/${id}/?lang=de`, html);
    expect(page.body).toContain(`href="/pay/${id}/?lang=de&amp;show=coins"`);
    const coins = await bench.get(`/pay/${id}/?lang=de&show=coins`, html);
    expect(coins.body).toMatch(/<input[^>]*type="radio"[^>]*value="LTC"/);
    expect(coins.body).toContain(`action="/checkouts/${id}/payment?lang=de"`);
    expect(coins.body).toContain(`href="/pay/${id}/?lang=de"`);
    // The chosen coin does not change.
    expect(coins.body).not.toContain('http-equiv="refresh"');
    const own = await bench.get(`/pay/${id}/`, { ...html, 'accept-language': 'de' });
    expect(own.body).toContain(`href="/pay/${id}/?show=coins"`);
    expect((await bench.get(`/invoice/${payment.invoice_id}/?lang=de`, html)).body).toContain(
      `href="/invoice/${payment.invoice_id}/?lang=de"`,
    );
  });

  it('a form redirects to the page in its language', async () => {
    const bench = setUp();
    const { id } = await open(bench, { description: 'Mug' });
    const send = async (lang: string): Promise<string | null> => {
      const answer = await bench.bff.request(`/checkouts/${id}/payment?lang=${lang}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'kind=BTC',
      });
      return answer.headers.get('location');
    };
    expect(await send('zh-Hant')).toBe(`/pay/${id}/?lang=zh-Hant`);
    expect(await send('%0d%0ax:y')).toBe(`/pay/${id}/`);
  });

  it('a waiting page shows the deadline and a link to reload', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const text = (await bench.get(`/pay/${id}/`, html)).body;
    const [noscript] = /<noscript><p>.*?<\/noscript>/s.exec(text) ?? [''];
    // An extension is possible and shown.
    expect(text).toMatch(/This price holds until [^<]*UTC/);
    expect(noscript).toContain(`<a href="/pay/${id}/">Refresh</a>`);
    expect(text).toContain('<noscript><meta http-equiv="refresh"');
    await pay(bench, payment.invoice_id);
    expect((await bench.get(`/pay/${id}/`, html)).body).not.toContain('<noscript>');
  });
});

describe('an on-ramp page', () => {
  it('can be framed only on the page where the buyer opened it', async () => {
    const bench = setUp({ onrampUrl: 'https://sell.test/w?key={api_key}&to={address}' });
    bench.service.onrampApiKey = 'key';
    const { id, payment } = await choose(bench, 'ETH_USDT');
    const closed = await bench.get(`/pay/${id}/`, html);
    expect(closed.body).toContain(`href="/pay/${id}/?show=onramp#onramp"`);
    expect(closed.body).not.toContain('<iframe');
    expect(policyOf(closed.headers)).not.toContain('sell.test');
    const opened = await bench.get(`/pay/${id}/?show=onramp`, html);
    expect(opened.body).toContain(
      `<iframe src="https://sell.test/w?key=key&amp;to=${payment.address}"`,
    );
    expect(policyOf(opened.headers)).toContain('frame-src https://sell.test;');
    await pay(bench, payment.invoice_id);
    const paid = await bench.get(`/pay/${id}/?show=onramp`, html);
    expect([paid.body.includes('sell.test'), policyOf(paid.headers).includes('sell.test')]).toEqual(
      [false, false],
    );
  });
});

describe('the receipt', () => {
  it('contains all facts of the payment and a link back', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'BTC', {
      description: 'Mug',
      shop_url: `${SHOP_ORIGIN}/back`,
    });
    await pay(bench, payment.invoice_id);
    const { transactions } = (await bench.get(`/checkouts/${id}`)).body.payment;
    const { body } = await bench.get(`/pay/${id}/?show=receipt`, html);
    const words = body.replaceAll(/<style>.*?<\/style>|<[^>]+>/gs, '');
    for (const proof of [
      'Test Shop',
      'A-1',
      payment.invoice_id,
      transactions[0].txid,
      '0.001 BTC',
      '2026',
      payment.address,
    ])
      expect(words).toContain(proof);
    expect(body).toContain(`href="${SHOP_ORIGIN}/back"`);
    // Also in print, and for ever.
    expect(words).toContain(`${PUBLIC_URL}/pay/${id}/?show=receipt`);
    expect((await bench.get(`/pay/${id}/?show=receipt`, curl)).body).toContain(
      transactions[0].txid,
    );
  });

  it('stays at the same link when the store has lost the order', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    await pay(bench, payment.invoice_id);
    const { transactions } = (await bench.get(`/checkouts/${payment.invoice_id}`)).body.payment;
    bench.restart({ store: createMemoryStore() });
    bench.advance(400 * 24 * 3600);
    for (const id of [payment.invoice_id, dashless(payment.invoice_id)])
      for (const headers of [html, curl, json]) {
        const answer = await bench.get(`/invoice/${id}/?show=receipt`, headers);
        expect(answer.status).toBe(200);
        expect(JSON.stringify(answer.body)).toContain(transactions[0].txid);
        expect(JSON.stringify(answer.body)).toContain('A-1');
      }
  });
});

describe('the preview of a link', () => {
  it('contains the shop and the amount, and nothing private', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'BTC', { description: 'Something private' });
    const { body } = await bench.get(`/pay/${id}/`, { ...html, 'user-agent': 'WhatsApp/2.23' });
    const head = /<head>.*?<\/head>/s.exec(body)?.[0] ?? '';
    expect(head).toMatch(/<title>Test Shop · \$50\.00 · Payment<\/title>/);
    expect(head).toContain(
      '<meta name="description" property="og:description" content="Pay with cryptocurrency">',
    );
    expect(head).toContain('<meta property="og:title" content="Pay Test Shop $50.00">');
    expect(head).toContain(
      '<meta property="og:image" content="https://pay.test/merchant/preview.png">',
    );
    expect(head).not.toMatch(/Something private|A-1/);
    expect(head).not.toContain(payment.address);
    expect(head).not.toContain(payment.invoice_id);
  });
});

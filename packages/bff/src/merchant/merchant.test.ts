import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { choose, open, setUp } from '../../test/support/bench.ts';
import { loadConfig } from '../host/config.ts';
import { readLogo } from '../host/merchant-logo.ts';
import { OptionsError } from '../options.ts';
import { isMerchantColor } from './merchant.ts';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script>alert(1)</script></svg>';
const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
const merchantLogo = { body: bytes(SVG), type: 'image/svg+xml' } as const;
const HTML = { accept: 'text/html' };

/** Writes a file and returns its path. */
function file(content: string | Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), 'logo-')), 'logo');
  writeFileSync(path, content);
  return path;
}

describe('the logo', () => {
  it('is an image of our own origin in the view and in the tab, and runs nothing', async () => {
    const bench = setUp({ merchantLogo });
    const view = await open(bench);
    const path = /^https:\/\/pay\.test(\/merchant\/logo-\w+\.svg)$/.exec(view.merchant.logo)?.[1];
    const { status, headers, body } = await bench.get(path ?? '');
    expect([status, body]).toEqual([200, SVG]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const page = (await bench.get(`/pay/${view.id}/`, HTML)).body;
    expect(page).toContain(`<link rel="icon" href="${view.merchant.logo}">`);
    expect(page).toMatch(new RegExp(`<img[^>]*part="logo"[^>]*src="${view.merchant.logo}"`));
    expect(page).not.toContain('<script>');
  });

  it('has another address when it changes, and none without a logo', async () => {
    const [one, other] = await Promise.all(
      [SVG, `${SVG} `].map(async (text) =>
        open(setUp({ merchantLogo: { ...merchantLogo, body: bytes(text) } })),
      ),
    );
    expect(one!.merchant.logo).not.toBe(other!.merchant.logo);
    const bench = setUp();
    const view = await open(bench);
    expect(view.merchant.logo).toBeNull();
    expect((await bench.get(`/pay/${view.id}/`, HTML)).body).toContain(
      '<link rel="icon" href="data:,">',
    );
    expect((await bench.get('/merchant/logo-1.svg')).status).toBe(404);
  });

  it('is read from a file by its content', () => {
    const png = PNG.sync.write(new PNG({ width: 1, height: 1 }));
    expect(readLogo(file(png)).type).toBe('image/png');
    for (const svg of [
      SVG,
      `<?xml version="1.0"?>\n<!-- drawn -->\n<!DOCTYPE svg>${SVG}`,
      `\uFEFF ${SVG}`,
    ])
      expect(readLogo(file(svg)).type).toBe('image/svg+xml');
  });

  it.each([
    ['of another type', '<html><svg></svg></html>', 'is neither'],
    ['that is empty', '', 'is neither'],
    ['that is too large', SVG.padEnd(20_001), 'has 20001'],
  ])('of a file %s is refused in one sentence', (_, content, why) => {
    const path = file(content);
    expect(() => readLogo(path)).toThrow(
      new OptionsError(
        `MERCHANT_LOGO must be a file with an SVG or PNG image of at most 20000 bytes: "${path}" ${why}.`,
      ),
    );
  });

  it('of a missing file, or too large from an own server, is refused too', () => {
    expect(() => readLogo('/nowhere/logo.svg')).toThrow(/"\/nowhere\/logo\.svg" cannot be read\.$/);
    const large = { ...merchantLogo, body: new Uint8Array(20_001) };
    expect(() => setUp({ merchantLogo: large })).toThrow(
      'MERCHANT_LOGO must have at most 20000 bytes, not 20001.',
    );
  });
});

describe('the colour', () => {
  it.each([
    ['#a3122a', true],
    ['#2746C7', true],
    ['#000000', true],
    ['#767676', true],
    ['#777777', false],
    ['#ffdd00', false],
    ['#abc', false],
    ['red', false],
    ['#a3122a;}', false],
  ])('%s: %s', (color, allowed) => {
    expect(isMerchantColor(color)).toBe(allowed);
  });

  it('is on our own pages, allowed by its hash, and not in the frame of a shop', async () => {
    const bench = setUp({ merchantColor: '#a3122a' });
    const { id } = await choose(bench);
    const page = await bench.get(`/pay/${id}/`, HTML);
    const style = /<style>(crypto-checkout\{[^<]*)<\/style>/.exec(page.body)?.[1] ?? '';
    expect(style).toContain('--crypto-checkout-accent:light-dark(#a3122a,');
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style));
    const hash = `'sha256-${Buffer.from(digest).toString('base64')}'`;
    expect(page.headers.get('content-security-policy')).toContain(hash);
    expect((await bench.get(`/frame/${id}/`, HTML)).body).not.toContain('#a3122a');
    expect(() => setUp({ merchantColor: 'yellow' })).toThrow(
      /^MERCHANT_COLOR must be a colour such/,
    );
  });
});

describe('the company', () => {
  const merchantCompany = { name: 'Quay & Co. GmbH', address: '1 Quay, Kiel', country: 'DE' };

  it('is in the view, which says whether an exchange certainly asks', async () => {
    const bench = setUp({ merchantCompany });
    bench.service.rates['EUR'] = '1.25';
    const asked = async (amount: string, currency = 'USD'): Promise<unknown> =>
      (await open(bench, { order_id: `${amount} ${currency}`, amount, currency })).merchant.legal;
    expect(await asked('1250')).toEqual({ ...merchantCompany, asked: false });
    expect(await asked('1250.01')).toEqual({ ...merchantCompany, asked: true });
    expect(await asked('1000', 'EUR')).toMatchObject({ asked: false });
    expect(await asked('1000.01', 'EUR')).toMatchObject({ asked: true });
  });

  it('is null in the view without a name, and a wrong country is refused', async () => {
    expect((await open(setUp())).merchant.legal).toBeNull();
    expect(() => setUp({ merchantCompany: { ...merchantCompany, country: 'Germany' } })).toThrow(
      'MERCHANT_COUNTRY must be a country code of two capital letters, such as DE.',
    );
  });

  it.each([
    [
      { MERCHANT_COUNTRY: 'Germany' },
      'MERCHANT_COUNTRY must be a country code of two capital letters, such as DE, not "Germany".',
    ],
    [
      { MERCHANT_ADDRESS: '1 Quay' },
      'MERCHANT_LEGAL_NAME is missing: MERCHANT_ADDRESS and MERCHANT_COUNTRY belong to that company.',
    ],
    [
      { MERCHANT_LEGAL_NAME: 'Quay\nKiel' },
      'MERCHANT_LEGAL_NAME must be one line of at most 120 characters, not "Quay\nKiel".',
    ],
    [
      { MERCHANT_COLOR: '#fff' },
      'MERCHANT_COLOR must be a colour such as #a3122a that white text is readable on (a contrast of at least 4.5), not "#fff".',
    ],
  ])('with %o is refused in one sentence', (settings, sentence) => {
    expect(() =>
      loadConfig({ SERVICE_URL: 'https://service.example', DATA_DIR: '/nowhere', ...settings }),
    ).toThrow(new OptionsError(sentence));
  });

  it('has every mistake named at once', () => {
    const settings = {
      DATA_DIR: '/nowhere',
      MERCHANT_COLOR: '#fff',
      MERCHANT_COUNTRY: 'DE',
      SHOP_WEBHOOK_URL: 'https://shop.example/webhooks',
    };
    expect(() => loadConfig(settings)).toThrow(
      new OptionsError(
        [
          'MERCHANT_COLOR must be a colour such as #a3122a that white text is readable on (a contrast of at least 4.5), not "#fff".',
          'SHOP_WEBHOOK_SECRET is missing: it signs the webhooks to SHOP_WEBHOOK_URL.',
          'MERCHANT_LEGAL_NAME is missing: MERCHANT_ADDRESS and MERCHANT_COUNTRY belong to that company.',
          'SERVICE_URL is missing: the address of the payment service.',
        ].join('\n'),
      ),
    );
  });
});

describe('a link preview', () => {
  const image = (page: string): string | undefined =>
    /<meta property="og:image" content="([^"]+)">/.exec(page)?.[1];

  it('says who is paid and how much, in the language, while something is to pay', async () => {
    const bench = setUp({ merchantName: 'Quay & Co.' });
    const { id, payment } = await choose(bench);
    const titleIn = async (language: string): Promise<string | undefined> =>
      /<meta property="og:title" content="([^"]+)">/.exec(
        (await bench.get(`/pay/${id}/`, { ...HTML, 'accept-language': language })).body,
      )?.[1];
    expect(await titleIn('en')).toBe('Pay Quay &amp; Co. $50.00');
    expect(await titleIn('de')).toBe('Bezahlen: Quay &amp; Co. 50,00\u00A0$');
    const seen = { ...HTML, 'sec-fetch-mode': 'navigate' };
    expect((await bench.get(`/pay/${id}/`, seen)).body).not.toContain('og:');
    const paid = bench.service.pay(payment.invoice_id, { confirmations: 6 });
    await bench.call('transaction_complete', paid.id);
    expect(await titleIn('en')).toBeUndefined();
  });

  it("has a picture of ours in the shop's colour, or the shop's PNG logo", async () => {
    const bench = setUp({ merchantColor: '#a3122a' });
    const { id } = await open(bench);
    const link = image((await bench.get(`/pay/${id}/`, HTML)).body);
    expect(link).toBe('https://pay.test/merchant/preview.png');
    const answer = await bench.bff.request('/merchant/preview.png');
    expect(answer.headers.get('content-type')).toBe('image/png');
    const body = Buffer.from(await answer.arrayBuffer());
    expect(body.length).toBeLessThan(4000);
    const { width, height, data } = PNG.sync.read(body);
    expect([width, height, ...data.subarray(0, 3)]).toEqual([600, 314, 0xa3, 0x12, 0x2a]);

    const logo = { body: bytes('png'), type: 'image/png' } as const;
    const own = setUp({ merchantLogo: logo, host: {} });
    expect((await own.get('/merchant/preview.png')).body).toBe('png');
    const bare = setUp({ host: {} });
    const view = await open(bare);
    expect(image((await bare.get(`/pay/${view.id}/`, HTML)).body)).toBeUndefined();
    expect((await bare.get('/merchant/preview.png')).status).toBe(404);
  });
});

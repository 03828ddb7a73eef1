import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readElements } from '../src/host/elements.ts';
import { OptionsError } from '../src/options.ts';
import { choose, open, setUp } from './shop.ts';

const ONRAMP = 'https://sell.test/w?key={api_key}&to={address}&coins={amount}&fiat={currency}&coin={symbol}&chain={network}';

describe('an on-ramp', () => {
  it('is filled in with what is due, once an address is there', async () => {
    const bench = setUp({ onrampUrl: ONRAMP });
    bench.service.onrampApiKey = 'k&e/y';
    expect((await open(bench)).onramp).toBeNull();
    const { id, payment, onramp } = await choose(bench, 'ETH_USDT');
    expect(onramp).toBe(`https://sell.test/w?key=k%26e%2Fy&to=${payment.address}&coins=50&fiat=USD&coin=USDT&chain=ethereum`);
    const part = bench.service.pay(payment.invoice_id, { amount: '20' });
    await bench.call('transaction_pending', part.id);
    expect((await bench.get(`/checkouts/${id}`)).body.onramp).toContain('&coins=30&');
    const rest = bench.service.pay(payment.invoice_id, { amount: '30' });
    await bench.call('transaction_pending', rest.id);
    expect((await bench.get(`/checkouts/${id}`)).body.onramp).toBeNull();
  });

  it('is there only where profile and operator have one, and never where a tag would be lost', async () => {
    const without = setUp({ onrampUrl: ONRAMP });
    expect((await choose(without)).onramp).toBeNull();
    const unset = setUp();
    unset.service.onrampApiKey = 'key';
    expect((await choose(unset)).onramp).toBeNull();
    const bench = setUp({ onrampUrl: ONRAMP });
    bench.service.onrampApiKey = 'key';
    expect((await choose(bench, 'XRP')).onramp).toBeNull();
    expect((await choose(bench, 'BTC_LIGHTNING')).onramp).toBeNull();
    expect((await choose(bench, 'BTC')).onramp).not.toBeNull();
  });

  it.each([
    'http://sell.test/?a={address}',
    'https://sell.test/',
    'https://sell.test/?a={address}&b={passphrase}',
    'https://{address}.test/',
    'https://user:pass@sell.test/?a={address}',
    'javascript:alert("{address}")',
    'https://sell.test/?a={address}&b={constructor}',
  ])('has an https address that gets the buyer’s, unlike %s', (onrampUrl) => {
    expect(() => setUp({ onrampUrl })).toThrow(OptionsError);
  });
});

describe("the shop's help", () => {
  it.each(['https://shop.test/help?a=b', 'mailto:help@shop.test', 'mailto:help@shop.test?subject=Order'])(
    'is shown: %s',
    async (supportUrl) => {
      expect((await open(setUp({ supportUrl }))).merchant).toEqual({ name: 'Test Shop', contact: supportUrl });
    },
  );

  it.each([
    'http://shop.test/',
    'javascript:alert(1)',
    'mailto:',
    'mailto:nobody',
    'tel:+123',
    '/help',
    'https://a:b@shop.test/',
    'data:,x',
  ])('is no link of another kind: %s', (supportUrl) => {
    expect(() => setUp({ supportUrl })).toThrow(OptionsError);
  });
});

describe('the built files', () => {
  const folder = () => {
    const path = mkdtempSync(join(tmpdir(), 'elements-'));
    const manifest = {
      version: '1.2.3',
      embed: 'crypto-checkout.mjs',
      classic: 'crypto-checkout.js',
      page: 'page-abc.mjs',
      sdk: 'sdk2.js',
      locales: {},
      sri: {},
      sizes: {},
    };
    for (const [name, text] of Object.entries({
      'manifest.json': JSON.stringify(manifest),
      'crypto-checkout.mjs': 'embed',
      'crypto-checkout.js': 'classic',
      'page-abc.mjs': 'page',
      'sdk2.js': 'sdk',
      'sdk2.js.br': 'br:sdk',
      'icon.svg': '<svg/>',
      'notes.secret': 'nothing for browsers',
    }))
      writeFileSync(join(path, name), text);
    return readElements(path);
  };

  it('are served with their types, the manifest with its fingerprints among them', async () => {
    const bench = setUp({ elements: folder() });
    for (const [name, type] of [
      ['manifest.json', 'application/json'],
      ['crypto-checkout.mjs', 'text/javascript; charset=utf-8'],
      ['sdk2.js', 'text/javascript; charset=utf-8'],
      ['icon.svg', 'image/svg+xml'],
    ] as const) {
      const { status, headers } = await bench.get(`/elements/1.2.3/${name}`);
      expect([name, status, headers.get('content-type'), headers.get('access-control-allow-origin')]).toEqual([name, 200, type, '*']);
    }
    expect((await bench.get('/elements/1.2.3/manifest.json')).body).toMatchObject({ version: '1.2.3', sdk: 'sdk2.js' });
    for (const name of ['notes.secret', 'sdk2.js.br', 'nothing.js']) expect((await bench.get(`/elements/1.2.3/${name}`)).status).toBe(404);
  });

  it.each(['/elements/0.9.0/crypto-checkout.mjs', '/elements/1.2.3/nothing.js', '/elements/crypto-checkout.mjs', '/elements/1.2.3/a/b.js'])(
    'say to every page, and as text, where they are instead of %s',
    async (path) => {
      const { status, body, headers } = await setUp({ elements: folder() }).get(path, { origin: 'https://stranger.example' });
      expect([status, body]).toEqual([
        404,
        'There is no such file. The scripts here are of version 1.2.3: /elements/1.2.3/crypto-checkout.mjs\n',
      ]);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      });
    },
  );

  it('have the address that old pages load, for every origin and checked again soon', async () => {
    const bench = setUp({ elements: folder() });
    const { status, body, headers } = await bench.get('/static/js/sdk2.js');
    expect([status, body]).toEqual([200, 'sdk']);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
    const small = await bench.get('/static/js/sdk2.js', { 'accept-encoding': 'br' });
    expect([small.body, small.headers.get('content-encoding')]).toEqual(['br:sdk', 'br']);
    expect((await bench.post('/static/js/sdk2.js', {})).status).toBe(405);
  });

  it('of a build without it have no such address', async () => {
    const built = folder();
    const { sdk: _, ...manifest } = built.manifest as typeof built.manifest & { sdk: string };
    const bench = setUp({ elements: { ...built, manifest } });
    expect((await bench.get('/static/js/sdk2.js')).status).toBe(404);
    expect((await setUp().get('/static/js/sdk2.js')).status).toBe(404);
  });
});

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { setUp } from '../../test/support/bench.ts';
import { readElements } from '../host/elements.ts';

describe('script files', () => {
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

  it('are served with their content types, including the manifest', async () => {
    const bench = setUp({ elements: folder() });
    for (const [name, type] of [
      ['manifest.json', 'application/json'],
      ['crypto-checkout.mjs', 'text/javascript'],
      ['sdk2.js', 'text/javascript; charset=utf-8'],
      ['icon.svg', 'image/svg+xml'],
    ] as const) {
      const { status, headers } = await bench.get(`/elements/1.2.3/${name}`);
      expect([
        name,
        status,
        headers.get('content-type'),
        headers.get('access-control-allow-origin'),
        headers.get('x-content-type-options'),
      ]).toEqual([name, 200, type, '*', 'nosniff']);
      // A drawing that is opened alone could run scripts; a script is shown as text.
      const policy = type.includes('javascript')
        ? null
        : "default-src 'none'; frame-ancestors 'none'";
      expect(headers.get('content-security-policy')).toBe(policy);
    }
    expect((await bench.get('/elements/1.2.3/manifest.json')).body).toMatchObject({
      version: '1.2.3',
      sdk: 'sdk2.js',
    });
    for (const name of ['notes.secret', 'sdk2.js.br', 'nothing.js'])
      expect((await bench.get(`/elements/1.2.3/${name}`)).status).toBe(404);
  });

  it.each([
    '/elements/0.9.0/crypto-checkout.mjs',
    '/elements/1.2.3/nothing.js',
    '/elements/crypto-checkout.mjs',
    '/elements/1.2.3/a/b.js',
  ])('answer 404 with the current URL for %s', async (path) => {
    const { status, body, headers } = await setUp({ elements: folder() }).get(path, {
      origin: 'https://stranger.example',
    });
    expect([status, body]).toEqual([
      404,
      'Unknown file. The scripts of this server have version 1.2.3: /elements/1.2.3/crypto-checkout.mjs\n',
    ]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
  });

  it('serve sdk2.js for existing integrations, to every origin and with a short cache', async () => {
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
    const other = await bench.bff.request('/static/js/sdk2.js', {
      headers: { 'accept-encoding': 'gzip, br;q=0' },
    });
    expect(other.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(await other.arrayBuffer()).toString()).toBe('sdk');
    for (const path of ['/static/js/sdk2.js', '/crypto-checkout.js']) {
      const etag = (await bench.get(path)).headers.get('etag') ?? '';
      expect(etag).toBe('W/"1.2.3"');
      const again = await bench.get(path, { 'if-none-match': etag });
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', etag]);
      expect((await bench.get(path, { 'if-none-match': 'W/"1.2.2"' })).status).toBe(200);
    }
    expect((await bench.post('/static/js/sdk2.js', {})).status).toBe(405);
  });

  it('without sdk2.js in the build have no such URL', async () => {
    const built = folder();
    const { sdk: _, ...manifest } = built.manifest as typeof built.manifest & { sdk: string };
    const bench = setUp({ elements: { ...built, manifest } });
    expect((await bench.get('/static/js/sdk2.js')).status).toBe(404);
    expect((await setUp().get('/static/js/sdk2.js')).status).toBe(404);
  });
});

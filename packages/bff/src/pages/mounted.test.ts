import { execFileSync } from 'node:child_process';
import { Hono } from 'hono';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bench, open, setUp, token } from '../../test/support/bench.ts';
import { inRoot } from '../../test/support/process.ts';
import { readElements } from '../host/elements.ts';

const SHOP = 'https://shop.test';
const PREFIX = '/checkout';
const HTML = { accept: 'text/html' };

beforeAll(() => void execFileSync(process.execPath, [inRoot('tools/built.mjs')]), 180_000);

/** A shop's server that mounts the BFF, with Hono's default way of treating trailing slashes. */
function shopWith(bench: Bench): Hono {
  const shop = new Hono();
  shop.get('/', (c) => c.text('the shop'));
  shop.mount(PREFIX, bench.bff.fetch);
  return shop;
}

const mounted = (): Bench =>
  setUp({
    publicUrl: `${SHOP}${PREFIX}`,
    elements: readElements(inRoot('dist/elements')),
    socketAddress: () => '192.0.2.1',
  });

/** The addresses of the shop's origin in a page: links, scripts, images and forms. */
function addressesIn(html: string, page: string): { links: string[]; forms: string[] } {
  const of = (names: string): string[] =>
    [...html.matchAll(new RegExp(`\\s(?:${names})="([^"]*)"`, 'g'))]
      .map(([, value = '']) => new URL(value.replaceAll('&amp;', '&'), page).href)
      .filter((url) => url.startsWith(`${SHOP}${PREFIX}`));
  return { links: [...new Set(of('href|src'))], forms: [...new Set(of('action|formaction'))] };
}

function postForm(shop: Hono, url: string, fields: Record<string, string>): Promise<Response> {
  return Promise.resolve(
    shop.request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: SHOP },
      body: new URLSearchParams(fields).toString(),
    }),
  );
}

describe('a BFF below a path of the shop', () => {
  it('answers every address that it gives out', async () => {
    const bench = mounted();
    const shop = shopWith(bench);
    const opened = await shop.request(`${SHOP}${PREFIX}/checkouts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ order: token() }),
    });
    const { id } = (await opened.json()) as { id: string };
    const location = opened.headers.get('location') ?? '';
    expect(location).toBe(`${SHOP}${PREFIX}/pay/${id}/`);

    const seen = new Set<string>();
    const forms = new Set<string>();
    const follow = async (url: string): Promise<void> => {
      if (seen.has(url)) return;
      seen.add(url);
      const answer = await shop.request(url, { headers: HTML });
      expect([url, answer.status]).toEqual([url, 200]);
      if (!answer.headers.get('content-type')?.startsWith('text/html')) return;
      const found = addressesIn(await answer.text(), url);
      for (const form of found.forms) forms.add(form);
      for (const link of found.links) await follow(link);
    };
    await follow(location);
    // A form of the page leads back to a page, and that page has addresses of its own.
    const choice = `${SHOP}${PREFIX}/checkouts/${id}/payment`;
    expect([...forms]).toContain(choice);
    const chosen = await postForm(shop, choice, { kind: 'BTC' });
    expect(chosen.status).toBe(303);
    await follow(new URL(chosen.headers.get('location') ?? '', SHOP).href);
    const invoice = bench.service.invoices[0]?.id ?? '';
    for (const page of [`pay/${id}`, `frame/${id}`, `invoice/${invoice}`])
      await follow(`${SHOP}${PREFIX}/${page}/`);
    for (const form of forms)
      expect([303, 409]).toContain((await postForm(shop, form, { kind: 'BTC' })).status);
    for (const address of [
      `checkouts/${id}`,
      `sdk/v1/invoices/qr/${invoice}/`,
      `sdk/v1/invoices/status/?id=${invoice}`,
      'livez',
      'readyz',
      '',
    ])
      await follow(`${SHOP}${PREFIX}/${address}`);
    expect([...seen].filter((url) => url.includes('/elements/')).length).toBeGreaterThan(0);
  });

  it('serves its scripts, which load each other below the path', async () => {
    const shop = shopWith(mounted());
    const alias = `${SHOP}${PREFIX}/crypto-checkout.js`;
    const line = await (await shop.request(alias)).text();
    const script = new URL(/'(\.[^']+)'/.exec(line)?.[1] ?? '', alias).href;
    expect(script).toContain(`${PREFIX}/elements/`);
    expect((await shop.request(script)).status).toBe(200);
    expect((await shop.request(`${SHOP}${PREFIX}/static/js/sdk2.js`)).status).toBe(200);
  });

  it('reports unknown paths and wrong methods itself, and leaves the shop its own', async () => {
    const bench = mounted();
    const shop = shopWith(bench);
    const { id } = await open(bench);
    const missing = await shop.request(`${SHOP}${PREFIX}/nothing/here`);
    expect([missing.status, await missing.json()]).toMatchObject([404, { reason: 'NotFound' }]);
    const wrong = await shop.request(`${SHOP}${PREFIX}/checkouts/${id}/`, { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await (await shop.request(`${SHOP}/`)).text()).toBe('the shop');
  });
});

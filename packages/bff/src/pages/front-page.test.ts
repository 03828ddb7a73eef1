import { expect, it } from 'vitest';
import { SHOP_ORIGIN, setUp } from '../../test/support/bench.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

it('a browser at the root gets a description and a link to the shop', async () => {
  const { status, headers, body } = await setUp().get('/', BROWSER);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(body).toContain('Test Shop');
  expect(body).toContain(`<a href="${SHOP_ORIGIN}">`);
  expect(body).toContain('https://pay.test/crypto-checkout.js');
});

it('the root has no link without a known shop', async () => {
  const { body } = await setUp({ embedOrigins: [] }).get('/', BROWSER);
  expect(body).toContain('Test Shop');
  expect(body).not.toContain('<a ');
});

it('the root works below a mount path', async () => {
  const { Hono } = await import('hono');
  const app = new Hono().route('/pay', setUp({ publicUrl: 'https://shop.test/pay' }).bff);
  expect((await app.request('/pay', { headers: BROWSER })).status).toBe(200);
});

it('a program at the root gets 404', async () => {
  for (const headers of [
    {},
    { accept: 'application/json' },
    { accept: '*/*', 'user-agent': 'curl/8' },
  ] as Record<string, string>[]) {
    const { status, body } = await setUp().get('/', headers);
    expect([status, body.reason]).toEqual([404, 'NotFound']);
  }
});

import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { call } from '../support/signed-call.ts';
import { expect, test } from '../support/fixtures.ts';
import { freePort, type Stack } from '../support/stack.ts';

// A hostile shop page, a forged envelope, a replayed or altered token, a guessed id, a forged
// callback.

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (
  claims: Record<string, unknown>,
  secret: string,
  header: Record<string, unknown> = { alg: 'HS256', typ: 'JWT' },
): string => {
  const head = `${part(header)}.${part(claims)}`;
  return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`;
};
const inAnHour = (): number => Math.floor(Date.now() / 1000) + 3600;
const openWith = (stack: Stack, body: unknown): Promise<Response> =>
  fetch(`${stack.publicUrl}/checkouts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('a page of another origin can open and read nothing', async ({ page, stack }) => {
  const port = await freePort();
  const hostile = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>x</title>'),
  );
  await new Promise<void>((done) => hostile.listen(port, '127.0.0.1', done));
  try {
    const good = token(
      { order_id: `hostile-${port}`, amount: '5', currency: 'USD', exp: inAnHour() },
      stack.credentials.order_secret,
    );
    const { id } = (await (await openWith(stack, { order: good })).json()) as { id: string };
    await page.goto(`http://localhost:${port}/`);
    const outcome = await page.evaluate(
      async ({ url, id, good }) => {
        const attempt = async (path: string, init?: RequestInit): Promise<string> => {
          try {
            return String((await fetch(url + path, init)).status);
          } catch {
            return 'blocked';
          }
        };
        return [
          await attempt(`/checkouts/${id}`),
          await attempt('/checkouts', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ order: good }),
          }),
          await attempt(`/checkouts/${id}/payment`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: '{"kind":"BTC"}',
          }),
        ];
      },
      { url: stack.publicUrl, id, good },
    );
    expect(outcome).toEqual(['blocked', 'blocked', 'blocked']);
    const now = (await (await fetch(`${stack.publicUrl}/checkouts/${id}`)).json()) as {
      stage: string;
    };
    expect(now.stage).toBe('choose');
  } finally {
    hostile.close();
  }
});

test('an altered, unsigned, expired or unlimited token is refused', async ({ stack }) => {
  const secret = stack.credentials.order_secret;
  const claims = {
    order_id: `token-${process.pid}`,
    amount: '18.50',
    currency: 'USD',
    exp: inAnHour(),
  };
  const good = token(claims, secret);
  const [head = '', , mark = ''] = good.split('.');
  const refused: Record<string, string> = {
    altered: `${head}.${part({ ...claims, amount: '0.01' })}.${mark}`,
    'alg none': `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`,
    'alg none, signed': token(claims, secret, { alg: 'none' }),
    'another algorithm': token(claims, secret, { alg: 'HS512', typ: 'JWT' }),
    'another secret': token(claims, 'not the secret of this shop'),
    expired: token({ ...claims, order_id: 'old', exp: 1_600_000_000 }, secret),
    'no expiry': token({ order_id: 'eternal', amount: '1', currency: 'USD' }, secret),
    'a negative amount': token({ ...claims, amount: '-1' }, secret),
    'an amount with an exponent': token({ ...claims, amount: '1e3' }, secret),
    'an unknown currency': token({ ...claims, currency: 'DOUBLOON' }, secret),
    'not a token': 'x',
  };
  for (const [what, order] of Object.entries(refused)) {
    const answer = await openWith(stack, { order });
    expect([400, 401], `${what}: ${answer.status} ${await answer.clone().text()}`).toContain(
      answer.status,
    );
    expect(((await answer.json()) as { reason: string }).reason, what).toMatch(/^[A-Z][A-Za-z]+$/);
  }
  const opened = (await (await openWith(stack, { order: good })).json()) as { id: string };
  // A replay opens the same checkout and no other.
  expect(((await (await openWith(stack, { order: good })).json()) as { id: string }).id).toBe(
    opened.id,
  );
  const cheaper = await openWith(stack, { order: token({ ...claims, amount: '1.00' }, secret) });
  expect(cheaper.status).toBe(409);
});

test('guessed checkout ids, and prices set by the browser, are refused', async ({ stack }) => {
  for (const id of [
    '0'.repeat(32),
    'a'.repeat(22),
    '../../etc/passwd',
    '%00',
    '00000000-0000-4000-8000-000000000000',
    'x'.repeat(5000),
  ])
    for (const path of [
      `/checkouts/${id}`,
      `/pay/${id}/`,
      `/invoice/${id}/`,
      `/sdk/v1/invoices/qr/${id}/`,
    ]) {
      const { status } = await fetch(stack.publicUrl + path);
      expect([400, 404, 414], `${path.slice(0, 60)}: ${status}`).toContain(status);
    }
  const priced = await openWith(stack, {
    order: { order_id: 'cheap', amount: '0.01', currency: 'USD' },
  });
  expect([400, 401, 403]).toContain(priced.status);
});

test('a forged passthrough envelope and a forged callback change no order', async ({ stack }) => {
  const order = { order_id: `forged-${process.pid}`, amount: '18.50', currency: 'USD' };
  const { id } = await stack.asShop('/checkouts', { order });
  const envelope = JSON.stringify({
    v: 1,
    checkout_id: id,
    order,
    mac: Buffer.alloc(32).toString('base64url'),
  });
  const created = await call(stack, 'POST', '/v1/invoices/', {
    profile_id: stack.credentials.profile_id,
    amount: '0.05',
    currency: 'USD',
    kind: 'LTC',
    passthrough: envelope,
  });
  expect(created.status).toBe(201);
  await stack.sandbox('pay', { invoice_id: created.body.result.id });
  await stack.sandbox('mine', { kind: 'LTC', blocks: 6 });
  const callbackId = '11111111-1111-4111-8111-111111111111';
  const result = { ...created.body.result, status: 'complete' };
  for (const signature of [
    '0'.repeat(64),
    createHmac('sha256', 'wrong').update(callbackId).digest('hex'),
  ]) {
    const answer = await fetch(`${stack.publicUrl}/callbacks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        callback_id: callbackId,
        callback_status: 'invoice_complete',
        signature,
        result,
        invoice: result,
      }),
    });
    expect([400, 401]).toContain(answer.status);
  }
  const now = (await (await fetch(`${stack.publicUrl}/checkouts/${id}`)).json()) as {
    stage: string;
  };
  expect(now.stage).toBe('choose');
});

test('hostile success links are neither followed nor shown', async ({ stack }) => {
  const order = { order_id: `links-${process.pid}`, amount: '1', currency: 'USD' };
  const { id } = await stack.asShop('/checkouts', { order });
  for (const link of [
    'https://evil.example/',
    '//evil.example',
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    `${stack.shopUrl}@evil.example/`,
    '/\\evil.example',
    'https:evil.example',
    'data:text/html,x',
  ]) {
    const answer = await fetch(
      `${stack.publicUrl}/pay/${id}/?success_url=${encodeURIComponent(link)}`,
    );
    expect(answer.status, link).toBe(200);
    const html = await answer.text();
    expect(html, link).not.toContain('evil.example');
    expect(html, link).not.toContain('javascript:');
  }
});

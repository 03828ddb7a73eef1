import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { Answers } from './answer.ts';
import type { Env } from './env.ts';

const NOW = Date.UTC(2026, 10, 21, 6, 0, 0, 999);

function app(gatewayUrl = ''): Hono<Env> {
  const config = loadConfig({
    SECRETS_KEY: '00'.repeat(32),
    ...(gatewayUrl && { GATEWAY_URL: gatewayUrl }),
  });
  const answers = new Answers({ config, clock: { now: () => NOW, real: () => 0 } } as Context);
  const made = new Hono<Env>();
  made.use(async (c, next) => {
    const complete = answers.prepare(c, 'id 1');
    await next();
    complete(c.res);
  });
  return made;
}

const COMMON = {
  'x-request-id': 'id 1',
  date: 'Sat, 21 Nov 2026 06:00:00 GMT',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

describe('every response has the standard headers', () => {
  it.each([
    ['data', (own: Hono<Env>) => own.get('/', (c) => c.json({ a: 1 })), 'application/json'],
    [
      'a page',
      (own: Hono<Env>) => own.get('/', (c) => c.body('a', 200, { 'Content-Type': 'text/html' })),
      'text/html',
    ],
    [
      'an error',
      (own: Hono<Env>) =>
        own.onError((_, c) => c.json({}, 500)).get('/', () => Promise.reject(new Error('x'))),
      'application/json',
    ],
  ])('%s', async (_, build, type) => {
    const { headers } = await build(app()).request('/');
    expect(Object.fromEntries(headers)).toEqual({ ...COMMON, 'content-type': type });
  });

  it('with its own status and headers, which take precedence', async () => {
    const own = app().get('/', (c) =>
      c.json({ a: 1 }, 201, { Location: '/a', 'Cache-Control': 'max-age=5' }),
    );
    const answer = await own.request('/');
    expect([answer.status, await answer.json()]).toEqual([201, { a: 1 }]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...COMMON,
      location: '/a',
      'cache-control': 'max-age=5',
    });
  });

  it('with HSTS where the service uses https', async () => {
    const { headers } = await app('https://gateway.example')
      .get('/', (c) => c.json({}))
      .request('/');
    expect(headers.get('strict-transport-security')).toContain('max-age=');
  });

  it('which no other code sets', async () => {
    const own = app().onError((error, c) => c.json({ message: error.message }, 500));
    own.get('/header', (c) => (c.header('x-a', 'a'), c.json({})));
    own.get('/status', (c) => (c.status(201), c.json({})));
    for (const path of ['/header', '/status'])
      expect((await (await own.request(path)).json())['message']).toContain('c.json(body');
  });
});

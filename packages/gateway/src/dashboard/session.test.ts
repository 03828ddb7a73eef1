import type { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { createApp } from '../app.ts';
import type { Env } from '../http/env.ts';
import { declaredRoutes } from '../http/routing.ts';
import { testAccount, type TestAccount } from '../../test/support/call.ts';
import { testContext, type TestContext } from '../../test/support/context.ts';
import { createLoginLink, LINK_MS } from './login-link.ts';
import { ABSOLUTE_MS, IDLE_MS } from './session.ts';
import { signedIn, testBrowser, testLink } from '../../test/support/dashboard.ts';

let context: TestContext;
let app: Hono<Env>;
let account: TestAccount;

const SETTINGS = {
  SECRETS_KEY: '00'.repeat(32),
  LOG_LEVEL: 'silent',
  RATE_LIMIT_RPS: '100000',
  RATE_LIMIT_BURST: '100000',
};

beforeAll(async () => {
  context = await testContext({ config: loadConfig(SETTINGS) });
  account = await testAccount(context);
  app = createApp(context);
});
afterAll(() => context.close());

const link = (email?: string): Promise<string> =>
  testLink(context, account.account_id, email ?? null);
const enter = () => signedIn(app, context, account.account_id);

describe('a link', () => {
  it('signs in once, and returns the operator', async () => {
    const token = await link('ada@example.com');
    const browser = testBrowser(app);
    expect((await browser.ask('POST', 'sign-in/', { token })).status).toBe(200);
    const { status, body } = await browser.ask('GET', 'session/');
    expect([status, body.result]).toEqual([
      200,
      {
        account: { id: account.account_id, name: 'Default account', network: 'testnet' },
        email: 'ada@example.com',
        ends_at: expect.stringMatching(/^2026-11-21T18:00:00/),
        can_test: true,
      },
    ]);
    const again = await testBrowser(app).ask('POST', 'sign-in/', { token });
    expect([again.status, again.body.reason, again.headers.get('set-cookie')]).toEqual([
      401,
      'LinkNotValid',
      null,
    ]);
  });

  it('accepts one of fifty concurrent attempts', async () => {
    const token = await link();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => testBrowser(app).ask('POST', 'sign-in/', { token })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('is not consumed by opening its page', async () => {
    const { url } = await createLoginLink(context, { accountId: account.account_id });
    const { pathname, hash, search } = new URL(url);
    // The token is in the fragment, which browsers do not send.
    expect([pathname, search, hash.length]).toEqual(['/dashboard/sign-in/', '', 44]);
    await app.request(pathname);
    await app.request(pathname, { method: 'HEAD' });
    expect((await testBrowser(app).ask('POST', 'sign-in/', { token: hash.slice(1) })).status).toBe(
      200,
    );
  });

  it('expires after ten minutes', async () => {
    const token = await link();
    context.clock.advance(LINK_MS);
    expect((await testBrowser(app).ask('POST', 'sign-in/', { token })).body.reason).toBe(
      'LinkNotValid',
    );
  });

  it.each([[{}], [{ token: 5 }], [{ token: 'x'.repeat(201) }], [[]], ['token'], [null]])(
    'is not %j',
    async (body) => {
      const { status, body: answer } = await testBrowser(app).ask('POST', 'sign-in/', body);
      expect([status, answer.reason]).toEqual([400, 'ValidationError']);
    },
  );

  it('is none of these', async () => {
    for (const token of [
      '',
      'A'.repeat(43),
      (await link()).toLowerCase(),
      `${await link()}=`,
      '\0',
    ])
      expect((await testBrowser(app).ask('POST', 'sign-in/', { token })).body.reason).toBe(
        'LinkNotValid',
      );
  });

  it('requires an existing account, and contains the configured URL', async () => {
    for (const accountId of ['00000000-0000-4000-8000-000000000000', 'nobody'])
      await expect(createLoginLink(context, { accountId })).rejects.toThrow(
        'There is no account with this id.',
      );
    const at = async (settings: Record<string, string>): Promise<string> =>
      (
        await createLoginLink(
          { ...context, config: loadConfig({ ...SETTINGS, ...settings }) },
          { accountId: account.account_id },
        )
      ).url.split('#')[0]!;
    expect(await at({})).toBe('http://127.0.0.1:8081/dashboard/sign-in/');
    expect(await at({ HOST: '0.0.0.0', PORT: '99' })).toBe(
      'http://localhost:99/dashboard/sign-in/',
    );
    expect(await at({ GATEWAY_URL: 'https://pay.example/' })).toBe(
      'https://pay.example/dashboard/sign-in/',
    );
  });

  it('and session are stored as hashes', async () => {
    const token = await link();
    const browser = testBrowser(app);
    await browser.ask('POST', 'sign-in/', { token });
    const stored = JSON.stringify([
      await context.db.selectFrom('dashboard_link').selectAll().execute(),
      await context.db.selectFrom('dashboard_session').selectAll().execute(),
    ]);
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(browser.cookie!.split('=')[1]);
  });
});

describe('a session', () => {
  it('has an HttpOnly, SameSite=Strict cookie', async () => {
    const { headers } = await testBrowser(app).ask('POST', 'sign-in/', { token: await link() });
    expect(headers.get('set-cookie')).toMatch(
      /^dashboard=[\w-]{43}; Path=\/dashboard\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    const secure: Context = {
      ...context,
      config: loadConfig({ ...SETTINGS, GATEWAY_URL: 'https://pay.example' }),
    };
    const browser = testBrowser(createApp(secure));
    const answer = await browser.ask(
      'POST',
      'sign-in/',
      { token: await link() },
      { Origin: 'https://pay.example' },
    );
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-dashboard=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect((await browser.ask('GET', 'session/')).status).toBe(200);
  });

  it('never reuses a cookie of the browser', async () => {
    const fixed = `dashboard=${'A'.repeat(43)}`;
    const browser = testBrowser(app);
    browser.cookie = fixed;
    await browser.ask('POST', 'sign-in/', { token: await link() });
    expect(browser.cookie).not.toBe(fixed);
    browser.cookie = fixed;
    expect((await browser.ask('GET', 'session/')).status).toBe(401);
  });

  it('ends when its browser signs in again; others continue', async () => {
    const [first, other] = [await enter(), await enter()];
    const old = first.cookie;
    await first.ask('POST', 'sign-in/', { token: await link() });
    expect((await first.ask('GET', 'session/')).status).toBe(200);
    first.cookie = old;
    expect((await first.ask('GET', 'session/')).status).toBe(401);
    expect((await other.ask('GET', 'session/')).status).toBe(200);
  });

  it('ends at sign-out, also for a copy of the cookie', async () => {
    const browser = await enter();
    const copy = browser.cookie;
    expect((await browser.ask('POST', 'sign-out/')).status).toBe(200);
    expect(browser.cookie).toBeNull();
    browser.cookie = copy;
    expect((await browser.ask('GET', 'session/')).body.reason).toBe('NotSignedIn');
  });

  it('ends after inactivity, and after a maximum time', async () => {
    const idle = await enter();
    context.clock.advance(IDLE_MS);
    expect((await idle.ask('GET', 'session/')).status).toBe(401);
    const busy = await enter();
    for (let hour = 0; hour < ABSOLUTE_MS / IDLE_MS; hour += 1) {
      expect((await busy.ask('GET', 'session/')).status).toBe(200);
      context.clock.advance(IDLE_MS - 1000);
    }
    expect((await busy.ask('GET', 'session/')).status).toBe(200);
    context.clock.advance(60_000);
    expect((await busy.ask('GET', 'session/')).status).toBe(401);
  });

  it.each([
    ['none', undefined],
    ['an empty one', 'dashboard='],
    ['an unknown one', `dashboard=${'B'.repeat(43)}`],
    ['two', `dashboard=${'B'.repeat(43)}; dashboard=${'C'.repeat(43)}`],
  ])(
    'is required by every data URL: with %s the answer is 401 without content',
    async (_, cookie) => {
      const paths = declaredRoutes(app).filter(
        ({ path }) => path.startsWith('/dashboard/api/') && path !== '/dashboard/api/sign-in/',
      );
      expect(paths.length).toBeGreaterThan(15);
      for (const { method, path } of paths) {
        const asked = path.replace('/dashboard/api/', '').replace(':id', context.ids.uuid());
        const { status, body } = await testBrowser(app).ask(
          method,
          asked,
          method === 'POST' ? {} : undefined,
          { Cookie: cookie },
        );
        expect([path, status, Object.keys(body), body.reason]).toEqual([
          path,
          401,
          ['result', 'reason', 'message', 'request_id'],
          'NotSignedIn',
        ]);
      }
    },
  );

  it('is rate limited', async () => {
    const strict: Context = {
      ...context,
      config: loadConfig({ ...SETTINGS, RATE_LIMIT_RPS: '1', RATE_LIMIT_BURST: '3' }),
    };
    const browser = await signedIn(createApp(strict), strict, account.account_id);
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await browser.ask('GET', 'session/')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    // Wrong links are counted by address.
    const guess = () => testBrowser(createApp(strict)).ask('POST', 'sign-in/', { token: 'x' });
    expect((await guess()).status).toBe(401);
    const limited = createApp(strict);
    const results = [];
    for (let n = 0; n < 4; n += 1)
      results.push((await testBrowser(limited).ask('POST', 'sign-in/', { token: 'x' })).status);
    expect(results).toEqual([401, 401, 401, 429]);
  });
});

describe('a request of another page', () => {
  const refusals: [string, Record<string, string | undefined>][] = [
    ['of another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
    [
      'of another port of this host',
      { 'Sec-Fetch-Site': 'same-site', Origin: 'http://localhost:8082' },
    ],
    [
      'of another origin, by a browser that does not say more',
      { 'Sec-Fetch-Site': undefined, Origin: 'http://localhost:8082' },
    ],
    ['without an origin', { Origin: undefined }],
    ['of a sandboxed frame', { Origin: 'null' }],
    ['by a form, which sets no header', { 'X-Dashboard': undefined }],
    ['typed as an address', { 'Sec-Fetch-Site': 'none' }],
  ];
  it.each(refusals)('changes nothing: %s', async (_, headers) => {
    const browser = await enter();
    for (const path of [
      'sign-out/',
      'sign-in/',
      `payouts/${context.ids.uuid()}/decide/`,
      `callbacks/${context.ids.uuid()}/resend/`,
    ]) {
      const { status, body } = await browser.ask('POST', path, { token: await link() }, headers);
      expect([path, status, body.reason]).toEqual([path, 403, 'PermissionDenied']);
    }
    expect((await browser.ask('GET', 'session/')).status).toBe(200);
  });

  it('cannot read', async () => {
    const browser = await enter();
    for (const site of ['cross-site', 'same-site'])
      expect(
        (await browser.ask('GET', 'invoices/', undefined, { 'Sec-Fetch-Site': site })).status,
      ).toBe(403);
  });

  it('gets no CORS headers', async () => {
    const browser = await enter();
    const { headers } = await browser.ask('GET', 'invoices/');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; frame-ancestors 'none'",
    );
  });
});

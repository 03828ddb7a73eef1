import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERMISSIONS } from './account/keys/permission.ts';
import { loadConfig } from './config.ts';
import { testContext, type TestContext } from '../test/support/context.ts';
import { createApp } from './app.ts';
import { alternativeOf, permissionOf } from './http/authorized.ts';
import type { Env } from './http/env.ts';
import { declaredRoutes } from './http/routing.ts';
import {
  call,
  signedHeaders,
  testAccount,
  type TestAccount,
  type TestKey,
  testConfig,
} from '../test/support/call.ts';

let context: TestContext;
let app: Hono<Env>;
let account: TestAccount;

beforeAll(async () => {
  const config = testConfig();
  context = await testContext({ config });
  account = await testAccount(context);
  app = createApp(context);
});
afterAll(() => context.close());

async function newKey(permissions: string[], accountId = account.account_id): Promise<TestKey> {
  const id = context.ids.uuid();
  const at = '2026-11-21T06:00:00.000000+00:00';
  const secret = context.secrets.seal('secret', id);
  const row = {
    id,
    api_key: `ck_${id}`,
    secret_sealed: secret,
    name: 'test',
    created_by: 'test',
    created_at: at,
    updated_at: at,
    permissions,
    // Some routes need more than a permission.
    is_integrator_key: true,
  };
  await context.db
    .insertInto('api_key')
    .values({ account_id: accountId, ...row })
    .execute();
  return { key: row.api_key, secret: 'secret' };
}

const signedRoutes = () => declaredRoutes(app).filter(({ path }) => path.startsWith('/v1/'));

describe('permissions', () => {
  it('are declared by every route under /v1/', () => {
    expect(signedRoutes().length).toBeGreaterThan(5);
    for (const { path, handlers } of signedRoutes())
      expect([path, handlers.map(permissionOf).filter(Boolean)]).toEqual([
        path,
        [expect.any(String)],
      ]);
  });

  it('are needed one by one: every route, every permission', async () => {
    const keys = new Map<string, TestKey>();
    for (const permission of PERMISSIONS) keys.set(permission, await newKey([permission]));
    for (const { method, path, handlers } of signedRoutes()) {
      const needed = handlers.flatMap((handler) => [permissionOf(handler), alternativeOf(handler)]);
      const url = path.replace(/:\w+/g, '00000000-0000-4000-8000-000000000000');
      for (const [permission, key] of keys) {
        const { status, body } = await call(app, key, method, url);
        const refused = status === 403 && body.reason === 'PermissionDenied';
        expect([method, path, permission, refused]).toEqual([
          method,
          path,
          permission,
          !needed.some((name) => name === permission),
        ]);
      }
    }
  });
});

describe('ids of another account', () => {
  it('are as unknown as no id at all, on every route with an id', async () => {
    const stranger = context.ids.uuid();
    await context.db
      .insertInto('account')
      .values({
        id: stranger,
        name: 'Stranger',
        is_testnet: true,
        callback_token_sealed: context.secrets.seal('token', stranger),
        created_at: '2026-11-21T06:00:00.000000+00:00',
      })
      .execute();
    const key = await newKey([...PERMISSIONS], stranger);
    const created = await call(app, account.api, 'POST', '/v1/invoices/', {
      profile_id: account.profile_id,
      amount: '5',
      currency: 'USD',
      kind: 'BTC',
    });
    expect(created.status).toBe(201);
    const { id: wallet } = await context.db
      .selectFrom('wallet')
      .select('id')
      .executeTakeFirstOrThrow();
    const owned: Record<string, string> = {
      profiles: account.profile_id,
      wallets: wallet,
      invoices: created.body.result.id as string,
    };
    for (const { method, path } of signedRoutes().filter(({ path: declared }) =>
      declared.includes(':'),
    )) {
      const id = owned[path.split('/')[2] ?? ''];
      if (id === undefined) continue;
      const answers = [];
      for (const asked of [
        id,
        '00000000-0000-4000-8000-000000000000',
        'x',
        `${id}0`,
        id.toUpperCase(),
      ]) {
        const { status, body } = await call(app, key, method, path.replace(/:\w+/, asked));
        answers.push([status, body.reason, body.message as string]);
      }
      expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
        new Set([JSON.stringify([404, 'NotFound', answers[0]?.[2]])]),
      );
    }
    // In sequence, because the key's nonces must increase.
    for (const noun of ['invoices', 'profiles', 'wallets'])
      expect((await call(app, key, 'GET', `/v1/${noun}/`)).body.result).toEqual([]);
    expect(
      (await call(app, key, 'GET', '/v1/wallets/', { profile_id: account.profile_id })).status,
    ).toBe(404);
  });
});

describe('rate limits', () => {
  const limited = (overrides: Record<string, string>) =>
    createApp({ ...context, config: loadConfig({ SECRETS_KEY: '00'.repeat(32), ...overrides }) });

  it('let a key have its burst, then its rate, and say when to come again', async () => {
    const own = limited({ RATE_LIMIT_RPS: '2', RATE_LIMIT_BURST: '3' });
    const read = () => call(own, account.api, 'GET', '/v1/wallets/');
    const statuses = [];
    for (let turn = 0; turn < 4; turn++) statuses.push((await read()).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await read();
    expect([refused.body.reason, refused.headers.get('retry-after')]).toEqual(['RateLimited', '1']);
    expect((await call(own, account.bff, 'GET', '/v1/wallets/')).status).toBe(200);
    context.clock.advance(500);
    expect((await read()).status).toBe(200);
    expect((await read()).status).toBe(429);
  });

  it('don’t use up the nonce of what they refuse', async () => {
    const own = limited({ RATE_LIMIT_RPS: '1', RATE_LIMIT_BURST: '1' });
    const key = await newKey(['wallets:read']);
    await call(own, key, 'GET', '/v1/wallets/', {}, { nonce: 1n });
    expect((await call(own, key, 'GET', '/v1/wallets/', {}, { nonce: 2n })).status).toBe(429);
    context.clock.advance(1_000);
    expect((await call(own, key, 'GET', '/v1/wallets/', {}, { nonce: 2n })).status).toBe(200);
  });

  it('stop an address that guesses signatures, whatever key it names', async () => {
    const own = limited({ RATE_LIMIT_RPS: '10', RATE_LIMIT_BURST: '5' });
    for (let guess = 0; guess < 5; guess++)
      expect(
        (await call(own, { key: `ck_${guess}`, secret: 'x' }, 'GET', '/v1/wallets/')).status,
      ).toBe(401);
    expect((await call(own, { key: 'ck_6', secret: 'x' }, 'GET', '/v1/wallets/')).status).toBe(429);
    expect((await call(own, account.api, 'GET', '/v1/wallets/')).status).toBe(429);
    expect((await own.request('/livez')).status).toBe(200);
    context.clock.advance(2_000);
    expect((await call(own, account.api, 'GET', '/v1/wallets/')).status).toBe(200);
  });
});

describe('without a database', () => {
  it('answers 503 without a reason when the database hangs (how soon: database-watch.test.ts)', async () => {
    const never = new Promise<never>(() => {});
    const db = new Proxy(context.db, { get: () => () => never });
    const own = createApp({ ...context, db, databaseAnswers: async () => false });
    const { status, body, headers } = await call(own, account.api, 'GET', '/v1/wallets/');
    expect([status, 'reason' in body, body.result, headers.get('retry-after')]).toEqual([
      503,
      false,
      'error',
      '1',
    ]);
    expect((await own.request('/readyz')).status).toBe(503);
    expect((await own.request('/livez')).status).toBe(200);
  });

  it('answers 503 when it refuses connections, and 500 with a fixed text for anything unknown', async () => {
    const failing = (error: Error) => {
      const fail = async () => {
        throw error;
      };
      const db = new Proxy(context.db, { get: () => fail });
      return call(createApp({ ...context, db }), account.api, 'GET', '/v1/wallets/');
    };
    const refused = await failing(
      Object.assign(new Error('connect ECONNREFUSED /tmp/secret'), { code: 'ECONNREFUSED' }),
    );
    expect([refused.status, 'reason' in refused.body]).toEqual([503, false]);
    const unknown = await failing(new Error('a secret detail'));
    expect([unknown.status, 'reason' in unknown.body]).toEqual([500, false]);
    expect(JSON.stringify([refused.body, unknown.body])).not.toContain('secret');
  });
});

describe('health', () => {
  it('is ready when the database and every chain answer', async () => {
    const answer = await app.request('/readyz');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      status: 'ready',
      database: true,
      chains: { bitcoin: { ok: true }, lightning: { ok: true } },
    });
  });

  it('is not ready when one chain does not answer', async () => {
    const bitcoin = context.chains.get('bitcoin')!;
    const broken = { ...bitcoin, health: async () => ({ ok: false, tip: null, detail: 'gone' }) };
    const own = createApp({
      ...context,
      chains: new Map([...context.chains, ['bitcoin', broken]]),
    });
    expect((await own.request('/readyz/')).status).toBe(503);
  });
});

describe('filters', () => {
  it('come from the query or the payload; both and different is refused', async () => {
    const list = (members: Record<string, unknown>, query: string) =>
      call(app, account.api, 'GET', '/v1/wallets/', members, { query });
    const { body: all } = await list({}, '');
    expect(all.result.length).toBeGreaterThan(10);
    expect((await list({}, `?profile_id=${account.profile_id}`)).body).toEqual(all);
    expect((await list({ profile_id: account.profile_id }, '')).body).toEqual(all);
    expect(
      (await list({ profile_id: account.profile_id }, `?profile_id=${account.profile_id}`)).body,
    ).toEqual(all);
    expect(
      (await list({ profile_id: account.profile_id }, '?profile_id=other')).body,
    ).toMatchObject({
      reason: 'ValidationError',
      errors: [{ field: 'profile_id' }],
    });
    expect((await list({}, '?profile_id=a&profile_id=b')).status).toBe(400);
    expect((await list({ profile_id: {} }, '')).status).toBe(400);
  });
});

// Checks the helper itself: without a signature nothing under /v1/ answers 200.
it('serves nothing under /v1/ without a key', async () => {
  for (const { method, path } of signedRoutes()) {
    const answer = await app.request(path, {
      method,
      headers: signedHeaders({ key: '', secret: '' }, ''),
    });
    expect(answer.status).toBe(400);
  }
});

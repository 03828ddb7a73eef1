import { apiKey } from '@crypto-checkout/protocol/schema/api-key';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { createApp } from '../../app.ts';
import { call, type TestAnswer, type TestKey } from '../../../test/support/call.ts';
import { testContext, type TestContext } from '../../../test/support/context.ts';
import { createAccount } from '../create.ts';
import { keySecret } from './create-key.ts';
import { API_KEY_PERMISSIONS } from './permission.ts';
import { rotateKey } from './rotate-key.ts';
import { testIntegrator, testKey, type MadeKey } from '../../../test/support/api-key.ts';

let context: TestContext;
let app: ReturnType<typeof createApp>;
let ours: Awaited<ReturnType<typeof testIntegrator>>;
let theirs: Awaited<ReturnType<typeof testIntegrator>>;
let subId: string;
let theirKey: MadeKey;

const settings = {
  SECRETS_KEY: '00'.repeat(32),
  RATE_LIMIT_RPS: '100000',
  RATE_LIMIT_BURST: '100000',
};
beforeAll(async () => {
  context = await testContext({ config: loadConfig(settings) });
  app = createApp(context);
  ours = await testIntegrator(context, 'Ours');
  theirs = await testIntegrator(context, 'Theirs');
  subId = (await createAccount(context, { parentId: ours.account.id }, { name: 'Sub' })).id;
  const { id } = await createAccount(
    context,
    { parentId: theirs.account.id },
    { name: 'Their sub' },
  );
  theirKey = await testKey(context, { accountId: id });
});
afterAll(() => context.close());

const post = (payload: object, by: TestKey = ours.integrator): Promise<TestAnswer> =>
  call(app, by, 'POST', '/v1/api-keys/', {
    name: 'Shop',
    account_id: subId,
    permissions: ['account:read'],
    ...payload,
  });

interface Shown {
  id: string;
  api_key: string;
  api_secret: string;
}
async function made(payload: object = {}): Promise<TestKey & { shown: Shown }> {
  const { status, body } = await post(payload);
  expect([status, body.message]).toEqual([201, undefined]);
  return { key: body.result.api_key, secret: body.result.api_secret, shown: body.result };
}
const pathOf = ({ shown }: { shown: Shown }): string => `/v1/api-keys/${shown.id}/`;
const statusOf = async (
  key: TestKey,
  path = '/v1/account/settings/',
  headers = {},
): Promise<number> => (await call(app, key, 'GET', path, {}, { headers })).status;

describe('POST /v1/api-keys/', () => {
  it('returns 201 with every field of an API key and a working secret', async () => {
    const wanted = {
      name: 'Till 1',
      permissions: ['account:read', 'invoices:write'],
      max_payout: 250.5,
      max_payout_daily: 1000,
      whitelist_ip: ['127.0.0.1', '2001:DB8::/32'],
    };
    const { status, body } = await post(wanted);
    expect(status).toBe(201);
    expect(apiKey.safeParse(body.result).error).toBeUndefined();
    expect(body.result).toEqual({
      ...wanted,
      id: expect.any(String),
      api_key: expect.stringMatching(/^ck_[0-9a-f]{32}$/),
      api_secret: expect.stringMatching(/^cs_[0-9a-f]{64}$/),
      created_by: 'Ours integrator',
      updated_at: '2026-11-21T06:00:00.000000+00:00',
      is_integrator_key: false,
      account_id: subId,
      max_payout: '250.5',
      max_payout_daily: '1000',
    });
    const key = { key: body.result.api_key as string, secret: body.result.api_secret as string };
    expect(await statusOf(key)).toBe(200);
    expect(await statusOf(key, '/v1/profiles/')).toBe(403);
    expect(
      (await call(app, ours.integrator, 'GET', `/v1/api-keys/${body.result.id}/`)).body,
    ).toEqual(body);
  });

  it('creates no integrator keys, and ignores read-only members', async () => {
    const forged = {
      is_integrator_key: true,
      api_key: 'mine',
      api_secret: 'mine',
      created_by: 'x',
      id: theirKey.row.id,
    };
    const { shown } = await made({ ...forged, permissions: ['account:read', 'account:read'] });
    expect(shown).toMatchObject({
      is_integrator_key: false,
      max_payout: null,
      whitelist_ip: [],
      permissions: ['account:read'],
    });
    expect(shown.api_secret).not.toBe('mine');
    expect(shown.api_key).not.toBe('mine');
    expect(shown.id).not.toBe(theirKey.row.id);
  });

  it('requires increasing nonces by default', async () => {
    for (const [window, expected] of [
      [false, 400],
      [true, 200],
    ] as const) {
      const key = await made({ nonce_window: window });
      expect((await call(app, key, 'GET', '/v1/account/settings/', {}, { nonce: 9n })).status).toBe(
        200,
      );
      expect((await call(app, key, 'GET', '/v1/account/settings/', {}, { nonce: 8n })).status).toBe(
        expected,
      );
    }
  });
});

describe('a key’s secret', () => {
  it('is masked except for integrator keys', async () => {
    const sub = await testKey(context, { accountId: subId });
    const { body } = await call(app, sub, 'GET', `/v1/api-keys/${sub.row.id}/`);
    expect(body.result).toMatchObject({ api_key: sub.key, api_secret: '************' });
    for (const { api_secret } of (await call(app, sub, 'GET', '/v1/api-keys/')).body.result)
      expect(api_secret).toBe('************');
    expect(
      (await call(app, ours.integrator, 'GET', `/v1/api-keys/${sub.row.id}/`)).body.result
        .api_secret,
    ).toBe(sub.secret);
    const stored = JSON.stringify(await context.db.selectFrom('api_key').selectAll().execute());
    expect(stored).not.toContain(sub.secret);
  });

  it('of the own account is shown to an integrator key only if it grants no further permission', async () => {
    const accountId = ours.account.id;
    const weak = await testKey(
      context,
      { accountId, isIntegratorKey: true },
      { permissions: ['api-keys:read'], max_payout: '10' },
    );
    const peer = await testKey(
      context,
      { accountId },
      { permissions: ['api-keys:read'], max_payout: '5' },
    );
    const unlimited = await testKey(context, { accountId }, { permissions: ['api-keys:read'] });
    const approve = await testKey(context, { accountId }, { permissions: ['payouts:approve'] });
    const { body } = await call(app, weak, 'GET', '/v1/api-keys/');
    const secrets = new Map(body.result.map(({ id, api_secret }: Shown) => [id, api_secret]));
    expect(secrets.get(weak.row.id)).toBe(weak.secret);
    expect(secrets.get(peer.row.id)).toBe(peer.secret);
    for (const { row } of [unlimited, approve, ours.api, ours.integrator])
      expect(secrets.get(row.id)).toBe('************');
    expect(
      (await call(app, weak, 'GET', `/v1/api-keys/${approve.row.id}/`)).body.result.api_secret,
    ).toBe('************');
    expect(
      (await call(app, ours.integrator, 'GET', `/v1/api-keys/${weak.row.id}/`)).body.result
        .api_secret,
    ).toBe(weak.secret);
  });
});

describe('the list of keys', () => {
  it('contains the account’s keys, and for integrator keys those of its sub accounts', async () => {
    await made();
    const accounts = async (by: TestKey) =>
      new Set(
        (await call(app, by, 'GET', '/v1/api-keys/')).body.result.map(
          ({ account_id }: { account_id: string }) => account_id,
        ),
      );
    expect(await accounts(ours.integrator)).toEqual(new Set([ours.account.id, subId]));
    expect(await accounts(ours.api)).toEqual(new Set([ours.account.id]));
    expect(await accounts(theirKey)).toEqual(new Set([theirKey.row.account_id]));
  });
});

describe('PUT /v1/api-keys/<ID>/', () => {
  it('changes permissions from the next request on; omitted members stay, null clears', async () => {
    const key = await made({ max_payout: '5', whitelist_ip: ['127.0.0.1'] });
    context.clock.advance(1_000);
    const { status, body } = await call(app, ours.integrator, 'PUT', pathOf(key), {
      permissions: ['profiles:read'],
    });
    expect([status, body.result]).toEqual([
      200,
      {
        ...key.shown,
        permissions: ['profiles:read'],
        updated_at: '2026-11-21T06:00:01.000000+00:00',
      },
    ]);
    expect([await statusOf(key), await statusOf(key, '/v1/profiles/')]).toEqual([403, 200]);
    const cleared = { max_payout: null, whitelist_ip: null };
    expect(
      (await call(app, ours.integrator, 'PUT', pathOf(key), { name: 'New', ...cleared })).body
        .result,
    ).toMatchObject({
      name: 'New',
      max_payout: null,
      whitelist_ip: [],
      permissions: ['profiles:read'],
    });
    const forged = {
      account_id: ours.account.id,
      is_integrator_key: true,
      api_secret: 'x',
      api_key: 'x',
      nonce_window: true,
    };
    const { body: same } = await call(app, ours.integrator, 'PUT', pathOf(key), forged);
    expect(same.result).toMatchObject({
      account_id: subId,
      is_integrator_key: false,
      api_key: key.key,
      api_secret: key.secret,
    });
    const row = await context.db
      .selectFrom('api_key')
      .select('nonce_window')
      .where('id', '=', key.shown.id)
      .executeTakeFirstOrThrow();
    expect(row.nonce_window).toBe(false);
  });
});

describe('whitelist_ip', () => {
  const from = (address: string) => ({ 'X-Forwarded-For': address });

  it('limits a key to its addresses', async () => {
    // Without a socket a test calls from 127.0.0.1.
    expect(await statusOf(await made({ whitelist_ip: ['127.0.0.0/8'] }))).toBe(200);
    const key = await made({ whitelist_ip: ['198.51.100.7', '2001:db8::/32'] });
    const { status, body } = await call(app, key, 'GET', '/v1/account/settings/');
    expect([status, body.reason]).toEqual([403, 'IpNotAllowed']);
    // The forwarding address is not a trusted proxy.
    expect(await statusOf(key, '/v1/account/settings/', from('198.51.100.7'))).toBe(403);
  });

  it('uses the address that a trusted proxy appended', async () => {
    const own = createApp({
      ...context,
      config: loadConfig({ ...settings, TRUSTED_PROXIES: '127.0.0.1' }),
    });
    const key = await made({ whitelist_ip: ['198.51.100.7', '2001:db8::/32'], nonce_window: true });
    const statuses = [];
    for (const address of [
      '198.51.100.7',
      '2001:DB8::9',
      '::ffff:198.51.100.7',
      '198.51.100.8',
      '198.51.100.7, 198.51.100.8',
    ])
      statuses.push(
        (await call(own, key, 'GET', '/v1/account/settings/', {}, { headers: from(address) }))
          .status,
      );
    expect(statuses).toEqual([200, 200, 200, 403, 403]);
  });
});

describe('POST /v1/api-keys/<ID>/rotate/', () => {
  it('returns a new secret; the old one stops at once', async () => {
    const key = await made();
    const { status, body } = await call(app, ours.integrator, 'POST', `${pathOf(key)}rotate/`);
    expect([status, body.result]).toEqual([
      200,
      { ...key.shown, api_secret: expect.stringMatching(/^cs_/), updated_at: expect.any(String) },
    ]);
    expect(body.result.api_secret).not.toBe(key.secret);
    expect([
      await statusOf(key),
      await statusOf({ ...key, secret: body.result.api_secret as string }),
    ]).toEqual([401, 200]);
  });

  it('accepts the previous secret for the grace period, and no older one', async () => {
    const key = await made();
    const rotate = async (grace_seconds: number) =>
      (await call(app, ours.integrator, 'POST', `${pathOf(key)}rotate/`, { grace_seconds })).body
        .result.api_secret as string;
    const second = { ...key, secret: await rotate(3600) };
    expect([
      await statusOf(key),
      await statusOf(second),
      await statusOf({ ...key, secret: 'x' }),
    ]).toEqual([200, 200, 401]);
    context.clock.advance(3_599_000);
    expect(await statusOf(key)).toBe(200);
    context.clock.advance(1_000);
    expect([await statusOf(key), await statusOf(second)]).toEqual([401, 200]);
    const third = { ...key, secret: await rotate(3600) };
    const fourth = { ...key, secret: await rotate(3600) };
    expect([await statusOf(second), await statusOf(third), await statusOf(fourth)]).toEqual([
      401, 200, 200,
    ]);
    const fifth = { ...key, secret: await rotate(0) };
    expect([await statusOf(third), await statusOf(fourth), await statusOf(fifth)]).toEqual([
      401, 401, 200,
    ]);
  });

  it('concurrently leaves one secret, the last', async () => {
    const key = await made({ nonce_window: true });
    const id = { account_id: subId, id: key.shown.id };
    const secrets = (
      await Promise.all(Array.from({ length: 5 }, () => rotateKey(context, id)))
    ).map((row) => keySecret(context, row));
    const statuses = [];
    for (const secret of secrets) statuses.push(await statusOf({ ...key, secret }));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401, 401]);
  });
});

describe('DELETE /v1/api-keys/<ID>/', () => {
  it('returns 200 with the deleted key; it stops at once, also during its grace period', async () => {
    const key = await made();
    await call(app, ours.integrator, 'POST', `${pathOf(key)}rotate/`, { grace_seconds: 3600 });
    const before = (await call(app, ours.integrator, 'GET', pathOf(key))).body;
    expect(await statusOf(key)).toBe(200);
    const { status, body } = await call(app, ours.integrator, 'DELETE', pathOf(key));
    expect([status, body]).toEqual([200, before]);
    const gone = await call(app, key, 'GET', '/v1/account/settings/');
    expect([gone.status, gone.body.reason]).toEqual([401, 'InvalidApiKey']);
    for (const [method, path] of [
      ['GET', pathOf(key)],
      ['PUT', pathOf(key)],
      ['DELETE', pathOf(key)],
      ['POST', `${pathOf(key)}rotate/`],
    ] as const)
      expect([method, (await call(app, ours.integrator, method, path)).status]).toEqual([
        method,
        404,
      ]);
  });
});

describe('keys are created and changed', () => {
  const changes = (id: string) =>
    [
      ['PUT', `/v1/api-keys/${id}/`],
      ['DELETE', `/v1/api-keys/${id}/`],
      ['POST', `/v1/api-keys/${id}/rotate/`],
    ] as const;
  const everything = () =>
    context.db
      .selectFrom('api_key')
      .select(['id', 'name', 'secret_sealed', 'permissions'])
      .orderBy('id')
      .execute();

  it('by integrator keys only', async () => {
    const sub = await testKey(context, { accountId: subId });
    const before = await everything();
    for (const by of [ours.api, sub]) {
      for (const [method, path] of [
        ['POST', '/v1/api-keys/'] as const,
        ...changes(sub.row.id),
        ...changes(theirKey.row.id),
      ]) {
        const { status, body } = await call(app, by, method, path, {
          name: 'x',
          account_id: subId,
          permissions: ['account:read'],
        });
        expect([method, path, status, body.reason]).toEqual([
          method,
          path,
          403,
          'PermissionDenied',
        ]);
      }
    }
    expect(await everything()).toEqual(before);
  });

  it('in sub accounts only: no key can extend itself', async () => {
    const before = await everything();
    for (const id of [ours.integrator.row.id, ours.api.row.id]) {
      for (const [method, path] of changes(id)) {
        const { status, body } = await call(app, ours.integrator, method, path, {
          permissions: ['payouts:approve'],
        });
        expect([method, status, body.reason]).toEqual([method, 403, 'PermissionDenied']);
      }
    }
    const { status, body } = await post({
      account_id: ours.account.id,
      permissions: API_KEY_PERMISSIONS,
    });
    expect([status, body.reason, body.errors[0].field]).toEqual([404, 'NotFound', 'account_id']);
    expect(await everything()).toEqual(before);
  });

  it('never in another integrator’s sub account, whose ids are 404', async () => {
    const before = await everything();
    const nobody = '00000000-0000-4000-8000-000000000000';
    for (const id of [theirKey.row.id, theirs.api.row.id, nobody, 'x']) {
      for (const [method, path] of [['GET', `/v1/api-keys/${id}/`] as const, ...changes(id)]) {
        const { status, body } = await call(app, ours.integrator, method, path, { name: 'Mine' });
        expect([method, status, body.reason, body.message]).toEqual([
          method,
          404,
          'NotFound',
          'There is no API key with this id.',
        ]);
      }
    }
    for (const account_id of [theirKey.row.account_id, theirs.account.id, nobody, 'x'])
      expect((await post({ account_id })).body).toMatchObject({
        reason: 'NotFound',
        message: 'There is no sub account with this account_id.',
      });
    expect(await everything()).toEqual(before);
  });
});

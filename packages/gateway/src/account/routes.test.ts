import { accountSettings, subAccount } from '@crypto-checkout/protocol/schema/account';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { createApp } from '../app.ts';
import { call, type TestAnswer, testConfig } from '../../test/support/call.ts';
import { testContext, type TestContext } from '../../test/support/context.ts';
import { createAccount } from './create.ts';
import { presentSettings } from './present.ts';
import { slugOf } from './slug.ts';
import { testIntegrator, testKey, type MadeKey } from '../../test/support/api-key.ts';

let context: TestContext;
let app: ReturnType<typeof createApp>;
let ours: Awaited<ReturnType<typeof testIntegrator>>;
let theirs: Awaited<ReturnType<typeof testIntegrator>>;

beforeAll(async () => {
  const config = testConfig({ GATEWAY_URL: 'https://pay.example/' });
  context = await testContext({ config });
  app = createApp(context);
  ours = await testIntegrator(context, 'Ours');
  theirs = await testIntegrator(context, 'Theirs');
});
afterAll(() => context.close());

const create = (payload: object, by: MadeKey = ours.integrator): Promise<TestAnswer> =>
  call(app, by, 'POST', '/v1/accounts/', { ...payload });
const listed = async (by: MadeKey): Promise<string[]> =>
  (await call(app, by, 'GET', '/v1/accounts/')).body.result.map(({ id }: { id: string }) => id);

describe('GET /v1/account/settings/', () => {
  it('returns the account of the key', async () => {
    const { status, body } = await call(app, ours.api, 'GET', '/v1/account/settings/');
    expect([status, body]).toEqual([
      200,
      {
        result: {
          id: ours.account.id,
          name: 'Ours',
          is_testnet: true,
          url: 'https://pay.example/dashboard/',
        },
      },
    ]);
    expect(accountSettings.safeParse(body.result).error).toBeUndefined();
  });

  it('returns a reachable URL when the service listens on all addresses', () => {
    const config = loadConfig({ SECRETS_KEY: '00'.repeat(32), HOST: '0.0.0.0', PORT: '8081' });
    const account = { id: ours.account.id, name: 'Ours', isTestnet: true };
    expect(presentSettings({ config }, account).url).toBe('http://localhost:8081/dashboard/');
  });
});

describe('POST /v1/accounts/', () => {
  it('returns 201 with every field of a sub account', async () => {
    const { status, body } = await create({
      name: 'Käse & Söhne',
      can_add_exchange: true,
      show_internal_tx: true,
      whitelabel_fee: 0.1,
    });
    expect(status).toBe(201);
    expect(subAccount.safeParse(body.result).error).toBeUndefined();
    expect(body.result).toEqual({
      id: expect.any(String),
      name: 'Käse & Söhne',
      slug: 'kase-sohne',
      is_testnet: true,
      can_add_exchange: true,
      show_internal_tx: true,
      whitelabel_fee: '0.1',
      profiles: [expect.any(String)],
      callback_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      url: 'https://pay.example/dashboard/',
    });
    expect(
      (await call(app, ours.integrator, 'GET', `/v1/accounts/${body.result.id}/`)).body,
    ).toEqual(body);
    expect(await listed(ours.integrator)).toContain(body.result.id);
  });

  it('requires only a name, and ignores read-only members', async () => {
    const forged = {
      id: theirs.account.id,
      slug: 'mine',
      is_testnet: false,
      profiles: ['x'],
      callback_token: 'x',
      url: 'x',
      parent_id: null,
    };
    const { body } = await create({ name: 'Plain', ...forged });
    expect(body.result).toMatchObject({
      slug: 'plain',
      is_testnet: true,
      can_add_exchange: false,
      whitelabel_fee: '0',
    });
    expect(body.result.id).not.toBe(theirs.account.id);
    expect(body.result.callback_token).toHaveLength(64);
  });

  it('creates wallets and a default profile, and no keys', async () => {
    const { body } = await create({ name: 'Whole' });
    const key = await testKey(context, { accountId: body.result.id as string });
    const [profile] = (await call(app, key, 'GET', '/v1/profiles/')).body.result;
    expect(profile).toMatchObject({
      id: body.result.profiles[0],
      name: 'Default profile',
      account: 'Whole',
      callback_url: null,
    });
    const wallets = (await call(app, key, 'GET', '/v1/wallets/')).body.result as { id: string }[];
    expect(wallets.map(({ id }) => id)).toEqual(
      expect.arrayContaining(
        profile.currencies.map(({ wallet_id }: { wallet_id: string }) => wallet_id),
      ),
    );
    const invoice = await call(app, key, 'POST', '/v1/invoices/', {
      profile_id: profile.id,
      amount: '5',
      currency: 'USD',
      kind: 'BTC',
    });
    expect(invoice.status).toBe(201);
    expect((await call(app, ours.api, 'GET', '/v1/invoices/')).body.result).toEqual([]);
    const keys = (await call(app, key, 'GET', '/v1/api-keys/')).body.result;
    expect(keys).toEqual([expect.objectContaining({ id: key.row.id })]);
  });

  it('gives each its own slug, also concurrently', async () => {
    const made = await Promise.all(
      Array.from({ length: 4 }, () =>
        createAccount(context, { parentId: ours.account.id }, { name: 'Twin' }),
      ),
    );
    expect(new Set(made.map(({ slug }) => slug))).toEqual(
      new Set(['twin', 'twin-2', 'twin-3', 'twin-4']),
    );
    expect((await create({ name: 'Twin' }, theirs.integrator)).body.result.slug).toBe('twin');
  });
});

describe('PUT /v1/accounts/<ID>/', () => {
  it('keeps omitted members and the slug', async () => {
    const before = (await create({ name: 'Before', whitelabel_fee: '0.05' })).body.result;
    const path = `/v1/accounts/${before.id}/`;
    const { status, body } = await call(app, ours.integrator, 'PUT', path, {
      name: 'After',
      can_add_exchange: true,
    });
    expect([status, body.result]).toEqual([
      200,
      { ...before, name: 'After', can_add_exchange: true },
    ]);
    expect((await call(app, ours.integrator, 'PUT', path, {})).body).toEqual(body);
    expect((await call(app, ours.integrator, 'GET', path)).body).toEqual(body);
    const forged = { slug: 'x', callback_token: 'x', is_testnet: false };
    expect((await call(app, ours.integrator, 'PUT', path, forged)).body).toEqual(body);
  });
});

describe('sub accounts', () => {
  it('are for integrator keys only', async () => {
    const { id } = (await create({ name: 'Hidden' })).body.result;
    for (const [method, path] of [
      ['GET', '/v1/accounts/'],
      ['POST', '/v1/accounts/'],
      ['GET', `/v1/accounts/${id}/`],
      ['PUT', `/v1/accounts/${id}/`],
      ['GET', '/v1/accounts/00000000-0000-4000-8000-000000000000/'],
    ] as const) {
      const { status, body } = await call(app, ours.api, method, path, { name: 'x' });
      expect([method, path, status, body.reason]).toEqual([method, path, 403, 'PermissionDenied']);
    }
  });

  it('of another integrator are 404, and so is any account that is no sub account', async () => {
    const { id } = (await create({ name: 'Theirs' }, theirs.integrator)).body.result;
    const before = await context.db.selectFrom('account').selectAll().orderBy('id').execute();
    for (const asked of [
      id,
      theirs.account.id,
      ours.account.id,
      '00000000-0000-4000-8000-000000000000',
      'x',
    ] as string[]) {
      for (const method of ['GET', 'PUT']) {
        const { status, body } = await call(
          app,
          ours.integrator,
          method,
          `/v1/accounts/${asked}/`,
          { name: 'Mine' },
        );
        expect([method, status, body.reason, body.message]).toEqual([
          method,
          404,
          'NotFound',
          'There is no sub account with this id.',
        ]);
      }
    }
    expect(await context.db.selectFrom('account').selectAll().orderBy('id').execute()).toEqual(
      before,
    );
    expect(await listed(ours.integrator)).not.toContain(id);
    expect(await listed(theirs.integrator)).toContain(id);
  });

  it('have no access to their integrator’s invoices, profiles or wallets, nor the reverse', async () => {
    const { id, profiles } = (await create({ name: 'Apart' })).body.result;
    const key = await testKey(context, { accountId: id as string });
    expect((await call(app, key, 'GET', `/v1/profiles/${ours.account.profiles[0]}/`)).status).toBe(
      404,
    );
    expect((await call(app, ours.integrator, 'GET', `/v1/profiles/${profiles[0]}/`)).status).toBe(
      404,
    );
    expect((await call(app, key, 'GET', '/v1/account/settings/')).body.result.id).toBe(id);
  });
});

it.each([
  ['Second shop', 'second-shop'],
  ['  Ünïcode -- Ätzend  ', 'unicode-atzend'],
  ['店', 'account'],
  ['a'.repeat(64), 'a'.repeat(48)],
  [`${'a'.repeat(47)} b`, 'a'.repeat(47)],
])('%s is %s in an address', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

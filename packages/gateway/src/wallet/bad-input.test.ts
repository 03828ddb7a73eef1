import type { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY_PERMISSIONS } from '../account/keys/permission.ts';
import { testKey } from '../../test/support/api-key.ts';
import { createApp } from '../app.ts';
import type { Env } from '../http/env.ts';
import {
  call,
  testAccount,
  type TestAccount,
  type TestAnswer,
  type TestKey,
  testConfig,
} from '../../test/support/call.ts';
import { testContext, type TestContext } from '../../test/support/context.ts';

let context: TestContext;
let app: Hono<Env>;
let account: TestAccount;
let wallets: Map<string, string>;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

beforeAll(async () => {
  context = await testContext({ config: testConfig() });
  account = await testAccount(context);
  app = createApp(context);
  const rows = await context.db.selectFrom('wallet').select(['id', 'chain']).execute();
  wallets = new Map(rows.map(({ id, chain }) => [chain, id]));
});
afterAll(() => context.close());

const refusal = ({ status, body }: TestAnswer): unknown[] => [status, body.result, body.reason];
const put = (id: string, members: Record<string, unknown>): Promise<TestAnswer> =>
  call(app, account.api, 'PUT', `/v1/wallets/${id}/`, members);

describe('GET /v1/wallets/', () => {
  it.each<[string, Record<string, unknown>, string, number, string]>([
    ['an unknown profile', { profile_id: UNKNOWN }, '', 404, 'NotFound'],
    ['what is no id', { profile_id: 'default' }, '', 404, 'NotFound'],
    ['an id with a NUL', { profile_id: `${UNKNOWN}\u0000` }, '', 404, 'NotFound'],
    ['a very long id', { profile_id: 'a'.repeat(5_000) }, '', 404, 'NotFound'],
    ['SQL', { profile_id: "' or true --" }, '', 404, 'NotFound'],
    ['a number that is no id', { profile_id: 1 }, '', 404, 'NotFound'],
    ['an object', { profile_id: {} }, '', 400, 'ValidationError'],
    ['an array', { profile_id: [UNKNOWN] }, '', 400, 'ValidationError'],
    ['true', { profile_id: true }, '', 400, 'ValidationError'],
    [
      'two different profiles',
      { profile_id: UNKNOWN },
      '?profile_id=11111111-1111-4111-8111-111111111111',
      400,
      'ValidationError',
    ],
    ['a profile twice', {}, `?profile_id=${UNKNOWN}&profile_id=1`, 400, 'ValidationError'],
  ])('%s', async (_, members, query, status, reason) => {
    const answer = await call(app, account.api, 'GET', '/v1/wallets/', members, { query });
    expect(refusal(answer)).toEqual([status, 'error', reason]);
    expect(answer.body.message.length).toBeGreaterThan(10);
  });

  it('treats an empty filter or null as none', async () => {
    const all = await call(app, account.api, 'GET', '/v1/wallets/');
    expect(
      (await call(app, account.api, 'GET', '/v1/wallets/', { profile_id: null })).body,
    ).toEqual(all.body);
    expect(
      (await call(app, account.api, 'GET', '/v1/wallets/', {}, { query: '?profile_id=' })).body,
    ).toEqual(all.body);
  });
});

describe('unknown wallet', () => {
  it.each([
    UNKNOWN,
    'x',
    '0',
    'null',
    '%00',
    '..%2fprofiles',
    `${UNKNOWN}0`,
    UNKNOWN.replaceAll('-', ''),
  ])('answers 404 for %s', async (id) => {
    const path = `/v1/wallets/${id}/`;
    expect(refusal(await call(app, account.api, 'GET', path))).toEqual([404, 'error', 'NotFound']);
    expect(refusal(await call(app, account.api, 'PUT', path, { address_format: 'p2sh' }))).toEqual([
      404,
      'error',
      'NotFound',
    ]);
  });
});

describe('PUT /v1/wallets/<ID>/', () => {
  it.each<[string, Record<string, unknown>]>([
    ['nothing', {}],
    ['null', { address_format: null }],
    ['another form', { address_format: 'p2tr' }],
    ['capitals', { address_format: 'BECH32' }],
    ['spaces', { address_format: ' p2sh' }],
    ['an empty text', { address_format: '' }],
    ['a number', { address_format: 1 }],
    ['an array', { address_format: ['p2sh'] }],
    ['an object', { address_format: { p2sh: true } }],
    ['a long text', { address_format: 'p2sh'.repeat(1_000) }],
    ['a NUL', { address_format: 'p2sh\u0000' }],
    ['another name of the member', { addressFormat: 'p2sh' }],
  ])('rejects %s and lists the allowed formats', async (_, members) => {
    const answer = await put(wallets.get('bitcoin')!, members);
    expect(refusal(answer)).toEqual([400, 'error', 'ValidationError']);
    expect(answer.body.errors).toEqual([
      { field: 'address_format', message: 'must be bech32 or p2sh' },
    ]);
    const { body } = await call(app, account.api, 'GET', `/v1/wallets/${wallets.get('bitcoin')}/`);
    expect(body.address_format).toBe('bech32');
  });

  it.each(['litecoin', 'ethereum', 'xrp', 'liquid'])('rejects a wallet of %s', async (chain) => {
    const answer = await put(wallets.get(chain)!, { address_format: 'p2sh' });
    expect(refusal(answer)).toEqual([409, 'error', 'InvalidState']);
    expect(answer.body.message).toContain(chain);
  });

  it('requires wallets:write', async () => {
    const reader = await testKey(
      context,
      { accountId: account.account_id, isIntegratorKey: false },
      {
        permissions: API_KEY_PERMISSIONS.filter((permission) => permission !== 'wallets:write'),
      },
    );
    const blind = await testKey(
      context,
      { accountId: account.account_id, isIntegratorKey: false },
      {
        permissions: API_KEY_PERMISSIONS.filter((permission) => !permission.startsWith('wallets:')),
      },
    );
    const path = `/v1/wallets/${wallets.get('bitcoin')}/`;
    const tried = (key: TestKey, method: string) =>
      call(app, key, method, path, { address_format: 'p2sh' });
    expect(refusal(await tried(reader, 'PUT'))).toEqual([403, 'error', 'PermissionDenied']);
    expect(refusal(await tried(blind, 'GET'))).toEqual([403, 'error', 'PermissionDenied']);
    expect(refusal(await call(app, blind, 'GET', '/v1/wallets/'))).toEqual([
      403,
      'error',
      'PermissionDenied',
    ]);
    expect((await tried(reader, 'GET')).body.address_format).toBe('bech32');
  });

  it.each(['POST', 'PATCH', 'DELETE'])(
    'rejects %s: wallets cannot be created or removed',
    async (method) => {
      expect(
        refusal(await call(app, account.api, method, `/v1/wallets/${wallets.get('bitcoin')}/`, {})),
      ).toEqual([405, 'error', 'MethodNotAllowed']);
    },
  );
});

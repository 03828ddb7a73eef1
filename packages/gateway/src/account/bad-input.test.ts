import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { call, type TestAnswer, testConfig } from '../../test/support/call.ts';
import { testContext, type TestContext } from '../../test/support/context.ts';
import { createAccount } from './create.ts';
import { PERMISSIONS } from './keys/permission.ts';
import { testIntegrator, testKey, type MadeKey } from '../../test/support/api-key.ts';

let context: TestContext;
let app: ReturnType<typeof createApp>;
let key: MadeKey;
let subId: string;
let subKey: MadeKey;

beforeAll(async () => {
  const config = testConfig();
  context = await testContext({ config });
  app = createApp(context);
  const { account, integrator } = await testIntegrator(context, 'Own');
  key = integrator;
  subId = (await createAccount(context, { parentId: account.id }, { name: 'Sub' })).id;
  subKey = await testKey(context, { accountId: subId });
});
afterAll(() => context.close());

const everything = async () => {
  const accounts = await context.db.selectFrom('account').selectAll().orderBy('id').execute();
  const { rows } = await sql`select * from api_key where id <> ${key.row.id} order by id`.execute(
    context.db,
  );
  return [accounts, rows];
};

/** A mistake, the member, the member that the answer names, and the answer's text. */
type Case = readonly [
  member: string,
  what: string,
  value: unknown,
  field: string,
  says: RegExp | string,
];

async function requireRefused(
  [member, , value, field, says]: Case,
  requests: readonly [method: string, path: string, base: object][],
): Promise<void> {
  const before = await everything();
  for (const [method, path, base] of requests) {
    const { status, body } = await call(app, key, method, path, { ...base, [member]: value });
    expect([method, status, body.reason, body.errors?.[0]?.field]).toEqual([
      method,
      400,
      'ValidationError',
      field,
    ]);
    expect(body.errors[0].message).toMatch(says);
  }
  expect(await everything()).toEqual(before);
}

const NAME: readonly Case[] = [
  ['name', 'null', null, 'name', 'must be a string'],
  ['name', 'a number', 5, 'name', 'must be a string'],
  ['name', 'a list', ['x'], 'name', 'must be a string'],
  ['name', 'empty', '', 'name', 'must not be empty'],
  ['name', 'blank', '\t ', 'name', 'must not be empty'],
  ['name', '65 characters', 'ü'.repeat(65), 'name', 'at most 64'],
  ['name', 'NUL', 'a\0b', 'name', 'one line'],
  ['name', 'two lines', 'a\nb', 'name', 'one line'],
];

const ACCOUNT: readonly Case[] = [
  ...NAME,
  ['can_add_exchange', 'text', 'true', 'can_add_exchange', 'must be true or false'],
  ['can_add_exchange', 'null', null, 'can_add_exchange', 'must be true or false'],
  ['show_internal_tx', 'a number', 0, 'show_internal_tx', 'must be true or false'],
  ['whitelabel_fee', 'over one', '1.000000000000000001', 'whitelabel_fee', 'from 0 to 1'],
  ['whitelabel_fee', 'a percentage', 10, 'whitelabel_fee', 'from 0 to 1'],
  ['whitelabel_fee', 'negative', -0.1, 'whitelabel_fee', 'decimal'],
  ['whitelabel_fee', 'an exponent', '1e-1', 'whitelabel_fee', 'decimal'],
  ['whitelabel_fee', 'nineteen decimals', `0.${'1'.repeat(19)}`, 'whitelabel_fee', 'decimal'],
  ['whitelabel_fee', 'a percent sign', '10%', 'whitelabel_fee', 'decimal'],
  ['whitelabel_fee', 'true', true, 'whitelabel_fee', 'decimal'],
];

describe('account create and update refuse', () => {
  it.each(ACCOUNT)('%s: %s', async (...wrong) => {
    await requireRefused(wrong, [
      ['POST', '/v1/accounts/', { name: 'x' }],
      ['PUT', `/v1/accounts/${subId}/`, {}],
    ]);
  });

  it('create without a name', async () => {
    expect((await call(app, key, 'POST', '/v1/accounts/')).body).toMatchObject({
      reason: 'ValidationError',
      errors: [{ field: 'name' }],
    });
  });
});

const KEY: readonly Case[] = [
  ...NAME,
  ['permissions', 'null', null, 'permissions', 'must be a list'],
  ['permissions', 'text', 'wallets:read', 'permissions', 'must be a list'],
  ['permissions', 'none', [], 'permissions', 'at least one'],
  [
    'permissions',
    'an unknown one',
    ['wallets:read', 'wallets:delete'],
    'permissions.1',
    'must be ',
  ],
  ['permissions', 'one in capitals', ['WALLETS:READ'], 'permissions.0', 'must be '],
  ['permissions', 'a wildcard', ['*'], 'permissions.0', 'must be '],
  ['permissions', 'numbers', [1], 'permissions.0', 'must be '],
  [
    'permissions',
    'approving and creating',
    ['payouts:approve', 'payouts:write'],
    'permissions',
    'never create',
  ],
  [
    'permissions',
    'approving and paying out by rule',
    ['auto-payouts:write', 'payouts:approve'],
    'permissions',
    'never create',
  ],
  ['permissions', 'all of them', PERMISSIONS, 'permissions', 'never create'],
  [
    'permissions',
    'a hundred and one',
    Array.from({ length: 101 }, () => 'wallets:read'),
    'permissions',
    '100',
  ],
  ['max_payout', 'negative', -1, 'max_payout', 'decimal'],
  ['max_payout', 'an exponent', '1e3', 'max_payout', 'decimal'],
  ['max_payout', 'a currency', '5 USD', 'max_payout', 'decimal'],
  ['max_payout', 'empty', '', 'max_payout', 'decimal'],
  ['max_payout', 'nineteen digits', '1'.repeat(19), 'max_payout', 'decimal'],
  ['whitelist_ip', 'text', '127.0.0.1', 'whitelist_ip', 'must be a list'],
  ['whitelist_ip', 'a name', ['shop.example'], 'whitelist_ip.0', 'must be an address'],
  ['whitelist_ip', 'empty text', ['127.0.0.1', ''], 'whitelist_ip.1', 'must be an address'],
  [
    'whitelist_ip',
    'an address with a port',
    ['127.0.0.1:80'],
    'whitelist_ip.0',
    'must be an address',
  ],
  [
    'whitelist_ip',
    'an address in one number',
    ['2130706433'],
    'whitelist_ip.0',
    'must be an address',
  ],
  ['whitelist_ip', 'a short address', ['127.1'], 'whitelist_ip.0', 'must be an address'],
  ['whitelist_ip', 'a short CIDR', ['10/8'], 'whitelist_ip.0', 'must be an address'],
  ['whitelist_ip', 'too many bits', ['10.0.0.0/33'], 'whitelist_ip.0', 'must be an address'],
  ['whitelist_ip', 'negative bits', ['10.0.0.0/-1'], 'whitelist_ip.0', 'must be an address'],
  ['whitelist_ip', 'a zone', ['fe80::1%eth0'], 'whitelist_ip.0', 'must be an address'],
  ['whitelist_ip', 'brackets', ['[::1]'], 'whitelist_ip.0', 'must be an address'],
  [
    'whitelist_ip',
    'IPv4 in an IPv6 network',
    ['::ffff:10.0.0.0/104'],
    'whitelist_ip.0',
    'written as IPv4',
  ],
  ['whitelist_ip', 'spaces', [' 127.0.0.1'], 'whitelist_ip.0', 'must be an address'],
  [
    'whitelist_ip',
    'a hundred and one',
    Array.from({ length: 101 }, () => '127.0.0.1'),
    'whitelist_ip',
    '100',
  ],
  ['whitelist_ip', 'numbers', [1], 'whitelist_ip.0', 'must be a string'],
];

describe('key create and update refuse', () => {
  it.each(KEY)('%s: %s', async (...wrong) => {
    await requireRefused(wrong, [
      ['POST', '/v1/api-keys/', { name: 'x', account_id: subId, permissions: ['wallets:read'] }],
      ['PUT', `/v1/api-keys/${subKey.row.id}/`, {}],
    ]);
  });

  it.each([
    ['name', 'no name', undefined],
    ['permissions', 'no permissions', undefined],
    ['account_id', 'no account', undefined],
    ['account_id', 'null for the account', null],
    ['account_id', 'a number for the account', 5],
    ['account_id', 'a long account id', 'x'.repeat(65)],
    ['nonce_window', 'text for nonce_window', 'true'],
  ])('create with %s: %s', async (member, _what, value) => {
    const payload = {
      name: 'x',
      account_id: subId,
      permissions: ['wallets:read'],
      [member]: value,
    };
    const { status, body } = await call(app, key, 'POST', '/v1/api-keys/', payload);
    expect([status, body.reason, body.errors[0].field]).toEqual([400, 'ValidationError', member]);
  });

  it.each([
    ['negative', -1],
    ['over a week', 604_801],
    ['a fraction', 0.5],
    ['text', '60'],
    ['true', true],
  ])('rotate with grace_seconds: %s', async (_what, grace_seconds) => {
    const before = await everything();
    const { status, body } = await call(app, key, 'POST', `/v1/api-keys/${subKey.row.id}/rotate/`, {
      grace_seconds,
    });
    expect([status, body.reason, body.errors[0].field]).toEqual([
      400,
      'ValidationError',
      'grace_seconds',
    ]);
    expect(await everything()).toEqual(before);
  });
});

describe('a key without the permission', () => {
  it.each([
    ['account:read', 'GET', '/v1/account/settings/'],
    ['account:read', 'GET', '/v1/accounts/'],
    ['account:read', 'GET', '/v1/accounts/:account/'],
    ['account:write', 'POST', '/v1/accounts/'],
    ['account:write', 'PUT', '/v1/accounts/:account/'],
    ['api-keys:read', 'GET', '/v1/api-keys/'],
    ['api-keys:read', 'GET', '/v1/api-keys/:key/'],
    ['api-keys:write', 'POST', '/v1/api-keys/'],
    ['api-keys:write', 'PUT', '/v1/api-keys/:key/'],
    ['api-keys:write', 'DELETE', '/v1/api-keys/:key/'],
    ['api-keys:write', 'POST', '/v1/api-keys/:key/rotate/'],
  ])('%s is refused %s %s without changes', async (permission, method, path) => {
    const permissions = PERMISSIONS.filter(
      (name) => name !== permission && name !== 'payouts:approve',
    );
    const weak = await testKey(
      context,
      { accountId: key.row.account_id, isIntegratorKey: true },
      { permissions },
    );
    const before = await everything();
    const url = path.replace(':account', subId).replace(':key', subKey.row.id);
    const answer: TestAnswer = await call(app, weak, method, url, {
      name: 'x',
      account_id: subId,
      permissions: ['wallets:read'],
    });
    expect([answer.status, answer.body.reason]).toEqual([403, 'PermissionDenied']);
    const untouched = ({ id }: { id: string }) => id !== weak.row.id;
    const rowsOf = ([accounts, keys]: Awaited<ReturnType<typeof everything>>) => [
      accounts,
      (keys as { id: string }[]).filter(untouched),
    ];
    expect(rowsOf(await everything())).toEqual(rowsOf(before));
  });
});

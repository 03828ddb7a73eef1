import { CHAINS, kindOf } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testIntegrator, testKey, type MadeKey } from '../../test/support/api-key.ts';
import { PERMISSIONS } from '../account/keys/permission.ts';
import { createApp } from '../app.ts';
import { call, testConfig, walletsOf } from '../../test/support/call.ts';
import { testContext, type TestContext } from '../../test/support/context.ts';

let context: TestContext;
let app: ReturnType<typeof createApp>;
let key: MadeKey;
let profileId: string;
let foreign: { profile: string; wallet: string };
let wallets: Map<string, string>;

beforeAll(async () => {
  const config = testConfig();
  context = await testContext({ config });
  app = createApp(context);
  const own = await testIntegrator(context, 'Own');
  const other = await testIntegrator(context, 'Other');
  key = own.api;
  profileId = own.account.profiles[0]!;
  wallets = await walletsOf(context, own.account.id);
  foreign = {
    profile: other.account.profiles[0]!,
    wallet: (await walletsOf(context, other.account.id)).get('bitcoin')!,
  };
});
afterAll(() => context.close());

const walletOf = (kind: string): string =>
  wallets.get(CHAINS[kindOf(kind)?.chain ?? 'bitcoin'].walletChain)!;
const entry = (kind: string, more: object = {}) => ({ kind, wallet_id: walletOf(kind), ...more });
const everything = async () => {
  const { rows } =
    await sql`select p.*, (select json_agg(c order by c.kind) from profile_currency c where c.profile_id = p.id) as coins
    from profile p order by p.id`.execute(context.db);
  return rows;
};

/**
 * A mistake (or a function that makes it, once there are wallets), the member that the answer
 * names, and its text.
 */
type Case = readonly [what: string, member: unknown, field: string, says: RegExp | string];

const WRONG: Readonly<Record<string, readonly Case[]>> = {
  name: [
    ['null', null, 'name', 'must be a string'],
    ['a number', 5, 'name', 'must be a string'],
    ['empty', '', 'name', 'must not be empty'],
    ['blank', ' \u00a0 ', 'name', 'must not be empty'],
    ['257 characters', '₿'.repeat(257), 'name', 'at most 256'],
    ['NUL', 'a\0b', 'name', 'one line'],
    ['two lines', 'a\r\nBcc: all', 'name', 'one line'],
    ['a line separator', 'a\u2028b', 'name', 'one line'],
  ],
  notification_email: [
    ['no address', 'shop', 'notification_email', 'email'],
    ['two addresses', 'a@example.com,b@example.com', 'notification_email', 'email'],
    ['a header', 'a@example.com\nBcc: b@example.com', 'notification_email', 'email'],
    ['255 characters', `${'a'.repeat(243)}@example.com`, 'notification_email', /email|254/],
    ['a number', 1, 'notification_email', 'must be a string'],
  ],
  invoice_expiration: [
    ['none of the set', 61, 'invoice_expiration', 'must be one of 60, 120,'],
    ['zero', 0, 'invoice_expiration', 'must be '],
    ['text', '900', 'invoice_expiration', 'must be '],
    ['null', null, 'invoice_expiration', 'must be '],
  ],
  addresses_expiration: [
    ['one of the other set', 900, 'addresses_expiration', 'must be '],
    ['negative', -3600, 'addresses_expiration', 'must be '],
    ['a fraction', 3600.5, 'addresses_expiration', 'must be '],
  ],
  notification_email_kinds: [
    ['an unknown event', 'invoice_complete,invoice_gone', 'notification_email_kinds.1', 'must be '],
    [
      'an event that is not mailed',
      ['transaction_replaced'],
      'notification_email_kinds.0',
      'must be ',
    ],
    [
      'spaces between',
      'invoice_complete invoice_pending',
      'notification_email_kinds.0',
      'must be ',
    ],
    ['an object', {}, 'notification_email_kinds', 'must be '],
    ['numbers', [1], 'notification_email_kinds', 'must be '],
  ],
  onramp_api_key: [
    ['empty', '', 'onramp_api_key', 'must not be empty'],
    ['513 characters', 'x'.repeat(513), 'onramp_api_key', 'at most 512'],
    ['true', true, 'onramp_api_key', 'must be a string'],
  ],
  allow_smart_contract_payouts: [
    ['text', 'true', 'allow_smart_contract_payouts', 'must be true or false'],
    ['a number', 1, 'allow_smart_contract_payouts', 'must be true or false'],
    ['null', null, 'allow_smart_contract_payouts', 'must be true or false'],
  ],
  stablecoin_precision: [
    ['seven', 7, 'stablecoin_precision', '6'],
    ['negative', -1, 'stablecoin_precision', '0'],
    ['a fraction', 1.5, 'stablecoin_precision', 'must be a whole number from'],
    ['text', '2', 'stablecoin_precision', 'must be a whole number from'],
  ],
  acceptance_range: [
    ['no object', '0.5', 'acceptance_range', 'must be an object'],
    ['null', null, 'acceptance_range', 'must be an object'],
    ['negative', { positive_difference: -1 }, 'acceptance_range.positive_difference', 'decimal'],
    [
      'a negative text',
      { positive_difference: '-0.5' },
      'acceptance_range.positive_difference',
      'decimal',
    ],
    [
      'over 100 below',
      { negative_difference: '100.0001' },
      'acceptance_range.negative_difference',
      'must be from 0 to 100 percent',
    ],
    [
      'over a million above',
      { positive_difference: '1000000.0001' },
      'acceptance_range.positive_difference',
      'must be from 0 to 1000000 percent',
    ],
    [
      'five decimals below',
      { negative_difference: 0.12345 },
      'acceptance_range.negative_difference',
      'at most four decimals',
    ],
    [
      'five decimals above',
      { positive_difference: 100.12345 },
      'acceptance_range.positive_difference',
      'at most four decimals',
    ],
    [
      'an exponent',
      { negative_difference: '1e1' },
      'acceptance_range.negative_difference',
      'decimal',
    ],
    [
      'with a percent sign',
      { negative_difference: '1%' },
      'acceptance_range.negative_difference',
      'decimal',
    ],
  ],
  reserve_wallet: [
    ['no object', 'BTC', 'reserve_wallet', 'must be an object'],
    ['without a wallet', { kind: 'BTC' }, 'reserve_wallet.wallet', 'is required'],
    [
      'of an unknown kind',
      () => ({ kind: 'XMR', wallet: walletOf('BTC') }),
      'reserve_wallet.kind',
      'coin kinds',
    ],
    [
      'that can’t hold the kind',
      () => ({ kind: 'ETH', wallet: walletOf('BTC') }),
      'reserve_wallet.wallet',
      'must be a wallet of Ethereum',
    ],
    [
      'of a token whose mint is not known',
      () => ({ kind: 'JAMBO-SOL', wallet: walletOf('JAMBO-SOL') }),
      'reserve_wallet.kind',
      'JAMBO-SOL stays disabled until an operator sets its mint',
    ],
    [
      'of another network',
      () => ({ kind: 'BTC', network: 'mainnet', wallet: walletOf('BTC') }),
      'reserve_wallet.network',
      'testnet',
    ],
  ],
  callback_url: [
    ['no URL', 'shop.example', 'callback_url', 'must be'],
    ['another scheme', 'ftp://shop.example/', 'callback_url', 'must be'],
    ['a script', 'javascript:alert(1)', 'callback_url', 'must be'],
    ['a password', 'https://a:b@shop.example/', 'callback_url', 'password'],
    ['spaces', ' https://shop.example/', 'callback_url', 'must be'],
    ['loopback', 'http://127.0.0.1:8080/', 'callback_url', 'not public'],
    ['loopback in another form', 'https://0x7f.1/', 'callback_url', 'not public'],
    ['loopback by name', 'https://localhost/', 'callback_url', 'not public'],
    ['loopback by a longer name', 'https://a.LOCALHOST./', 'callback_url', 'not public'],
    ['a private address', 'https://10.0.0.1/', 'callback_url', 'not public'],
    ['cloud metadata', 'http://169.254.169.254/latest/', 'callback_url', 'not public'],
    ['IPv6 loopback', 'https://[::1]/', 'callback_url', 'not public'],
    ['IPv4 in IPv6', 'https://[::ffff:10.0.0.1]/', 'callback_url', 'not public'],
    ['2049 characters', `https://shop.example/${'a'.repeat(2028)}`, 'callback_url', '2048'],
  ],
  currencies: [
    ['null', null, 'currencies', 'must be a list'],
    ['an object', {}, 'currencies', 'must be a list'],
    ['a kind alone', ['BTC'], 'currencies.0', 'must be an object'],
    ['an unknown kind', () => [entry('BTC', { kind: 'XMR' })], 'currencies.0.kind', 'coin kinds'],
    [
      'a kind in other letters',
      () => [entry('BTC', { kind: 'btc' })],
      'currencies.0.kind',
      'coin kinds',
    ],
    [
      'a token whose mint is not known',
      () => [entry('JAMBO-SOL')],
      'currencies.0.kind',
      'JAMBO-SOL stays disabled until an operator sets its mint',
    ],
    ['a kind twice', () => [entry('BTC'), entry('LTC'), entry('BTC')], 'currencies', 'once'],
    ['no wallet', [{ kind: 'BTC' }], 'currencies.0.wallet_id', 'is required'],
    [
      'a wallet of another chain',
      () => [entry('BTC'), entry('ETH', { wallet_id: walletOf('BTC') })],
      'currencies.1.wallet_id',
      'Ethereum',
    ],
    [
      'a token in another chain’s wallet',
      () => [entry('USDT-TRX', { wallet_id: walletOf('ETH') })],
      'currencies.0.wallet_id',
      'TRON',
    ],
    [
      'no confirmations',
      () => [entry('BTC', { min_confirmations: 0 })],
      'currencies.0.min_confirmations',
      '1',
    ],
    [
      'more confirmations than anybody waits for',
      () => [entry('BTC', { min_confirmations: 1001 })],
      'currencies.0.min_confirmations',
      'must be a whole number from 1 to 1000',
    ],
    [
      'confirmations as text',
      () => [entry('BTC', { min_confirmations: '2' })],
      'currencies.0.min_confirmations',
      'must be a whole number from',
    ],
    [
      'a fee without currency',
      () => [entry('BTC', { custom_fee: { amount: '1' } })],
      'currencies.0.custom_fee.currency',
      'is required',
    ],
    [
      'a fee that is no object',
      () => [entry('BTC', { custom_fee: '1' })],
      'currencies.0.custom_fee',
      'must be an object',
    ],
    [
      'a fee in no currency',
      () => [entry('BTC', { custom_fee: { amount: '1', currency: 'XYZ' } })],
      'currencies.0.custom_fee.currency',
      'not "XYZ"',
    ],
    [
      'a fee with too many decimals',
      () => [entry('LTC', { custom_fee: { amount: '0.123456789', currency: 'LTC' } })],
      'currencies.0.custom_fee.amount',
      '8 decimals',
    ],
    [
      'a negative fee',
      () => [entry('LTC', { custom_fee: { amount: '-1', currency: 'LTC' } })],
      'currencies.0.custom_fee.amount',
      'decimal',
    ],
    [
      'an unconfirmed maximum of nothing',
      () => [
        entry('BTC', { zero_conf_max_amount: '1' }),
        entry('LTC', { zero_conf_max_amount: '0' }),
      ],
      'currencies.1.zero_conf_max_amount',
      'not for LTC',
    ],
    ...['LTC', 'DOGE', 'L-BTC', 'ETH', 'BTC_LIGHTNING', 'BTC_LIGHTNING_TO_BTC'].map(
      (kind): Case => [
        `an unconfirmed maximum of ${kind}`,
        () => [entry(kind, { zero_conf_max_amount: '1' })],
        'currencies.0.zero_conf_max_amount',
        `is for BTC, BTC_P2SH, BTC_BECH32 only, not for ${kind}`,
      ],
    ),
    [
      'an unconfirmed maximum of nine decimals',
      () => [entry('BTC', { zero_conf_max_amount: '0.000000001' })],
      'currencies.0.zero_conf_max_amount',
      '8 decimals',
    ],
  ],
};

const CASES = Object.entries(WRONG).flatMap(([member, cases]) =>
  cases.map(([what, ...rest]) => [member, what, ...rest] as const),
);

describe('profile create and update refuse', () => {
  it.each(CASES)('%s: %s', async (member, _what, given, field, says) => {
    const value = typeof given === 'function' ? (given as () => unknown)() : given;
    const before = await everything();
    const base = { name: 'x', currencies: [] };
    for (const [method, path, payload] of [
      ['POST', '/v1/profiles/', { ...base, [member]: value }],
      ['PUT', `/v1/profiles/${profileId}/`, { [member]: value }],
    ] as const) {
      const { status, body } = await call(app, key, method, path, payload);
      expect([status, body.reason, body.errors?.[0]?.field]).toEqual([
        400,
        'ValidationError',
        field,
      ]);
      expect(body.errors[0].message).toMatch(says);
    }
    expect(await everything()).toEqual(before);
  });

  it.each(['name', 'currencies'])('create without %s', async (member) => {
    const { [member]: _, ...payload } = { name: 'x', currencies: [] } as Record<string, unknown>;
    const { status, body } = await call(app, key, 'POST', '/v1/profiles/', payload);
    expect([status, body.reason, body.errors[0].field]).toEqual([400, 'ValidationError', member]);
  });

  it.each([
    ['somebody else’s', () => foreign.wallet],
    ['nobody’s', () => '00000000-0000-4000-8000-000000000000'],
    ['a malformed id', () => 'x'],
  ])('%s wallet: 404 alike', async (_what, wallet) => {
    const before = await everything();
    const answers = [
      await call(app, key, 'POST', '/v1/profiles/', {
        name: 'x',
        currencies: [{ kind: 'BTC', wallet_id: wallet() }],
      }),
      await call(app, key, 'PUT', `/v1/profiles/${profileId}/`, {
        currencies: [{ kind: 'BTC', wallet_id: wallet() }],
      }),
      await call(app, key, 'PUT', `/v1/profiles/${profileId}/`, {
        reserve_wallet: { kind: 'BTC', wallet: wallet() },
      }),
    ];
    expect(answers.map(({ status, body }) => [status, body.reason, body.errors[0].field])).toEqual([
      [404, 'NotFound', 'currencies.0.wallet_id'],
      [404, 'NotFound', 'currencies.0.wallet_id'],
      [404, 'NotFound', 'reserve_wallet.wallet'],
    ]);
    expect(await everything()).toEqual(before);
  });
});

describe('a profile’s id', () => {
  it.each([
    ['of somebody else', () => foreign.profile],
    ['of nobody', () => '00000000-0000-4000-8000-000000000000'],
    ['in capitals', () => profileId.toUpperCase()],
    ['malformed', () => 'x'],
  ])('%s is the same 404, without changes', async (_what, id) => {
    const before = await everything();
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, body } = await call(app, key, method, `/v1/profiles/${id()}/`, { name: 'x' });
      expect([method, status, body.reason, body.message]).toEqual([
        method,
        404,
        'NotFound',
        'There is no profile with this id.',
      ]);
    }
    expect(await everything()).toEqual(before);
  });
});

it('a key without the permission changes nothing', async () => {
  const reader = await testKey(
    context,
    { accountId: key.row.account_id },
    { permissions: PERMISSIONS.filter((name) => !/^profiles:write|:approve$/.test(name)) },
  );
  const before = await everything();
  for (const [method, path] of [
    ['POST', '/v1/profiles/'],
    ['PUT', `/v1/profiles/${profileId}/`],
    ['DELETE', `/v1/profiles/${profileId}/`],
  ] as const) {
    const { status, body } = await call(app, reader, method, path, { name: 'x', currencies: [] });
    expect([method, status, body.reason]).toEqual([method, 403, 'PermissionDenied']);
  }
  expect(await everything()).toEqual(before);
});

it('two profiles may share a name, and a request is accepted once', async () => {
  const nonce = 10n ** 30n;
  const send = () =>
    call(app, key, 'POST', '/v1/profiles/', { name: 'x', currencies: [] }, { nonce });
  expect((await send()).status).toBe(201);
  expect((await send()).body.reason).toBe('InvalidNonce');
});

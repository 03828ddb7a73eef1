import { EMAIL_EVENTS } from '@crypto-checkout/protocol/event';
import { CHAINS, KINDS, kindOf } from '@crypto-checkout/protocol/kind';
import { profile as schema } from '@crypto-checkout/protocol/schema/profile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testIntegrator, type MadeKey } from '../../test/support/api-key.ts';
import { decodeBolt11 } from '@crypto-checkout/chains/lightning/bolt11';
import { createApp } from '../app.ts';
import {
  call,
  testAccount,
  type TestAnswer,
  testConfig,
  walletsOf,
} from '../../test/support/call.ts';
import { requestPayment } from '../lnurl/pay.ts';
import { ADDRESS, payoutShop, type PayoutShop } from '../../test/support/payouts.ts';
import { updateProfile } from './update.ts';

let shop: PayoutShop;
let app: ReturnType<typeof createApp>;
let key: { key: string; secret: string };
let other: MadeKey;
let otherProfile: string;
/** Wallet of the account by chain. */
let wallets: Map<string, string>;

beforeAll(async () => {
  const config = testConfig({ LOG_LEVEL: 'silent', OUTBOUND_ALLOW: '10.1.2.0/24:443' });
  shop = await payoutShop({ overrides: { config } });
  app = createApp(shop.context);
  key = (await testAccount(shop.context)).api;
  const { api, account } = await testIntegrator(shop.context, 'Other');
  [other, otherProfile] = [api, account.profiles[0]!];
  wallets = await walletsOf(shop.context, shop.accountId);
});
afterAll(() => shop.close());

const walletOf = (kind: string): string =>
  wallets.get(CHAINS[kindOf(kind)?.chain ?? 'bitcoin'].walletChain)!;
const entry = (kind: string, more: object = {}) => ({ kind, wallet_id: walletOf(kind), ...more });
const post = (payload: object): Promise<TestAnswer> =>
  call(app, key, 'POST', '/v1/profiles/', { name: 'Shop', currencies: [], ...payload });
const put = (id: string, payload: object): Promise<TestAnswer> =>
  call(app, key, 'PUT', `/v1/profiles/${id}/`, { ...payload });
const get = (id: string): Promise<TestAnswer> => call(app, key, 'GET', `/v1/profiles/${id}/`);
const remove = (id: string, by = key): Promise<TestAnswer> =>
  call(app, by, 'DELETE', `/v1/profiles/${id}/`);

async function made(payload: object = {}): Promise<string> {
  const { status, body } = await post(payload);
  expect([status, body.message]).toEqual([201, undefined]);
  return body.result.id as string;
}

const everything = () => ({
  name: 'Second shop ₿',
  notification_email: 'shop@example.com',
  invoice_expiration: 600,
  addresses_expiration: 86_400,
  notification_email_kinds: 'invoice_complete, payout_complete,invoice_complete',
  onramp_api_key: 'pk_live_1',
  allow_smart_contract_payouts: true,
  stablecoin_precision: 4,
  acceptance_range: { positive_difference: 1, negative_difference: '0.25' },
  reserve_wallet: { kind: 'LTC', network: 'testnet', wallet: walletOf('LTC') },
  callback_url: 'https://shop.example/callbacks?a=1',
  currencies: [
    entry('ETH_USDT', { custom_fee: { amount: '1.5', currency: 'USD' } }),
    entry('BTC', { min_confirmations: 2, zero_conf_max_amount: '0.010' }),
    entry('BTC_LIGHTNING'),
  ],
});

describe('POST /v1/profiles/', () => {
  it('returns 201 with every field of a profile; a GET names the reserve wallet differently', async () => {
    const { status, body } = await post(everything());
    expect(status).toBe(201);
    expect(schema.safeParse(body.result).error).toBeUndefined();
    const common = { network: 'testnet', custom_fee: null, min_confirmations: 1 };
    expect(body.result).toEqual({
      ...everything(),
      id: expect.any(String),
      account: 'Default account',
      account_id: shop.accountId,
      notification_email_kinds: ['invoice_complete', 'payout_complete'],
      acceptance_range: { positive_difference: '1.0000', negative_difference: '0.2500' },
      currencies: [
        { ...common, ...entry('BTC'), min_confirmations: 2, zero_conf_max_amount: '0.01' },
        { ...common, ...entry('BTC_LIGHTNING') },
        { ...common, ...entry('ETH_USDT'), custom_fee: { amount: '1.5', currency: 'USD' } },
      ],
    });
    const read = (await get(body.result.id as string)).body.result;
    expect(read).toEqual({
      ...body.result,
      reserve_wallet: { kind: 'LTC', network: 'testnet', wallet_id: walletOf('LTC') },
    });
    const listed = (await call(app, key, 'GET', '/v1/profiles/')).body.result as { id: string }[];
    expect(listed.find(({ id }) => id === body.result.id)).toEqual(read);
  });

  it('requires only a name and currencies', async () => {
    expect((await post({})).body.result).toMatchObject({
      notification_email: null,
      invoice_expiration: 900,
      addresses_expiration: 604_800,
      notification_email_kinds: [],
      onramp_api_key: null,
      allow_smart_contract_payouts: false,
      stablecoin_precision: 2,
      acceptance_range: { positive_difference: '0.5000', negative_difference: '0.5000' },
      reserve_wallet: null,
      callback_url: null,
      currencies: [],
    });
  });

  it('accepts a zero-conf maximum for every bitcoin kind, and null for every coin', async () => {
    const bitcoin = ['BTC', 'BTC_BECH32', 'BTC_P2SH'].map((kind) =>
      entry(kind, { zero_conf_max_amount: '0.5' }),
    );
    const { status, body } = await post({
      currencies: [...bitcoin, entry('LTC', { zero_conf_max_amount: null })],
    });
    expect(status).toBe(201);
    expect(
      body.result.currencies
        .map(({ kind, zero_conf_max_amount }: Record<string, string>) => [
          kind,
          zero_conf_max_amount,
        ])
        .toSorted(),
    ).toEqual(
      [['BTC', '0.5'], ['BTC_BECH32', '0.5'], ['BTC_P2SH', '0.5'], ['LTC']].map(([kind, most]) => [
        kind,
        most,
      ]),
    );
  });

  it('accepts any overpayment tolerance, and zero', async () => {
    const rangeOf = async (range: object) =>
      (await post({ acceptance_range: range })).body.result.acceptance_range;
    expect(await rangeOf({ positive_difference: '1000000', negative_difference: 100 })).toEqual({
      positive_difference: '1000000.0000',
      negative_difference: '100.0000',
    });
    expect(await rangeOf({ positive_difference: 250.5, negative_difference: '0' })).toEqual({
      positive_difference: '250.5000',
      negative_difference: '0.0000',
    });
  });

  it('accepts every kind with a known contract, and kinds for payouts only', async () => {
    const kinds = [
      ...KINDS.map(({ kind }) => kind).filter((kind) => kind !== 'JAMBO-SOL'),
      'BTC_LIGHTNING_TO_BTC',
    ];
    const { status, body } = await post({ currencies: kinds.map((kind) => entry(kind)) });
    expect(status).toBe(201);
    expect(body.result.currencies.map(({ kind }: { kind: string }) => kind)).toEqual(kinds);
  });

  it('accepts mail events as comma-separated text, as a list, or as null', async () => {
    const kindsOf = async (value: unknown) =>
      (await post({ notification_email_kinds: value })).body.result.notification_email_kinds;
    expect(await kindsOf(EMAIL_EVENTS.join(','))).toEqual(EMAIL_EVENTS);
    expect(await kindsOf(['payout_pending', 'payout_pending'])).toEqual(['payout_pending']);
    expect([await kindsOf(null), await kindsOf(''), await kindsOf([])]).toEqual([[], [], []]);
  });

  it('ignores read-only members', async () => {
    const forged = {
      id: otherProfile,
      account_id: other.row.account_id,
      account: 'X',
      created_at: 'x',
      deleted_at: 'x',
      network: 'mainnet',
    };
    const { body } = await post({ ...forged, currencies: [entry('BTC', { network: 'mainnet' })] });
    expect(body.result).toMatchObject({ account_id: shop.accountId, account: 'Default account' });
    expect([body.result.id === otherProfile, body.result.currencies[0].network]).toEqual([
      false,
      'testnet',
    ]);
  });

  it('accepts private callback URLs only if OUTBOUND_ALLOW lists them', async () => {
    expect((await post({ callback_url: 'https://10.1.2.3/callbacks' })).status).toBe(201);
    expect((await post({ callback_url: 'https://10.1.2.3:444/callbacks' })).status).toBe(400);
    // A test account may use plain http.
    expect((await post({ callback_url: 'http://shop.example/callbacks' })).status).toBe(201);
  });
});

describe('PUT /v1/profiles/<ID>/', () => {
  it('keeps omitted members, and clears with null', async () => {
    const before = (await post(everything())).body.result;
    expect((await put(before.id, { name: 'New' })).body.result).toEqual({ ...before, name: 'New' });
    expect((await put(before.id, {})).body.result).toEqual({ ...before, name: 'New' });
    expect(
      (await put(before.id, { acceptance_range: { negative_difference: 2 } })).body.result
        .acceptance_range,
    ).toEqual({
      positive_difference: '1.0000',
      negative_difference: '2.0000',
    });
    const cleared = {
      notification_email: null,
      onramp_api_key: null,
      reserve_wallet: null,
      callback_url: null,
    };
    const { body } = await put(before.id, { ...cleared, notification_email_kinds: null });
    expect(body.result).toMatchObject({
      ...cleared,
      notification_email_kinds: [],
      name: 'New',
      invoice_expiration: 600,
    });
  });

  it('accepts the answer of a GET', async () => {
    const id = await made(everything());
    const before = (await get(id)).body.result;
    expect((await put(id, before)).status).toBe(200);
    expect((await get(id)).body.result).toEqual(before);
  });

  it('disables omitted coins', async () => {
    const id = await made({ currencies: [entry('BTC'), entry('LTC')] });
    const { body } = await put(id, { currencies: [entry('LTC', { min_confirmations: 3 })] });
    expect(body.result.currencies).toEqual([
      { ...entry('LTC'), network: 'testnet', custom_fee: null, min_confirmations: 3 },
    ]);
    await expect(shop.create({ profile_id: id })).rejects.toMatchObject({
      reason: 'CurrencyNotEnabled',
    });
    expect(await shop.create({ profile_id: id, kind: 'LTC' })).toMatchObject({
      min_confirmations: 3,
    });
    await put(id, {
      currencies: [
        entry('LTC', { min_confirmations: 6 }),
        entry('BTC', { min_confirmations: 1000 }),
      ],
    });
    expect((await get(id)).body.result.currencies).toMatchObject([
      { min_confirmations: 1000 },
      { min_confirmations: 6 },
    ]);
    expect(await shop.create({ profile_id: id, kind: 'LTC' })).toMatchObject({
      min_confirmations: 6,
    });
    expect(await shop.create({ profile_id: id, kind: 'LTC', min_confirmations: 2 })).toMatchObject({
      min_confirmations: 2,
    });
  });

  it('keeps a callback URL set by the operator, and refuses to restore it', async () => {
    const own = shop.context.config.callbackUrl;
    expect((await put(shop.profileId, { callback_url: own })).status).toBe(200);
    expect((await put(await made(), { callback_url: own })).body.reason).toBe('ValidationError');
  });

  it('applies to later invoices', async () => {
    const id = await made({
      currencies: [entry('ETH_USDT'), entry('BTC')],
      invoice_expiration: 60,
    });
    const create = async () =>
      (await shop.create({ profile_id: id, kind: 'ETH_USDT', amount: '10.11', currency: 'EUR' }))
        .amount.invoiced;
    expect((await create()).amount).toBe('12.64');
    await put(id, {
      stablecoin_precision: 4,
      currencies: [entry('ETH_USDT', { custom_fee: { amount: '1', currency: 'USDT' } })],
    });
    expect((await create()).amount).toBe('13.6375');
  });

  it('changed concurrently is always consistent', async () => {
    const id = await made();
    const lists = [
      [entry('BTC'), entry('LTC')],
      [entry('DOGE')],
      [entry('ETH'), entry('SOL'), entry('TRX')],
    ];
    await Promise.all(
      Array.from({ length: 12 }, (_, turn) =>
        updateProfile(shop.context, shop.accountId, id, { currencies: lists[turn % 3]! }),
      ),
    );
    const kinds = (await get(id)).body.result.currencies.map(({ kind }: { kind: string }) => kind);
    expect(lists.map((list) => list.map(({ kind }) => kind).toSorted())).toContainEqual(
      kinds.toSorted(),
    );
  });
});

describe('DELETE /v1/profiles/<ID>/', () => {
  it('returns 200 with the deleted profile, then 404', async () => {
    const id = await made(everything());
    const before = (await get(id)).body.result;
    const { status, body } = await remove(id);
    expect([status, body.result]).toEqual([200, before]);
    for (const again of [await remove(id), await get(id), await put(id, {})])
      expect([again.status, again.body.reason]).toEqual([404, 'NotFound']);
    const listed = (await call(app, key, 'GET', '/v1/profiles/')).body.result as { id: string }[];
    expect(listed.map((profile) => profile.id)).not.toContain(id);
    expect((await call(app, key, 'GET', '/v1/wallets/', { profile_id: id })).status).toBe(404);
    await expect(shop.create({ profile_id: id })).rejects.toMatchObject({ reason: 'NotFound' });
    await expect(shop.payOut({ profile_id: id })).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('its invoices continue: payments, renewals, callbacks', async () => {
    const id = await made({
      currencies: [entry('BTC'), entry('BTC_LIGHTNING_LNURL')],
      callback_url: 'https://shop.example/',
    });
    const [paid, late, lnurl] = [
      await shop.create({ profile_id: id }),
      await shop.create({ profile_id: id, invoice_expiration: 60 }),
      await shop.create({ profile_id: id, kind: 'BTC_LIGHTNING_LNURL', amount: undefined }),
    ];
    await remove(id);
    await shop.pay(paid.id);
    await shop.mine('BTC', 6);
    expect((await shop.get(paid.id)).status).toBe('complete');
    expect(await shop.events(paid.id)).toContain('invoice_complete');
    await shop.advance(61);
    expect(
      (await call(app, key, 'POST', `/v1/invoices/${late.id}/renew/`)).body.result,
    ).toMatchObject({ id: late.id, status: 'new' });
    expect((await requestPayment(shop.context, lnurl.id, '100000')).pr).toMatch(/^ln/);
    const { body } = await call(app, key, 'GET', '/v1/invoices/', { profile_id: id });
    expect(body.result.map((invoice: { id: string }) => invoice.id)).toContain(paid.id);
  });

  it('its payouts continue: approval, sending, callbacks', async () => {
    await shop.fund('BTC', '1');
    const id = await made({ currencies: [entry('BTC')], callback_url: 'https://shop.example/' });
    const account = await testAccount(shop.context);
    const limited = { accountId: shop.accountId, key: { id: account.api_key_id, maxPayout: '1' } };
    const recipients = [{ amount: '0.1', currency: 'BTC', address: ADDRESS.BTC }];
    const draft = await shop.payOut({ profile_id: id, recipients }, limited);
    expect(draft.status).toBe('draft');
    await remove(id);
    expect(
      (await call(app, account.approve, 'PUT', `/v1/payouts/${draft.id}/`, { approve: true })).body
        .result.status,
    ).toBe('new');
    await shop.work();
    expect(await shop.payout(draft.id)).toMatchObject({ status: 'pending' });
    expect(await shop.events(draft.id)).toEqual(['payout_pending']);
  });

  it('keeps the last one, also when all are deleted at once', async () => {
    const { account, api } = await testIntegrator(shop.context, 'Small');
    const [first] = account.profiles as [string];
    expect((await remove(first, api)).body).toMatchObject({
      reason: 'InvalidState',
      message: expect.stringContaining('last profile'),
    });
    const ids = [first];
    for (let count = 0; count < 4; count += 1)
      ids.push(
        (await call(app, api, 'POST', '/v1/profiles/', { name: 'x', currencies: [] })).body.result
          .id as string,
      );
    const statuses = await Promise.all(ids.map(async (id) => (await remove(id, api)).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 409]);
    expect((await call(app, api, 'GET', '/v1/profiles/')).body.result).toHaveLength(1);
  });
});

describe('addresses_expiration', () => {
  it('is the lifetime of a lightning request without an amount', async () => {
    const id = await made({ currencies: [entry('BTC_LIGHTNING')], addresses_expiration: 7200 });
    const open = await shop.create({ profile_id: id, kind: 'BTC_LIGHTNING', amount: undefined });
    expect(decodeBolt11(open.lightning!.payment_request!).expirySeconds).toBe(7200);
    expect(open.expires_at).toBeNull();
    const fixed = await shop.create({
      profile_id: id,
      kind: 'BTC_LIGHTNING',
      invoice_expiration: 300,
    });
    expect(decodeBolt11(fixed.lightning!.payment_request!).expirySeconds).toBe(300);
  });
});

describe('profiles of another account', () => {
  it('are 404, and stay unchanged', async () => {
    const before = (await call(app, other, 'GET', `/v1/profiles/${otherProfile}/`)).body.result;
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, body } = await call(app, key, method, `/v1/profiles/${otherProfile}/`, {
        name: 'Mine',
      });
      expect([status, body.reason]).toEqual([404, 'NotFound']);
    }
    const listed = (await call(app, key, 'GET', '/v1/profiles/')).body.result as {
      account_id: string;
    }[];
    expect(new Set(listed.map(({ account_id }) => account_id))).toEqual(new Set([shop.accountId]));
    expect((await call(app, other, 'GET', `/v1/profiles/${otherProfile}/`)).body.result).toEqual(
      before,
    );
  });
});

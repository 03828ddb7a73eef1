import { wallet as walletSchema } from '@crypto-checkout/protocol/schema/wallet';
import { sql } from 'kysely';
import type { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MadeKey, testIntegrator } from '../../test/support/api-key.ts';
import { createApp } from '../app.ts';
import type { Env } from '../http/env.ts';
import {
  call,
  testAccount,
  type TestAccount,
  type TestAnswer,
  testConfig,
  walletsOf,
} from '../../test/support/call.ts';
import { testShop, type TestShop } from '../../test/support/shop.ts';
import { setAddressFormat } from './set-address-format.ts';

let shop: TestShop;
let app: Hono<Env>;
let account: TestAccount;
let stranger: MadeKey;
const ids: Record<string, string> = {};

beforeAll(async () => {
  const config = testConfig();
  shop = await testShop({
    chains: ['bitcoin', 'lightning', 'liquid', 'ethereum', 'solana'],
    overrides: { config },
  });
  account = await testAccount(shop.context);
  app = createApp(shop.context);
  stranger = (await testIntegrator(shop.context, 'Stranger')).api;
  Object.assign(ids, Object.fromEntries(await walletsOf(shop.context, shop.accountId)));
});
afterAll(() => shop.close());

const get = (id: string, key = account.api): Promise<TestAnswer> =>
  call(app, key, 'GET', `/v1/wallets/${id}/`);
const put = (id: string, members: Record<string, unknown>): Promise<TestAnswer> =>
  call(app, account.api, 'PUT', `/v1/wallets/${id}/`, members);

describe('/v1/wallets/', () => {
  it('lists the wallets of an account by age and chain order, each as a get returns it', async () => {
    const { status, body } = await call(app, account.api, 'GET', '/v1/wallets/');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['result']);
    const order = ['bitcoin', 'liquid', 'solana', 'ethereum'];
    expect(body.result.map(({ id }: { id: string }) => id)).toEqual(
      order.map((chain) => ids[chain]),
    );
    for (const shown of body.result) {
      expect(walletSchema.parse(shown)).toBeTruthy();
      expect((await get(shown.id)).body).toEqual(shown);
    }
  });

  it('has exactly the documented fields for each chain family', async () => {
    const shown = async (chain: string) => (await get(ids[chain]!)).body;
    const [bitcoin, liquid, ethereum, solana] = [
      await shown('bitcoin'),
      await shown('liquid'),
      await shown('ethereum'),
      await shown('solana'),
    ];
    const none = { available: '0', pending: '0' };
    expect(bitcoin).toEqual({
      id: ids['bitcoin'],
      name: 'Bitcoin wallet',
      balances: { ...none, zero_confirmed: '0', currency: 'BTC' },
      address_format: 'bech32',
    });
    expect(liquid.balances).toEqual({ ...none, zero_confirmed: '0', currency: 'L-BTC' });
    expect(liquid.token_balances).toEqual([{ ...none, to_consolidate: '0', currency: 'L-USDT' }]);
    expect(Object.keys(ethereum)).toEqual(['id', 'name', 'balances', 'token_balances']);
    expect(ethereum.token_balances[0]).toEqual({ ...none, to_consolidate: '0', currency: 'USDT' });
    expect(solana.balances).toEqual({ ...none, to_consolidate: '0', currency: 'SOL' });
  });

  it('filters by profile, in the query or the payload', async () => {
    const own = await call(app, account.api, 'GET', '/v1/wallets/', {
      profile_id: account.profile_id,
    });
    expect(own.body.result).toHaveLength(4);
    const queried = await call(
      app,
      account.api,
      'GET',
      '/v1/wallets/',
      {},
      { query: `?profile_id=${account.profile_id}` },
    );
    expect(queried.body).toEqual(own.body);
  });

  it('shows unswept deposits in to_consolidate once they are available', async () => {
    const { id } = await shop.create({ kind: 'ETH', amount: undefined });
    await shop.pay(id, { amount: '0.25' });
    await shop.pay(id, { amount: '12.5', kind: 'ETH_USDT' });
    expect((await get(ids['ethereum']!)).body.balances).toMatchObject({
      pending: '0.25',
      available: '0',
      to_consolidate: '0',
    });
    await shop.mine('ETH');
    const { balances, token_balances } = (await get(ids['ethereum']!)).body;
    expect(balances).toEqual({
      pending: '0',
      available: '0.25',
      to_consolidate: '0.25',
      currency: 'ETH',
    });
    expect(token_balances[0]).toEqual({
      pending: '0',
      available: '12.5',
      to_consolidate: '12.5',
      currency: 'USDT',
    });
    await shop.reorganise('ETH', 1);
    expect((await get(ids['ethereum']!)).body.balances).toMatchObject({
      pending: '0.25',
      available: '0',
      to_consolidate: '0',
    });
    await shop.mine('ETH', 12);
  });

  it('shows zero-confirmation amounts as part of pending', async () => {
    const { id } = await shop.create({ amount: undefined });
    await shop.pay(id, { amount: '0.1' });
    await shop.pay(id, { amount: '0.2' });
    await sql`update transaction set zero_conf_status = case when amount > 0.15 then 'confirmed' else 'unconfirmed' end
      where invoice_id = ${id}`.execute(shop.context.db);
    expect((await get(ids['bitcoin']!)).body.balances).toEqual({
      available: '0',
      pending: '0.3',
      zero_confirmed: '0.2',
      currency: 'BTC',
    });
    await shop.mine('BTC');
    expect((await get(ids['bitcoin']!)).body.balances).toMatchObject({
      available: '0.3',
      pending: '0',
      zero_confirmed: '0',
    });
  });
});

describe('address format of a bitcoin wallet', () => {
  const addressOf = async (kind: string): Promise<string> => (await shop.create({ kind })).address!;

  it('defaults to bech32; only kind BTC follows a change', async () => {
    expect(await addressOf('BTC')).toMatch(/^tb1q/);
    expect(await put(ids['bitcoin']!, { address_format: 'p2sh' })).toMatchObject({
      status: 200,
      body: { result: { id: ids['bitcoin'], address_format: 'p2sh' } },
    });
    expect((await get(ids['bitcoin']!)).body.address_format).toBe('p2sh');
    expect(await addressOf('BTC')).toMatch(/^2/);
    expect([await addressOf('BTC_P2SH'), await addressOf('BTC_BECH32')]).toEqual([
      expect.stringMatching(/^2/),
      expect.stringMatching(/^tb1q/),
    ]);
    await put(ids['bitcoin']!, { address_format: 'bech32' });
    expect(await addressOf('BTC')).toMatch(/^tb1q/);
  });

  it('watches both forms of an address', async () => {
    await setAddressFormat(shop.context, shop.accountId, ids['bitcoin']!, {
      address_format: 'p2sh',
    });
    const { id } = await shop.create({ kind: 'BTC' });
    await setAddressFormat(shop.context, shop.accountId, ids['bitcoin']!, {
      address_format: 'bech32',
    });
    await shop.pay(id);
    await shop.mine('BTC', 6);
    expect((await shop.get(id)).status).toBe('complete');
  });

  it('ignores answer-only fields', async () => {
    const before = (await get(ids['bitcoin']!)).body;
    await put(ids['bitcoin']!, {
      ...before,
      name: 'Mine',
      balances: { available: '1000' },
      id: ids['ethereum'],
    });
    expect((await get(ids['bitcoin']!)).body).toEqual(before);
  });
});

describe('two accounts', () => {
  it('have separate wallets', async () => {
    const theirs = (await call(app, stranger, 'GET', '/v1/wallets/')).body.result.map(
      ({ id }: { id: string }) => id,
    ) as string[];
    expect(theirs.filter((id) => Object.values(ids).includes(id))).toEqual([]);
    const unknown = await get('00000000-0000-4000-8000-000000000000', stranger);
    for (const id of Object.values(ids)) {
      const { status, body } = await get(id, stranger);
      expect([status, { ...body, request_id: '' }]).toEqual([
        404,
        { ...unknown.body, request_id: '' },
      ]);
      const change = await call(app, stranger, 'PUT', `/v1/wallets/${id}/`, {
        address_format: 'p2sh',
      });
      expect([change.status, change.body.reason]).toEqual([404, 'NotFound']);
    }
    const filtered = await call(app, stranger, 'GET', '/v1/wallets/', {
      profile_id: account.profile_id,
    });
    expect([filtered.status, filtered.body.reason]).toEqual([404, 'NotFound']);
    expect((await get(ids['bitcoin']!)).body.address_format).toBe('bech32');
  });

  it('a payment credits the owner of the invoice’s wallet', async () => {
    const { id } = await shop.create({ kind: 'SOL', amount: undefined });
    await shop.pay(id, { amount: '3' });
    await shop.mine('SOL', 32);
    const theirs = (await call(app, stranger, 'GET', '/v1/wallets/')).body.result;
    expect(
      theirs.every(
        ({ balances }: { balances: { available: string } }) => balances.available === '0',
      ),
    ).toBe(true);
    expect((await get(ids['solana']!)).body.balances).toMatchObject({
      available: '3',
      to_consolidate: '3',
    });
  });
});

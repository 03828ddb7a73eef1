import type { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../app.ts';
import type { Env } from '../../http/env.ts';
import {
  call,
  testAccount,
  type TestAccount,
  type TestAnswer,
  testConfig,
} from '../../../test/support/call.ts';
import { testShop, type TestShop } from '../../../test/support/shop.ts';
import { ADDRESS } from '../../../test/support/payouts.ts';
import { createAutomaticPayout } from './create.ts';
import { deleteAutomaticPayout, updateAutomaticPayout } from './update.ts';

let shop: TestShop;
let app: Hono<Env>;
let account: TestAccount;
let wallets: Record<string, string>;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const PATH = '/v1/automatic-payouts/';

beforeAll(async () => {
  const config = testConfig();
  shop = await testShop({
    chains: ['bitcoin', 'lightning', 'litecoin', 'ethereum', 'xrp'],
    overrides: { config },
  });
  account = await testAccount(shop.context);
  app = createApp(shop.context);
  const rows = await shop.context.db.selectFrom('wallet').select(['id', 'chain']).execute();
  wallets = Object.fromEntries(rows.map(({ id, chain }) => [chain, id]));
});
afterAll(() => shop.close());
beforeEach(async () => {
  await shop.context.db.deleteFrom('automatic_payout').execute();
});

const send = (
  method: string,
  id = '',
  members: Record<string, unknown> = {},
  key = account.api,
): Promise<TestAnswer> => call(app, key, method, id === '' ? PATH : `${PATH}${id}/`, members);
const terms = (more: Record<string, unknown> = {}) => ({
  wallet: wallets['bitcoin'],
  keep_amount: '0.5',
  recipient_address: ADDRESS.BTC,
  ...more,
});
const create = (more: Record<string, unknown> = {}): Promise<TestAnswer> =>
  send('POST', '', terms(more));
const made = async (more: Record<string, unknown> = {}): Promise<string> =>
  (await create(more)).body.result.id;
const count = async (): Promise<number> => (await send('GET')).body.result.length;
const byOperator = () => ({ accountId: shop.accountId, name: 'operator', overApi: false });

describe('/v1/automatic-payouts/', () => {
  it('creates, reads, lists, changes and deletes, with exactly the documented fields', async () => {
    const { status, body } = await create({ interval: 30, min_amount: 2, is_enabled: true });
    const expected = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      wallet: { id: wallets['bitcoin'], name: 'Bitcoin wallet' },
      kind: 'BTC',
      recipient_address: ADDRESS.BTC,
      is_enabled: true,
      is_api_editable: true,
      min_amount: '2',
      keep_amount: '0.5',
      interval: 30,
    };
    expect([status, body]).toEqual([201, { result: expected }]);
    const { id } = body.result;
    expect(await send('GET', id)).toMatchObject({ status: 200, body });
    expect((await send('GET')).body).toEqual({ result: [body.result] });
    const changed = await send('PUT', id, {
      keep_amount: '1.25',
      is_enabled: false,
      interval: 360,
      kind: 'BTC_BECH32',
    });
    expect(changed).toMatchObject({ status: 200 });
    expect(changed.body.result).toEqual({
      ...body.result,
      keep_amount: '1.25',
      is_enabled: false,
      interval: 360,
      kind: 'BTC_BECH32',
    });
    expect(await send('DELETE', id)).toMatchObject({ status: 200, body: changed.body });
    expect(await send('DELETE', id)).toMatchObject({ status: 404, body: { reason: 'NotFound' } });
    expect((await send('GET')).body).toEqual({ result: [] });
  });

  it('has defaults: native coin, disabled, no min_amount, hourly', async () => {
    const { body } = await create({
      wallet: wallets['ethereum'],
      recipient_address: ADDRESS.ETH,
      kind: null,
      interval: null,
    });
    expect(body.result).toMatchObject({
      kind: 'ETH',
      is_enabled: false,
      min_amount: '0',
      interval: 60,
    });
  });

  it('ignores answer-only fields', async () => {
    const ignored = {
      id: UNKNOWN,
      is_api_editable: false,
      created_by: 'x',
      next_at: '2020-01-01',
      account_id: UNKNOWN,
    };
    const { body } = await create(ignored);
    expect(body.result.id).not.toBe(UNKNOWN);
    expect(body.result.is_api_editable).toBe(true);
    const changed = await send('PUT', body.result.id, { ...ignored, wallet: wallets['ethereum'] });
    expect(changed.body).toEqual(body);
  });

  it.each([
    ['wallet', undefined],
    ['wallet', null],
    ['wallet', 1],
    ['wallet', {}],
    ['wallet', 'x'.repeat(65)],
    ['keep_amount', undefined],
    ['keep_amount', null],
    ['keep_amount', ''],
    ['keep_amount', '-1'],
    ['keep_amount', '1e3'],
    ['keep_amount', '1,5'],
    ['keep_amount', ' 1'],
    ['keep_amount', '0x1'],
    ['keep_amount', '٣'],
    ['keep_amount', '0.000000001'],
    ['keep_amount', '1'.repeat(19)],
    ['keep_amount', -1],
    ['keep_amount', true],
    ['keep_amount', []],
    ['min_amount', '-0.1'],
    ['min_amount', '0.123456789'],
    ['min_amount', {}],
    ['recipient_address', undefined],
    ['recipient_address', ''],
    ['recipient_address', 7],
    ['recipient_address', 'b'.repeat(257)],
    ['kind', 'btc'],
    ['kind', 'ETH'],
    ['kind', 'LTC'],
    ['kind', 'BTC_LIGHTNING'],
    ['kind', 'BTC_LIGHTNING_TO_BTC'],
    ['kind', 'constructor'],
    ['kind', 'K'.repeat(41)],
    ['kind', 5],
    ['interval', 0],
    ['interval', 1],
    ['interval', 7],
    ['interval', 5.5],
    ['interval', -5],
    ['interval', '5'],
    ['interval', 1440],
    ['interval', []],
    ['is_enabled', 'true'],
    ['is_enabled', 1],
  ])('rejects %s %j in create and update, and writes nothing', async (field, value) => {
    expect(await create({ [field]: value })).toMatchObject({
      status: 400,
      body: { reason: 'ValidationError', errors: [{ field }] },
    });
    expect(await count()).toBe(0);
    if (field === 'wallet' || value === null || value === undefined) return;
    const id = await made();
    const before = (await send('GET', id)).body;
    expect(await send('PUT', id, { [field]: value })).toMatchObject({
      status: 400,
      body: { reason: 'ValidationError', errors: [{ field }] },
    });
    expect((await send('GET', id)).body).toEqual(before);
  });

  it.each([
    'x',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsy',
    ADDRESS.ETH,
    ADDRESS.LTC,
    'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx\0',
    '\u{1f4b8}',
  ])('rejects the address %j: wrong network, chain or checksum', async (recipient_address) => {
    const refused = {
      status: 400,
      body: { reason: 'InvalidAddress', errors: [{ field: 'recipient_address' }] },
    };
    expect(await create({ recipient_address })).toMatchObject(refused);
    expect(await send('PUT', await made(), { recipient_address })).toMatchObject(refused);
  });

  it.each(['x', UNKNOWN, 'FOREIGN'])('answers 404 for the id or wallet %s', async (name) => {
    const foreign = await strange();
    const [id, wallet] = name === 'FOREIGN' ? [foreign.rule, foreign.wallet] : [name, name];
    expect(await create({ wallet })).toMatchObject({
      status: 404,
      body: { reason: 'NotFound', errors: [{ field: 'wallet' }] },
    });
    const answers = [
      await send('GET', id),
      await send('PUT', id, { keep_amount: '0' }),
      await send('DELETE', id),
    ];
    for (const { status, body } of answers)
      expect([status, body]).toEqual([
        404,
        {
          result: 'error',
          reason: 'NotFound',
          message: 'There is no automatic payout with this id.',
          request_id: expect.any(String),
        },
      ]);
    expect(await count()).toBe(0);
  });

  it('allows one per wallet and coin', async () => {
    await made();
    for (const kind of ['BTC', 'BTC_P2SH', 'BTC_BECH32'])
      expect(await create({ kind })).toMatchObject({
        status: 409,
        body: { reason: 'AlreadyExists', errors: [{ field: 'kind' }] },
      });
    const ether = { wallet: wallets['ethereum'], recipient_address: ADDRESS.ETH };
    const id = await made(ether);
    expect((await create({ ...ether, kind: 'ETH_USDT' })).status).toBe(201);
    expect(
      await send('PUT', id, { kind: 'ETH_USDT', recipient_address: ADDRESS.ETH }),
    ).toMatchObject({
      status: 409,
      body: { reason: 'AlreadyExists' },
    });
    expect((await send('PUT', id, { kind: 'ETH_USDC' })).status).toBe(200);
    expect(await count()).toBe(3);
  });

  it('rejects changes and deletes until an operator sets is_api_editable', async () => {
    const operator = byOperator();
    const { id } = await createAutomaticPayout(shop.context, operator, terms());
    const before = await send('GET', id);
    expect(before.body.result.is_api_editable).toBe(false);
    for (const answer of [await send('PUT', id, { keep_amount: '9' }), await send('DELETE', id)])
      expect(answer).toMatchObject({
        status: 403,
        body: { reason: 'PermissionDenied', message: expect.stringContaining('is_api_editable') },
      });
    expect((await send('GET', id)).body).toEqual(before.body);
    expect(
      await updateAutomaticPayout(shop.context, operator, id, { keep_amount: '9' }),
    ).toMatchObject({ is_api_editable: false });
    expect(
      await updateAutomaticPayout(shop.context, operator, id, {}, { isApiEditable: true }),
    ).toMatchObject({ is_api_editable: true });
    expect((await send('PUT', id, { is_api_editable: false })).body.result).toMatchObject({
      is_api_editable: true,
      keep_amount: '9',
    });
    // An operator's change keeps the key's limit unless it changes a payment field or enables the
    // rule.
    const limit = async () =>
      (
        await shop.context.db
          .selectFrom('automatic_payout')
          .select('max_payout')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).max_payout;
    await shop.context.db
      .updateTable('automatic_payout')
      .set({ max_payout: '50', is_enabled: true })
      .where('id', '=', id)
      .execute();
    await updateAutomaticPayout(shop.context, operator, id, { interval: 30 });
    await updateAutomaticPayout(
      shop.context,
      operator,
      id,
      { is_enabled: false },
      { isApiEditable: false },
    );
    expect(Number(await limit())).toBe(50);
    await updateAutomaticPayout(shop.context, operator, id, { is_enabled: true });
    expect(await limit()).toBe(null);
    const flagged = await createAutomaticPayout(
      shop.context,
      operator,
      { ...terms(), wallet: wallets['litecoin'], recipient_address: ADDRESS.LTC },
      { isApiEditable: true },
    );
    expect((await send('PUT', flagged.id, { keep_amount: '9' })).status).toBe(200);
  });

  it('requires its own permissions', async () => {
    const id = await made();
    const { api_key_id: keyId } = account;
    const allowed = await shop.context.db
      .selectFrom('api_key')
      .select('permissions')
      .where('id', '=', keyId)
      .executeTakeFirstOrThrow();
    const only = async (permissions: string[]): Promise<void> => {
      await shop.context.db
        .updateTable('api_key')
        .set({ permissions })
        .where('id', '=', keyId)
        .execute();
    };
    try {
      await only(['auto-payouts:write', 'payouts:read', 'payouts:write']);
      expect([(await send('GET')).status, (await send('GET', id)).status]).toEqual([403, 403]);
      await only(['auto-payouts:read', 'payouts:write']);
      const answers = [
        await create(),
        await send('PUT', id, { keep_amount: '9' }),
        await send('DELETE', id),
      ];
      expect(answers.map(({ status, body }) => [status, body.reason])).toEqual(
        Array.from({ length: 3 }, () => [403, 'PermissionDenied']),
      );
      expect((await send('GET', id)).body.result.keep_amount).toBe('0.5');
    } finally {
      await only(allowed.permissions);
    }
  });

  it('is deleted once by fifty concurrent requests', async () => {
    const id = await made();
    const all = await Promise.allSettled(
      Array.from({ length: 50 }, () => deleteAutomaticPayout(shop.context, byOperator(), id)),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of all)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ reason: 'NotFound' });
  });
});

/** Creates another account with a wallet and a rule. */
async function strange(): Promise<{ wallet: string; rule: string }> {
  const { db, ids, clock } = shop.context;
  const [accountId, wallet] = [ids.uuid(), ids.uuid()];
  const created_at = new Date(clock.now()).toISOString();
  await db
    .insertInto('account')
    .values({
      id: accountId,
      name: 'Other',
      is_testnet: true,
      callback_token_sealed: '',
      created_at,
    })
    .execute();
  await db
    .insertInto('wallet')
    .values({ account_id: accountId, id: wallet, name: 'Other', chain: 'bitcoin', created_at })
    .execute();
  const rule = await createAutomaticPayout(
    shop.context,
    { accountId, name: 'other', overApi: true },
    terms({ wallet }),
  );
  return { wallet, rule: rule.id };
}

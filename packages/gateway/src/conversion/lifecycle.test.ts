import { parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UnavailableError } from '../http/error.ts';
import { payoutFunding } from '../payout/sending/conversion-funding.ts';
import { createRule, removeRule } from '../automation/rule.ts';
import { salesOf, tradeShop, type TradeShop } from '../../test/support/exchange.ts';
import { createConversion } from './create.ts';
import { removeConversion } from './delete.ts';
import { processConversions } from './process.ts';
import { updateConversion } from './update.ts';

let shop: TradeShop;
beforeAll(async () => {
  shop = await tradeShop();
  await shop.fund('BTC', '100');
});
beforeEach(() => {
  shop.exchange.answer = null;
  shop.exchange.found = null;
  shop.exchange.executed.length = 0;
  shop.exchange.lookedUp.length = 0;
});
afterAll(() => shop.close());

const caller = () => ({ accountId: shop.accountId, name: 'a key' });
const create = (payload: object = {}) =>
  createConversion(shop.context, caller(), { ...shop.pair(), amount: '0.1', ...payload });
const update = (id: string, payload: object) =>
  updateConversion(shop.context, caller(), id, payload);
const statusOf = async (id: string) => (await shop.conversion(id)).status;

describe('conversion', () => {
  it('stays a draft until approved, then runs at the current rate', async () => {
    const { id } = await create();
    await shop.trade();
    expect(await shop.conversion(id)).toMatchObject({
      status: 'draft',
      is_approved: false,
      approved_by: null,
      to_amount: '62.5',
    });
    expect(await shop.has('BTC')).toEqual(['100', '0']);
    await update(id, { is_approved: true });
    expect(await shop.conversion(id)).toMatchObject({
      status: 'draft',
      is_approved: true,
      approved_by: 'a key',
    });
    await shop.trade();
    expect(await shop.conversion(id)).toMatchObject({
      status: 'complete',
      amount: '0.1',
      to_amount: '62.5',
      is_approved: true,
    });
    expect(await shop.has('BTC')).toEqual(['99.9', '0']);
    expect(await shop.has('LTC')).toEqual(['62.5', '0']);
    expect([shop.exchange.executed, shop.exchange.lookedUp]).toEqual([[id], []]);
    await shop.trade();
    expect(await salesOf(shop, id)).toBe(1);
  });

  it('waits for funds once approved, and stops when the approval is withdrawn', async () => {
    const { id } = await create({ ...shop.pair('DOGE', 'BTC'), amount: '100', is_approved: true });
    await shop.trade();
    expect(await statusOf(id)).toBe('draft');
    await update(id, { is_approved: false });
    await shop.fund('DOGE', '100');
    await shop.trade();
    expect(await shop.conversion(id)).toMatchObject({
      status: 'draft',
      is_approved: false,
      approved_by: null,
    });
    await update(id, { is_approved: true });
    await shop.trade();
    expect(await shop.conversion(id)).toMatchObject({ status: 'complete', to_amount: '0.0004' });
    expect(await shop.has('DOGE')).toEqual(['0', '0']);
  });

  it('leaves the spread with the exchange', async () => {
    const { config } = shop.context;
    shop.context.config = { ...config, exchangeSpread: parseAmount('1.5') };
    const [before] = await shop.has('LTC');
    const { id } = await create({ is_approved: true });
    await shop.trade();
    expect((await shop.conversion(id)).to_amount).toBe('61.5625');
    expect(Number((await shop.has('LTC'))[0]) - Number(before)).toBeCloseTo(61.5625, 8);
    shop.context.config = config;
  });

  it('moves the same coin between wallets one to one', async () => {
    const { db, ids } = shop.context;
    const id = ids.uuid();
    await db
      .insertInto('wallet')
      .values({
        account_id: shop.accountId,
        id,
        name: 'Second',
        chain: 'bitcoin',
        created_at: '2026-11-21T06:00:00.000000+00:00',
      })
      .execute();
    const [before] = await shop.has('BTC');
    const made = await create({
      to_wallet: id,
      to_kind: 'BTC',
      amount: '1.23456789',
      is_approved: true,
    });
    await shop.trade();
    expect(await shop.conversion(made.id)).toMatchObject({
      status: 'complete',
      to_amount: '1.23456789',
      to_wallet: { id, name: 'Second' },
    });
    expect(Number(before) - Number((await shop.has('BTC'))[0])).toBeCloseTo(1.23456789, 8);
  });

  it('can be changed and deleted only as a draft', async () => {
    const { id } = await create();
    expect(
      await update(id, { amount: '0.2', to_kind: 'ETH', to_wallet: shop.wallet('ETH') }),
    ).toMatchObject({
      amount_text: '0.2',
      to_kind: 'ETH',
      is_approved: false,
    });
    expect((await shop.conversion(id)).to_amount).toBe('4');
    shop.exchange.answer = async () => ({ state: 'unknown', reason: 'time ran out' });
    await update(id, { is_approved: true });
    await shop.trade();
    for (const again of [
      () => update(id, { amount: '1' }),
      () => update(id, {}),
      () => removeConversion(shop.context, shop.accountId, id),
    ])
      await expect(again()).rejects.toMatchObject({ reason: 'InvalidState' });
    shop.exchange.answer = null;
    await shop.trade();
    expect(await statusOf(id)).toBe('complete');
    await expect(removeConversion(shop.context, shop.accountId, id)).rejects.toMatchObject({
      reason: 'InvalidState',
    });
    const other = await create();
    expect((await removeConversion(shop.context, shop.accountId, other.id)).id).toBe(other.id);
    await expect(removeConversion(shop.context, shop.accountId, other.id)).rejects.toMatchObject({
      reason: 'NotFound',
    });
  });

  it('waits until rates are available', async () => {
    const { id } = await create({ is_approved: true });
    const { rates } = shop.context;
    shop.context.rates = { current: () => Promise.reject(new UnavailableError('no rates')) };
    // Approvals change without a rate.
    for (const is_approved of [false, true])
      expect(await update(id, { is_approved })).toMatchObject({ is_approved });
    await shop.trade();
    expect(await statusOf(id)).toBe('pending');
    shop.context.rates = rates;
    await shop.trade();
    expect(await statusOf(id)).toBe('complete');
    expect(await salesOf(shop, id)).toBe(1);
  });
});

describe('exchange', () => {
  it('that rejects an order fails the conversion and releases the money', async () => {
    const before = await shop.has('BTC');
    shop.exchange.answer = async () => ({ state: 'failed', reason: 'The market is closed' });
    const { id } = await create({ is_approved: true });
    await shop.trade();
    expect(await shop.conversion(id)).toMatchObject({
      status: 'failed',
      error: 'The market is closed',
    });
    expect(await shop.has('BTC')).toEqual(before);
  });

  it('with an unknown outcome is looked up and never sells twice', async () => {
    const [before] = await shop.has('BTC');
    shop.exchange.answer = async (order, book) => {
      await book.execute(order);
      throw new Error('connection lost');
    };
    const { id } = await create({ is_approved: true });
    await shop.trade();
    expect(await statusOf(id)).toBe('pending');
    expect(Number((await shop.has('BTC'))[1])).toBe(0.1);
    shop.exchange.found = async () => ({ state: 'unknown', reason: 'busy' });
    for (let round = 0; round < 12; round += 1) await shop.trade();
    expect(await statusOf(id)).toBe('pending');
    const alarms = await shop.context.db
      .selectFrom('alarm')
      .select('reason')
      .where('resource_id', '=', id)
      .execute();
    expect(alarms).toEqual([
      { reason: 'The exchange built-in does not report the outcome of a conversion' },
    ]);
    shop.exchange.found = null;
    await shop.trade();
    expect(await statusOf(id)).toBe('complete');
    expect([shop.exchange.executed, shop.exchange.lookedUp.length]).toEqual([[id], 13]);
    expect(Number(before) - Number((await shop.has('BTC'))[0])).toBeCloseTo(0.1, 8);
  });

  it('that never received the order gets it again with the same key', async () => {
    shop.exchange.answer = async () => {
      throw new Error('no route');
    };
    const { id } = await create({ is_approved: true });
    await shop.trade();
    shop.exchange.answer = null;
    await shop.trade();
    expect(await statusOf(id)).toBe('complete');
    expect(shop.exchange.executed).toEqual([id, id]);
    expect(await salesOf(shop, id)).toBe(1);
  });

  it('result is rounded down to the decimals of the coin', async () => {
    shop.exchange.answer = async () => ({ state: 'done', bought: parseAmount('1.123456789999') });
    const { id } = await create({ is_approved: true });
    await shop.trade();
    expect((await shop.conversion(id)).to_amount).toBe('1.12345678');
  });

  it('that no longer exists leaves its conversions waiting', async () => {
    const { id } = await create({ is_approved: true });
    const { exchanges } = shop.context;
    shop.context.exchanges = new Map();
    await shop.trade();
    expect(await shop.conversion(id)).toMatchObject({
      status: 'draft',
      exchange: { id: 'built-in', title: null },
    });
    await update(id, { is_approved: false });
    const alarms = await shop.context.db
      .selectFrom('alarm')
      .select('reason')
      .where('resource_id', '=', id)
      .execute();
    expect(alarms).toEqual([
      { reason: 'A conversion waits: the exchange built-in no longer exists' },
    ]);
    shop.context.exchanges = exchanges;
    await removeConversion(shop.context, shop.accountId, id);
  });
});

describe('fifty concurrent', () => {
  it('creates for one wallet and kind make one conversion', async () => {
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => create()));
    const made = results.filter((result) => result.status === 'fulfilled');
    expect(made).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ reason: 'AlreadyExists' });
    const { id } = made[0]!.value;
    // Two kinds of one coin count as one.
    await expect(create({ from_kind: 'BTC_LIGHTNING' })).rejects.toMatchObject({
      reason: 'AlreadyExists',
    });
    await removeConversion(shop.context, shop.accountId, id);
  });

  it('workers execute a conversion once', async () => {
    const [before] = await shop.has('BTC');
    const { id } = await create({ is_approved: true });
    await Promise.all(
      Array.from({ length: 50 }, () =>
        processConversions(shop.context, { payoutFunding: payoutFunding(shop.context) }),
      ),
    );
    expect(await statusOf(id)).toBe('complete');
    expect([shop.exchange.executed, await salesOf(shop, id)]).toEqual([[id], 1]);
    expect(Number(before) - Number((await shop.has('BTC'))[0])).toBeCloseTo(0.1, 8);
  });

  it('orders with one key make one sale at one price', async () => {
    const [book] = shop.context.exchanges.values();
    const { rates } = shop.context;
    const order = { key: 'one', from: kindOf('BTC')!, to: kindOf('LTC')!, sell: parseAmount('1') };
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => book!.execute(order)));
    expect(
      new Set(
        outcomes.map((outcome) => JSON.stringify(outcome, (_, value: unknown) => String(value))),
      ).size,
    ).toBe(1);
    shop.context.rates = {
      current: async () => ({
        usd: new Map([
          ['BTC', 1n],
          ['LTC', 1n],
        ]),
        at: 0,
        stale: false,
      }),
    };
    expect(await book!.execute(order)).toEqual(outcomes[0]);
    expect(await book!.lookUp(order)).toEqual(outcomes[0]);
    expect(await book!.lookUp({ ...order, key: 'other' })).toEqual({ state: 'absent' });
    shop.context.rates = rates;
  });

  it('changes and a start agree on the amount sold', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id } = await create({ is_approved: true });
      const amounts = Array.from({ length: 8 }, (_, at) => `0.${at + 1}`);
      const results = await Promise.allSettled([
        ...amounts.map((amount) => update(id, { amount })),
        processConversions(shop.context, { payoutFunding: payoutFunding(shop.context) }),
        ...amounts.map((amount) => update(id, { amount })),
      ]);
      for (const result of results)
        if (result.status === 'rejected')
          expect(result.reason).toMatchObject({ reason: 'InvalidState' });
      await shop.trade();
      const { amount, to_amount, status } = await shop.conversion(id);
      expect([status, Number(to_amount)]).toEqual(['complete', Number(amount) * 625]);
    }
  });
});

describe('settle', () => {
  it('runs rules, executes conversions and sends waiting payouts', async () => {
    const { id } = await create({ is_approved: true });
    const rule = {
      ...shop.pair('BTC', 'DOGE'),
      keep_amount: '0',
      min_amount: '0',
      max_amount: '0.5',
      is_enabled: true,
    };
    const { id: ruleId } = await createRule(shop.context, 'conversion', caller(), rule);
    await shop.settle();
    expect(await statusOf(id)).toBe('complete');
    expect((await shop.has('DOGE'))[0]).toBe('125000');
    await removeRule(shop.context, 'conversion', shop.accountId, ruleId);
  });
});

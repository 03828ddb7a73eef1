import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRule, removeRule } from '../rule.ts';
import { listRules } from '../rule-store.ts';
import { tradeShop, type TradeShop } from '../../../test/support/exchange.ts';
import { shortfall } from './plan.ts';

let shop: TradeShop;
beforeAll(async () => {
  shop = await tradeShop();
});
afterEach(async () => {
  for (const { id } of await listRules(shop.context.db, shop.accountId, 'funding'))
    await removeRule(shop.context, 'funding', shop.accountId, id);
});
afterAll(() => shop.close());

const caller = () => ({ accountId: shop.accountId, name: 'a key' });
const rule = (terms: object = {}) =>
  createRule(shop.context, 'funding', caller(), {
    ...shop.pair('BTC', 'LTC'),
    keep_amount: '100',
    min_amount: '10',
    max_amount: '60',
    is_enabled: true,
    ...terms,
  });
const of = async (kind: string): Promise<number> => Number((await shop.has(kind))[0]);

describe('refilled amount', () => {
  it.each([
    ['more than keep_amount', '101', '100', '10', '60', '0'],
    ['keep_amount', '100', '100', '10', '60', '0'],
    ['less, short by less than min_amount', '90.01', '100', '10', '60', '0'],
    ['less, short by min_amount', '90', '100', '10', '60', '10'],
    ['less, short by more than max_amount', '0', '100', '10', '60', '60'],
  ])('for %s', (_what, available, keep, min, max, bought) => {
    const terms = { keep: parseAmount(keep), min: parseAmount(min), max: parseAmount(max) };
    expect(shortfall(parseAmount(available), terms)).toBe(parseAmount(bought));
  });
});

describe('automatic funding', () => {
  it('refills from from_wallet, at most max_amount per period, until keep_amount is reached', async () => {
    await shop.fund('BTC', '1');
    await rule();
    // Rates: 80 USD per LTC, 50,000 USD per BTC.
    await shop.nextPeriod();
    expect([await of('LTC'), await of('BTC')]).toEqual([60, 0.904]);
    await shop.nextPeriod();
    expect([await of('LTC'), await of('BTC')]).toEqual([100, 0.84]);
    await shop.nextPeriod();
    expect([await of('LTC'), await of('BTC')]).toEqual([100, 0.84]);
  });

  it('does nothing when no wallet has enough', async () => {
    await rule({ keep_amount: '10000000', max_amount: '10000000' });
    const before = [await of('LTC'), await of('BTC')];
    await shop.nextPeriod();
    expect([await of('LTC'), await of('BTC')]).toEqual(before);
  });

  it('falls back to the wallet with the largest balance', async () => {
    await shop.fund('DOGE', '1');
    await shop.fund('ETH', '1');
    await shop.fund('ETH_USDT', '100000');
    await rule({
      ...shop.pair('DOGE', 'LTC'),
      keep_amount: '200',
      max_amount: '100',
      min_amount: '0',
    });
    await shop.nextPeriod();
    expect(await of('LTC')).toBe(200);
    expect([await of('DOGE'), await of('ETH'), await of('ETH_USDT')]).toEqual([1, 1, 92000]);
  });

  it('does not sell the reserve of another funding', async () => {
    const [ltc, btc] = [await of('LTC'), await of('BTC')];
    await rule({ keep_amount: String(ltc), min_amount: '0', max_amount: '1000' });
    await rule({
      ...shop.pair('LTC', 'BTC'),
      keep_amount: String(btc),
      min_amount: '0',
      max_amount: '1000',
    });
    const usdt = await of('ETH_USDT');
    const dollars = {
      ...shop.pair('LTC', 'DOGE'),
      keep_amount: '5001',
      min_amount: '0',
      max_amount: '100000',
    };
    await rule(dollars);
    for (let period = 0; period < 3; period += 1) await shop.nextPeriod();
    // 5,000 DOGE at 0.2 USD were sold from the only balance without a reserve.
    expect([await of('LTC'), await of('BTC'), await of('DOGE'), await of('ETH_USDT')]).toEqual([
      ltc,
      btc,
      5001,
      usdt - 1000,
    ]);
  });

  it('does nothing while disabled', async () => {
    const before = await of('LTC');
    await rule({ keep_amount: String(before + 50), is_enabled: false });
    await shop.nextPeriod();
    expect(await of('LTC')).toBe(before);
  });
});

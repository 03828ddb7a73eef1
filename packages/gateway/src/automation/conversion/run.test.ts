import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { processConversions } from '../../conversion/process.ts';
import { payoutFunding } from '../../payout/sending/conversion-funding.ts';
import { runAutomaticRules } from '../run-rules.ts';
import { createRule, removeRule, updateRule } from '../rule.ts';
import { listRules } from '../rule-store.ts';
import { tradeShop, type TradeShop } from '../../../test/support/exchange.ts';
import { ServiceError } from '../../http/error.ts';
import { excess } from './plan.ts';

let shop: TradeShop;
beforeAll(async () => {
  shop = await tradeShop();
});
afterEach(async () => {
  shop.exchange.answer = null;
  for (const { id } of await listRules(shop.context.db, shop.accountId, 'conversion'))
    await removeRule(shop.context, 'conversion', shop.accountId, id);
});
afterAll(() => shop.close());

const caller = () => ({ accountId: shop.accountId, name: 'a key' });
const rule = (terms: object = {}) =>
  createRule(shop.context, 'conversion', caller(), {
    ...shop.pair('DOGE', 'BTC'),
    keep_amount: '100',
    min_amount: '50',
    max_amount: '1000',
    is_enabled: true,
    ...terms,
  });
/** Sets the DOGE balance. */
async function holds(amount: string): Promise<void> {
  const [now] = await shop.has('DOGE');
  if (parseAmount(now) > parseAmount(amount)) throw new Error('There is more already');
  if (now !== amount) await shop.fund('DOGE', String(Number(amount) - Number(now)));
}
const doge = async (): Promise<number> => Number((await shop.has('DOGE'))[0]);

describe('converted amount', () => {
  it.each([
    ['below keep_amount', '99', '100', '50', '1000', '0'],
    ['exactly keep_amount', '100', '100', '50', '1000', '0'],
    ['keep_amount plus less than min_amount', '149.99', '100', '50', '1000', '0'],
    ['keep_amount plus min_amount', '150', '100', '50', '1000', '50'],
    ['more than max_amount', '5000', '100', '50', '1000', '1000'],
    ['any amount, without limits', '0.00000001', '0', '0', '1000', '0.00000001'],
    ['nothing, without limits', '0', '0', '0', '1000', '0'],
  ])('for %s', (_what, available, keep, min, max, sold) => {
    const terms = { keep: parseAmount(keep), min: parseAmount(min), max: parseAmount(max) };
    expect(excess(parseAmount(available), terms)).toBe(parseAmount(sold));
  });
});

describe('automatic conversion', () => {
  it('converts the surplus once per period', async () => {
    await holds('1500');
    const { id } = await rule();
    await runAutomaticRules(shop.context);
    for (let again = 0; again < 3; again += 1) await runAutomaticRules(shop.context);
    await shop.trade();
    expect(await doge()).toBe(500);
    await shop.nextPeriod();
    expect(await doge()).toBe(100);
    await shop.nextPeriod();
    expect(await doge()).toBe(100);
    await holds('149');
    await shop.nextPeriod();
    expect(await doge()).toBe(149);
    const made = await shop.context.db
      .selectFrom('conversion')
      .selectAll()
      .where('rule_id', '=', id)
      .orderBy('number')
      .execute();
    expect(
      made.map(({ amount_text, status, created_by, approved_by }) => [
        amount_text,
        status,
        created_by,
        approved_by,
      ]),
    ).toEqual([
      ['1000', 'complete', 'a key', 'a key'],
      ['400', 'complete', 'a key', 'a key'],
    ]);
  });

  it('does nothing while disabled and runs once enabled', async () => {
    await holds('200');
    const { id } = await rule({ is_enabled: false });
    await shop.nextPeriod();
    expect(await doge()).toBe(200);
    await updateRule(shop.context, 'conversion', caller(), id, { is_enabled: true });
    await runAutomaticRules(shop.context);
    await shop.trade();
    expect(await doge()).toBe(100);
    await holds('250');
    await updateRule(shop.context, 'conversion', caller(), id, {
      keep_amount: '240',
      min_amount: '0',
    });
    await shop.nextPeriod();
    expect(await doge()).toBe(240);
  });

  it('waits for its pending conversion', async () => {
    await holds('3000');
    await rule();
    shop.exchange.answer = async () => {
      throw new Error('silence');
    };
    for (let period = 0; period < 3; period += 1) await shop.nextPeriod();
    expect(await shop.has('DOGE')).toEqual(['2000', '1000']);
    shop.exchange.answer = null;
    await shop.trade();
    await shop.nextPeriod();
    expect(await shop.has('DOGE')).toEqual(['1000', '0']);
  });

  it('retries within the period until rates are available', async () => {
    await holds('1200');
    await rule();
    const { rates } = shop.context;
    shop.context.rates = {
      current: () => Promise.reject(new ServiceError('RateUnavailable', 'none')),
    };
    await shop.nextPeriod();
    expect(await doge()).toBe(1200);
    shop.context.rates = rates;
    await runAutomaticRules(shop.context);
    await shop.trade();
    expect(await doge()).toBe(200);
  });

  it('raises an alarm if it cannot run, without delaying others', async () => {
    const { db } = shop.context;
    const { id } = await rule();
    await rule(shop.pair('LTC', 'BTC'));
    await db.updateTable('automatic_rule').set({ exchange: 'gone' }).where('id', '=', id).execute();
    await holds('1200');
    await shop.fund('LTC', '600');
    await shop.nextPeriod();
    await shop.nextPeriod();
    expect([await doge(), (await shop.has('LTC'))[0]]).toEqual([1200, '100']);
    const alarms = await db
      .selectFrom('alarm')
      .select('reason')
      .where('resource_id', '=', id)
      .execute();
    expect(alarms).toEqual([
      {
        reason: "An automatic conversion can't be carried out: There is no exchange with this id.",
      },
    ]);
    // It can still be disabled.
    expect(
      await updateRule(shop.context, 'conversion', caller(), id, { is_enabled: false }),
    ).toMatchObject({ is_enabled: false });
  });

  it('keeps the reserve of an automatic funding', async () => {
    await holds('2000');
    const { id } = await createRule(shop.context, 'funding', caller(), {
      ...shop.pair('BTC', 'DOGE'),
      keep_amount: '1900',
      min_amount: '0',
      max_amount: '10000',
      is_enabled: true,
    });
    await rule();
    for (let period = 0; period < 3; period += 1) await shop.nextPeriod();
    expect(await doge()).toBe(1900);
    await removeRule(shop.context, 'funding', shop.accountId, id);
  });

  it.each([
    [5, 12],
    [60, 1],
    [1_440, 0],
  ])('runs every %s minutes', async (automationIntervalMinutes, looks) => {
    const { config, clock, db } = shop.context;
    shop.context.config = { ...config, automationIntervalMinutes };
    await shop.fund('DOGE', '10000');
    clock.advance(86_400_000 - (clock.now() % 86_400_000));
    const { id } = await rule({ keep_amount: '0', min_amount: '0', max_amount: '1' });
    for (let minute = 0; minute <= 60; minute += 5) {
      await runAutomaticRules(shop.context);
      await processConversions(shop.context, { payoutFunding: payoutFunding(shop.context) });
      clock.advance(300_000);
    }
    const made = await db.selectFrom('conversion').select('id').where('rule_id', '=', id).execute();
    expect(made).toHaveLength(1 + looks);
    shop.context.config = config;
  });

  it('does not run in a stored cycle: raises alarms until one rule is disabled', async () => {
    const { db } = shop.context;
    await shop.fund('DOGE', '2000');
    const terms = { keep_amount: '0', min_amount: '0' };
    const first = await rule({ ...terms, is_enabled: false });
    const second = await rule({ ...shop.pair('BTC', 'LTC'), ...terms, is_enabled: false });
    const third = await rule({ ...shop.pair('LTC', 'DOGE'), ...terms, is_enabled: false });
    // Leads into the cycle without being part of it.
    const outside = await rule({ ...shop.pair('ETH', 'DOGE'), ...terms });
    const ids = [first, second, third].map(({ id }) => id);
    await db
      .updateTable('automatic_rule')
      .set({ is_enabled: true })
      .where('id', 'in', ids)
      .execute();
    for (const kind of ['BTC', 'LTC', 'ETH']) await shop.fund(kind, '1');
    const before = await doge();
    for (let period = 0; period < 3; period += 1) await shop.nextPeriod();
    const made = await db
      .selectFrom('conversion')
      .select(['rule_id'])
      .where('rule_id', 'in', [...ids, outside.id])
      .execute();
    expect(new Set(made.map(({ rule_id }) => rule_id))).toEqual(new Set([outside.id]));
    expect(await doge()).toBeGreaterThan(before);
    const alarms = await db
      .selectFrom('alarm')
      .select(['resource_id', 'reason'])
      .where('resource_id', 'in', ids)
      .execute();
    expect(new Set(alarms.map(({ resource_id }) => resource_id))).toEqual(new Set(ids));
    expect(alarms.find(({ resource_id }) => resource_id === first.id)?.reason).toBe(
      "An automatic conversion can't be carried out: The automatic conversions would form a cycle: " +
        'DOGE to BTC, BTC to LTC, LTC to DOGE. Disable one of them first.',
    );
    await updateRule(shop.context, 'conversion', caller(), third.id, { is_enabled: false });
    await shop.nextPeriod();
    const after = await db
      .selectFrom('conversion')
      .select(['rule_id'])
      .where('rule_id', 'in', ids)
      .execute();
    expect(new Set(after.map(({ rule_id }) => rule_id))).toEqual(new Set([first.id, second.id]));
    expect(alarms).toHaveLength(3);
  });
});

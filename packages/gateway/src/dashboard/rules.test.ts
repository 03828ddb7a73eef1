import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAutomaticPayout } from '../automation/payout/create.ts';
import { runAutomaticPayouts } from '../automation/payout/run.ts';
import { updateAutomaticPayout } from '../automation/payout/update.ts';
import { sql } from 'kysely';
import { timestamp } from '../database/timestamp.ts';
import { runAutomaticRules } from '../automation/run-rules.ts';
import { createRule, updateRule } from '../automation/rule.ts';
import { tradeShop, type TradeShop } from '../../test/support/exchange.ts';
import { ServiceError } from '../http/error.ts';
import { ADDRESS } from '../../test/support/payouts.ts';
import { readRules } from './rules.ts';

let shop: TradeShop;
beforeAll(async () => {
  shop = await tradeShop();
});
beforeEach(async () => {
  await sql`truncate automatic_payout, automatic_rule, alarm`.execute(shop.context.db);
});
afterAll(() => shop.close());

const caller = () => ({ accountId: shop.accountId, name: 'operator' });
const read = () => readRules(shop.context, shop.accountId);
const now = (): string => timestamp(shop.context.clock.now());
const later = (minutes: number): string => timestamp(shop.context.clock.now() + minutes * 60_000);

describe('an automatic payout', () => {
  const terms = () => ({
    wallet: shop.wallet('BTC'),
    keep_amount: '0.2',
    recipient_address: ADDRESS.BTC,
    interval: 15,
  });
  const create = (more: object = {}) =>
    createAutomaticPayout(
      shop.context,
      { ...caller(), overApi: false },
      { ...terms(), is_enabled: true, ...more },
    );
  const after = async (minutes: number): Promise<void> => {
    shop.context.clock.advance(minutes * 60_000);
    await runAutomaticPayouts(shop.context);
  };

  it('shows the kept amount, its next run, and that it never ran', async () => {
    await create({ min_amount: '0.05' });
    expect((await read()).payouts).toMatchObject([
      {
        wallet_name: 'Bitcoin wallet',
        kind: 'BTC',
        recipient_address: ADDRESS.BTC,
        keep_amount: '0.2',
        min_amount: '0.05',
        every_minutes: 15,
        is_enabled: true,
        last_at: null,
        next_at: later(15),
        last: null,
        error: null,
      },
    ]);
  });

  it('shows the payout of its last run, if any', async () => {
    await create();
    await shop.fund('BTC', '1');
    await after(15);
    const [sent] = (await read()).payouts;
    expect(sent).toMatchObject({
      last_at: now(),
      next_at: later(15),
      last: { currency: 'BTC', payout_id: expect.any(String) },
    });
    expect(Number(sent!.last!.amount)).toBeGreaterThan(0.79);
    await after(15);
    expect((await read()).payouts).toMatchObject([{ last_at: now(), last: null, error: null }]);
  });

  it('shows why it sent nothing', async () => {
    await create();
    await shop.fund('BTC', '1');
    await sql`update profile set deleted_at = now()`.execute(shop.context.db);
    await after(15);
    expect((await read()).payouts).toMatchObject([
      { last: null, error: "No profile enables BTC, so it can't be paid out" },
    ]);
    await sql`update profile set deleted_at = null`.execute(shop.context.db);
  });

  it('that is disabled has no next run', async () => {
    const { id } = await create();
    await updateAutomaticPayout(shop.context, { ...caller(), overApi: false }, id, {
      is_enabled: false,
    });
    expect((await read()).payouts).toMatchObject([{ is_enabled: false, next_at: null }]);
  });
});

describe('an automatic conversion or funding', () => {
  const terms = { keep_amount: '100', min_amount: '50', max_amount: '1000', is_enabled: true };
  const every = () => shop.context.config.automationIntervalMinutes;

  it('shows its pair, limits, last conversion and next run', async () => {
    await createRule(shop.context, 'conversion', caller(), {
      ...shop.pair('DOGE', 'BTC'),
      ...terms,
    });
    expect((await read()).conversions).toMatchObject([
      { last_at: null, next_at: now(), last: null },
    ]);
    await shop.fund('DOGE', '500');
    await runAutomaticRules(shop.context);
    const { conversions, fundings } = await read();
    expect(conversions).toMatchObject([
      {
        wallet_name: 'Dogecoin wallet',
        kind: 'DOGE',
        to_wallet_name: 'Bitcoin wallet',
        to_kind: 'BTC',
        keep_amount: '100',
        min_amount: '50',
        max_amount: '1000',
        every_minutes: every(),
        is_enabled: true,
        last: { status: 'pending', amount: '400', currency: 'DOGE', payout_id: null },
        error: null,
      },
    ]);
    expect(Date.parse(conversions[0]!.next_at!) - Date.parse(conversions[0]!.last_at!)).toBe(
      every() * 60_000,
    );
    expect(fundings).toEqual([]);
    await shop.trade();
    expect((await read()).conversions).toMatchObject([{ last: { status: 'complete' } }]);
  });

  it('shows no conversion if its last run made none, and no next run when disabled', async () => {
    await shop.nextPeriod();
    const { id } = await createRule(shop.context, 'funding', caller(), {
      ...shop.pair('BTC', 'LTC'),
      ...terms,
      keep_amount: '0',
    });
    await runAutomaticRules(shop.context);
    const { fundings } = await read();
    expect(fundings).toMatchObject([{ kind: 'BTC', to_kind: 'LTC', last: null, error: null }]);
    expect(fundings[0]!.last_at).not.toBeNull();
    await updateRule(shop.context, 'funding', caller(), id, { is_enabled: false });
    expect((await read()).fundings).toMatchObject([{ is_enabled: false, next_at: null }]);
  });

  it('shows why it cannot run', async () => {
    await createRule(shop.context, 'conversion', caller(), {
      ...shop.pair('DOGE', 'BTC'),
      ...terms,
      keep_amount: '0',
    });
    await shop.fund('DOGE', '500');
    await shop.nextPeriod();
    await shop.fund('DOGE', '500');
    const { quote } = shop.exchange;
    shop.exchange.quote = () =>
      Promise.reject(new ServiceError('InvalidState', 'The market is closed.'));
    await shop.nextPeriod();
    shop.exchange.quote = quote;
    expect((await read()).conversions).toMatchObject([
      { last: null, error: "An automatic conversion can't be carried out: The market is closed." },
    ]);
  });
});

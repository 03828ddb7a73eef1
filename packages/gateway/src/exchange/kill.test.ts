import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createConversion } from '../conversion/create.ts';
import { payoutFunding } from '../payout/sending/conversion-funding.ts';
import { processConversions } from '../conversion/process.ts';
import { endLeases } from '../database/lease.ts';
import { requireBooks } from '../../test/support/shop.ts';
import { killableProcess, type KillableProcess } from '../../test/support/kill.ts';
import { ADDRESS } from '../../test/support/payouts.ts';
import { resumeWaitingPayouts } from '../payout/sending/resume-waiting.ts';
import { runAutomaticRules } from '../automation/run-rules.ts';
import { createRule } from '../automation/rule.ts';
import { salesOf, tradeShop, type TradeShop } from '../../test/support/exchange.ts';

let shop: TradeShop;
let doomed: KillableProcess;
beforeAll(async () => {
  shop = await tradeShop();
  doomed = killableProcess(shop.context);
  const { db } = doomed.context;
  // The process may crash before the exchange receives an order, and before it receives the answer.
  const step = async (): Promise<void> => void (await sql`select 1`.execute(db));
  const execute: TradeShop['exchange']['execute'] = async (order) => {
    await step();
    const outcome = await shop.exchange.execute(order);
    await step();
    return outcome;
  };
  doomed.context.exchanges = new Map([[shop.exchange.id, { ...shop.exchange, execute }]]);
  await shop.fund('BTC', '1000');
});
afterAll(async () => {
  await doomed.close();
  await shop.close();
});

/** Upper bound of the steps of one piece of work. */
const MOST_STEPS = 200;

/**
 * Runs the work in a process that crashes after a number of steps, then starts the next one.
 * @returns whether the work was completed
 */
async function workAndDie(steps: number, work: () => Promise<unknown>): Promise<boolean> {
  doomed.surviveFor(steps);
  await work().catch(() => {});
  const lived = !doomed.isKilled();
  doomed.surviveFor(Number.POSITIVE_INFINITY);
  await endLeases(shop.context.db);
  await requireBooks(shop.context);
  return lived;
}

/** Repeats with an increasing number of steps until the work completes. */
async function untilItLives(
  round: (steps: number) => Promise<boolean>,
  least: number,
): Promise<void> {
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    if (!(await round(steps))) continue;
    expect(steps).toBeGreaterThan(least);
    return;
  }
  expect.unreachable('the work has too many steps');
}

describe('a crash between any two steps', () => {
  it('of a conversion sells once, and the next process completes it', async () => {
    const caller = { accountId: shop.accountId, name: 'a key' };
    await untilItLives(async (steps) => {
      const { id } = await createConversion(shop.context, caller, {
        ...shop.pair(),
        amount: '0.1',
        is_approved: true,
      });
      const [before] = await shop.has('LTC');
      const lived = await workAndDie(steps, () =>
        processConversions(doomed.context, { payoutFunding: payoutFunding(doomed.context) }),
      );
      await shop.trade();
      expect(await shop.conversion(id)).toMatchObject({ status: 'complete', to_amount: '62.5' });
      expect(await salesOf(shop, id)).toBe(1);
      expect(Number((await shop.has('LTC'))[0]) - Number(before)).toBeCloseTo(62.5, 8);
      return lived;
    }, 15);
  }, 60_000);

  it('of a rule starts one conversion per period', async () => {
    const { db, clock } = shop.context;
    await shop.fund('DOGE', '100000');
    const caller = { accountId: shop.accountId, name: 'a key' };
    const rule = {
      keep_amount: '0',
      min_amount: '0',
      max_amount: '7',
      is_enabled: true,
      ...shop.pair('DOGE', 'BTC'),
    };
    const { id } = await createRule(shop.context, 'conversion', caller, rule);
    const made = async (): Promise<number> =>
      (
        await db
          .selectFrom('conversion')
          .select('id')
          .where('rule_id', '=', id)
          .where('status', '=', 'complete')
          .execute()
      ).length;
    let periods = 0;
    await untilItLives(async (steps) => {
      clock.advance(3_600_000);
      periods += 1;
      const lived = await workAndDie(steps, () => runAutomaticRules(doomed.context));
      for (let again = 0; again < 2; again += 1) {
        await runAutomaticRules(shop.context);
        await processConversions(shop.context, { payoutFunding: payoutFunding(shop.context) });
      }
      await requireBooks(shop.context);
      expect(await made()).toBe(periods);
      return lived;
    }, 10);
    expect((await shop.has('DOGE'))[0]).toBe(String(100_000 - 7 * periods));
    await db.deleteFrom('automatic_rule').execute();
  }, 60_000);

  it('of a payout refill buys once', async () => {
    const { db } = shop.context;
    await db
      .updateTable('profile')
      .set({ reserve_wallet: JSON.stringify({ kind: 'BTC', wallet_id: shop.wallet('BTC') }) })
      .execute();
    await untilItLives(async (steps) => {
      const amount = formatAmount(parseAmount((await shop.has('LTC'))[0]) + parseAmount('1'));
      const { id, status } = await shop.payOut({
        kind: 'LTC',
        recipients: [{ amount, currency: 'LTC', address: ADDRESS.LTC }],
      });
      expect(status).toBe('awaiting_funds');
      const lived = await workAndDie(steps, async () => {
        await resumeWaitingPayouts(doomed.context);
        await processConversions(doomed.context, { payoutFunding: payoutFunding(doomed.context) });
      });
      shop.context.clock.advance(301_000);
      await resumeWaitingPayouts(shop.context);
      await processConversions(shop.context, { payoutFunding: payoutFunding(shop.context) });
      expect(
        await db.selectFrom('conversion').select(['status']).where('payout_id', '=', id).execute(),
      ).toEqual([{ status: 'complete' }]);
      expect((await shop.payout(id)).status).toBe('new');
      return lived;
    }, 25);
  }, 60_000);
});

describe('two processes', () => {
  it('run each rule and each conversion once', async () => {
    const { db, clock } = shop.context;
    await shop.fund('DOGE', '1000');
    const caller = { accountId: shop.accountId, name: 'a key' };
    const terms = { keep_amount: '0', min_amount: '0', max_amount: '1', is_enabled: true };
    for (const from of ['DOGE', 'BTC'])
      await createRule(shop.context, 'conversion', caller, { ...terms, ...shop.pair(from, 'ETH') });
    const before = shop.exchange.executed.length;
    for (let round = 0; round < 3; round += 1) {
      clock.advance(3_600_000);
      await Promise.all(
        [shop.context, doomed.context, shop.context, doomed.context].map((context) =>
          runAutomaticRules(context),
        ),
      );
      await Promise.all(
        [shop.context, doomed.context, shop.context, doomed.context].map((context) =>
          processConversions(context, { payoutFunding: payoutFunding(context) }),
        ),
      );
      await requireBooks(shop.context);
    }
    expect(shop.exchange.executed.length).toBe(before + 6);
    expect(new Set(shop.exchange.executed.slice(before)).size).toBe(6);
    await db.deleteFrom('automatic_rule').execute();
  });
});

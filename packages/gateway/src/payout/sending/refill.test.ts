import { parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { processConversions } from '../../conversion/process.ts';
import { payoutFunding } from './conversion-funding.ts';
import { tradeShop, type TradeShop } from '../../../test/support/exchange.ts';
import { ServiceError } from '../../http/error.ts';
import { decidePayout } from '../approval/decide.ts';
import { processPayouts } from './process.ts';
import { ADDRESS } from '../../../test/support/payouts.ts';

let shop: TradeShop;
beforeAll(async () => {
  shop = await tradeShop();
  await shop.fund('BTC', '10');
});
afterEach(() => {
  shop.exchange.answer = null;
});
afterAll(() => shop.close());

const reserve = (kind: string | null, wallet = shop.wallet(kind ?? 'BTC')) =>
  shop.context.db
    .updateTable('profile')
    .set({ reserve_wallet: kind === null ? null : JSON.stringify({ kind, wallet_id: wallet }) })
    .execute();
const order = (amount: string, kind: 'LTC' | 'DOGE' | 'ETH' = 'LTC') => ({
  kind,
  recipients: [{ amount, currency: kind, address: ADDRESS[kind] }],
});
const pay = (amount: string, kind: 'LTC' | 'DOGE' | 'ETH' = 'LTC') =>
  shop.payOut(order(amount, kind));
const conversionsOf = (id: string) =>
  shop.context.db
    .selectFrom('conversion')
    .select(['status', 'from_kind', 'to_kind', 'natural_key', 'created_by'])
    .where('payout_id', '=', id)
    .orderBy('number')
    .execute();
/** Ends every alarm, after the reason. */
const HINT =
  'It is sent when its wallet has enough, or when the reserve wallet of the profile can buy it. Reject it to cancel it.';
const alarmFor = (reason: string): string => `A payout waits for funds: ${reason}. ${HINT}`;
const alarmsOf = async (id: string) =>
  (
    await shop.context.db
      .selectFrom('alarm')
      .select('reason')
      .where('resource_id', '=', id)
      .orderBy('raised_at')
      .execute()
  ).map(({ reason }) => reason);

/** More than the wallet has. */
const moreThanAvailable = async (): Promise<string> =>
  `9${'0'.repeat(Number((await shop.has('LTC'))[0]).toFixed(0).length)}`;
const approver = () => ({ accountId: shop.accountId, username: 'someone', email: null });

/** Reserves that can never buy LTC, by the reason, each for the time of a call. */
const IMPOSSIBLE: Readonly<Record<string, (work: () => Promise<unknown>) => Promise<unknown>>> = {
  'the reserve is the same LTC wallet that lacks the funds': async (work) => {
    await reserve('LTC');
    return work();
  },
  "the profile's reserve wallet does not exist": async (work) => {
    await reserve('BTC', '7f1f2b3c-0000-4000-8000-000000000000');
    return work();
  },
  "the profile's reserve wallet does not hold BTC": async (work) => {
    await reserve('BTC', shop.wallet('ETH'));
    return work();
  },
  "no exchange sells LTC for BTC, the coin of the profile's reserve wallet": async (work) => {
    await reserve('BTC');
    const { chains } = shop.context;
    shop.context.chains = new Map(
      [...chains].map(([name, chain]) => [name, { ...chain, source: 'node' as const }]),
    );
    return work().finally(() => (shop.context.chains = chains));
  },
};

describe('a reserve wallet that can never buy the missing funds', () => {
  it.each(Object.entries(IMPOSSIBLE))(
    'rejects a payout at once: %s',
    async (reason, impossible) => {
      const amount = await moreThanAvailable();
      const message = `needs, and the profile's reserve wallet can't buy it: ${reason}.`;
      const counted = () =>
        sql`select id from payout`.execute(shop.context.db).then(({ rows }) => rows.length);
      const before = await counted();
      await impossible(() =>
        expect(pay(amount)).rejects.toMatchObject({
          reason: 'InsufficientFunds',
          message: expect.stringContaining(message),
        }),
      );
      await impossible(() =>
        expect(shop.payOut({ ...order(amount), estimate_only: true })).rejects.toMatchObject({
          reason: 'InsufficientFunds',
        }),
      );
      expect(await counted()).toBe(before);
    },
  );

  it('leaves a draft unapproved, and fails a scheduled payout on its date', async () => {
    const amount = await moreThanAvailable();
    await reserve('LTC');
    const draft = await shop.payOut(order(amount), { ...shop.creator, maxPayout: '1' });
    await expect(
      decidePayout(shop.context, approver(), draft.id, { approve: true }),
    ).rejects.toMatchObject({
      reason: 'InsufficientFunds',
    });
    expect((await shop.payout(draft.id)).status).toBe('draft');
    const at = shop.context.clock.now() + 60_000;
    const { id } = await shop.payOut({
      ...order(amount),
      scheduled_at: new Date(at).toISOString(),
    });
    expect((await shop.payout(id)).status).toBe('scheduled');
    shop.context.clock.advance(60_000);
    await shop.work();
    expect(await shop.payout(id)).toMatchObject({
      status: 'failed',
      error:
        "The wallet has insufficient funds, and the profile's reserve wallet can't buy it: the reserve is the same LTC wallet that lacks the funds",
    });
    expect(await shop.events(id)).toEqual(['payout_failed']);
  });

  it('buys what the fee of a draft costs when it is approved', async () => {
    await reserve('BTC');
    const { senders } = shop.context;
    const sender = senders.get('litecoin')!;
    const draft = await shop.payOut(order('3'), { ...shop.creator, maxPayout: '1' });
    const fee = parseAmount('0.5');
    shop.context.config = { ...shop.context.config, payoutFeeRise: 1_000_000 };
    shop.context.senders = new Map(senders).set('litecoin', {
      ...sender,
      estimate: async () => ({ fee, reserve: fee, feeRate: 9 }),
    });
    const decided = await decidePayout(shop.context, approver(), draft.id, { approve: true });
    expect([decided.status, decided.hold, parseAmount(decided.fee_reserve)]).toEqual([
      'new',
      'none',
      fee,
    ]);
    await shop.work();
    await shop.work();
    expect((await shop.payout(draft.id)).status).toBe('pending');
    shop.context.senders = senders;
  });

  it('does not affect a payout with enough funds', async () => {
    await shop.fund('LTC', '2');
    await reserve('LTC');
    expect((await pay('1')).status).toBe('new');
  });
});

describe('a payout without enough funds', () => {
  it('is funded by one conversion from the reserve wallet', async () => {
    await reserve('BTC');
    const { id } = await pay('3');
    await shop.work();
    expect(await shop.payout(id)).toMatchObject({ status: 'pending', error: null });
    const expected = {
      status: 'complete',
      from_kind: 'BTC',
      to_kind: 'LTC',
      natural_key: `payout:${id}:LTC:1`,
      created_by: 'payout',
    };
    expect(await conversionsOf(id)).toEqual([expected]);
    // The conversion bought the shortfall and the rounding excess.
    expect(parseAmount((await shop.has('LTC'))[0])).toBeLessThan(parseAmount('0.00001'));
    await shop.mine('LTC', 6);
    expect((await shop.payout(id)).status).toBe('complete');
  });

  it('buys only the shortfall of the coin and of the fee', async () => {
    await shop.fund('ETH_USDT', '60');
    const usdt = { amount: '100', currency: 'USD', address: ADDRESS.ETH };
    const { id } = await shop.payOut({ kind: 'ETH_USDT', recipients: [usdt] });
    await shop.work();
    expect((await conversionsOf(id)).map(({ to_kind, status }) => [to_kind, status])).toEqual([
      ['ETH', 'complete'],
      ['ETH_USDT', 'complete'],
    ]);
    expect((await shop.payout(id)).status).toBe('pending');
    expect(Number((await shop.has('ETH_USDT'))[0])).toBeLessThan(0.01);
  });

  it('is funded once under concurrent workers', async () => {
    const payouts = await Promise.all(Array.from({ length: 5 }, () => pay('1', 'DOGE')));
    await Promise.all([
      ...Array.from({ length: 5 }, () => processPayouts(shop.context)),
      processConversions(shop.context, { payoutFunding: payoutFunding(shop.context) }),
    ]);
    await shop.trade();
    await shop.work();
    for (const { id } of payouts) {
      expect((await conversionsOf(id)).map(({ status }) => status)).toEqual(['complete']);
      expect((await shop.payout(id)).status).toBe('pending');
    }
  });

  it('waits without a second order while the result of the first is unknown', async () => {
    shop.exchange.answer = async (order, book) => {
      await book.execute(order);
      throw new Error('silence');
    };
    const { id } = await pay('2');
    for (let round = 0; round < 3; round += 1) await shop.work();
    expect((await shop.payout(id)).status).toBe('awaiting_funds');
    expect((await conversionsOf(id)).map(({ status }) => status)).toEqual(['pending']);
    await shop.trade();
    // The funds are held in the transaction that credits them.
    expect((await shop.payout(id)).status).toBe('new');
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
    expect((await conversionsOf(id)).map(({ status }) => status)).toEqual(['complete']);
  });

  it('raises an alarm and retries ten minutes after the exchange rejected an order', async () => {
    shop.exchange.answer = async () => ({ state: 'failed', reason: 'The market is closed' });
    const { id } = await pay('2');
    for (let round = 0; round < 3; round += 1) await shop.work();
    expect((await conversionsOf(id)).map(({ status }) => status)).toEqual(['failed']);
    shop.context.clock.advance(600_000);
    await shop.work();
    expect((await conversionsOf(id)).map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(await alarmsOf(id)).toEqual([
      alarmFor('the exchange rejected the conversion (The market is closed)'),
    ]);
    expect(await shop.payout(id)).toMatchObject({ status: 'awaiting_funds', error: null });
    shop.exchange.answer = null;
    shop.context.clock.advance(600_000);
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
  });

  it('waits without an error until the reserve wallet has enough', async () => {
    await reserve('DOGE');
    const { id } = await pay('50');
    for (let round = 0; round < 3; round += 1) await shop.work();
    expect(await shop.payout(id)).toMatchObject({ status: 'awaiting_funds', error: null });
    expect([await conversionsOf(id), await alarmsOf(id)]).toEqual([
      [],
      [alarmFor('the reserve wallet has insufficient funds')],
    ]);
    await shop.fund('DOGE', '30000');
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
    expect(await alarmsOf(id)).toEqual([]);
  });

  it('resumes without a rate when its own wallet is funded', async () => {
    await reserve('DOGE');
    const { id } = await pay('100000');
    await reserve(null);
    const { rates } = shop.context;
    shop.context.rates = {
      current: () => Promise.reject(new ServiceError('RateUnavailable', 'none')),
    };
    await shop.work();
    expect(await alarmsOf(id)).toEqual([alarmFor('the profile has no reserve wallet')]);
    await shop.fund('LTC', '100001');
    await shop.work();
    shop.context.rates = rates;
    expect([(await shop.payout(id)).status, await conversionsOf(id)]).toEqual(['pending', []]);
  });

  it('raises no alarm if it is rejected meanwhile', async () => {
    await reserve('DOGE');
    const { rates } = shop.context;
    const { id } = await pay(await moreThanAvailable());
    const current = async (): Promise<never> => {
      await decidePayout(shop.context, approver(), id, { approve: false });
      throw new ServiceError('InvalidState', 'The market is closed');
    };
    shop.context.rates = { current };
    await shop.work();
    shop.context.rates = rates;
    expect([(await shop.payout(id)).status, await alarmsOf(id)]).toEqual(['rejected', []]);
  });

  it('raises an alarm for each unusable reserve wallet', async () => {
    await reserve('DOGE');
    const { id } = await pay(await moreThanAvailable());
    for (const impossible of Object.values(IMPOSSIBLE)) await impossible(() => shop.work());
    await reserve(null);
    await shop.work();
    expect((await alarmsOf(id)).toSorted()).toEqual(
      [...Object.keys(IMPOSSIBLE), 'the profile has no reserve wallet'].map(alarmFor).toSorted(),
    );
    expect(await shop.payout(id)).toMatchObject({ status: 'awaiting_funds', error: null });
    // The profile was changed by its owner, who can reject the payout.
    await decidePayout(shop.context, approver(), id, { approve: false });
    expect(await shop.events(id)).toEqual(['payout_rejected']);
    await shop.fund('LTC', await moreThanAvailable());
    await shop.work();
    // The alarm is cleared.
    expect(await alarmsOf(id)).toEqual([]);
    expect((await shop.payout(id)).status).toBe('rejected');
  });
});

import { parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { processConversions } from '../conversion/process.ts';
import { tradeShop, type TradeShop } from '../exchange/test-exchange.ts';
import { ServiceError } from '../http/error.ts';
import { decidePayout } from './decide.ts';
import { processPayouts } from './process.ts';
import { ADDRESS } from './test-payouts.ts';

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
const pay = (amount: string, kind: 'LTC' | 'DOGE' | 'ETH' = 'LTC') => shop.payOut(order(amount, kind));
const madeFor = (id: string) =>
  shop.context.db
    .selectFrom('conversion')
    .select(['status', 'from_kind', 'to_kind', 'natural_key', 'created_by'])
    .where('payout_id', '=', id)
    .orderBy('number')
    .execute();
/** What an alarm says after why it waits. */
const WAY_OUT = "It is sent when its own wallet has enough, or the profile's reserve wallet can buy it; to end it, reject it.";
const waits = (why: string): string => `A payout waits for money: ${why}. ${WAY_OUT}`;
const alarmsOf = async (id: string) =>
  (await shop.context.db.selectFrom('alarm').select('reason').where('resource_id', '=', id).orderBy('raised_at').execute()).map(
    ({ reason }) => reason,
  );

/** More than there is. */
const tooMuch = async (): Promise<string> => `9${'0'.repeat(Number((await shop.has('LTC'))[0]).toFixed(0).length)}`;
const approver = () => ({ accountId: shop.accountId, username: 'someone', email: null });

/** By what is said of it: reserves that can never buy LTC, each while something is done. */
const IMPOSSIBLE: Readonly<Record<string, (work: () => Promise<unknown>) => Promise<unknown>>> = {
  'it is the same LTC in the same wallet as what is lacking': async (work) => {
    await reserve('LTC');
    return work();
  },
  'the wallet that the profile names as its reserve does not exist': async (work) => {
    await reserve('BTC', '7f1f2b3c-0000-4000-8000-000000000000');
    return work();
  },
  'the wallet that the profile names as its reserve does not hold BTC': async (work) => {
    await reserve('BTC', shop.wallet('ETH'));
    return work();
  },
  'no exchange here sells LTC for BTC, the reserve of the profile': async (work) => {
    await reserve('BTC');
    const { chains } = shop.context;
    shop.context.chains = new Map([...chains].map(([name, chain]) => [name, { ...chain, source: 'node' as const }]));
    return work().finally(() => (shop.context.chains = chains));
  },
};

describe('a reserve that can never buy what is lacking', () => {
  it.each(Object.entries(IMPOSSIBLE))('lets no payout wait: %s', async (why, impossible) => {
    const amount = await tooMuch();
    const message = `needs, and the profile's reserve wallet can't buy it: ${why}.`;
    const counted = () => sql`select id from payout`.execute(shop.context.db).then(({ rows }) => rows.length);
    const before = await counted();
    await impossible(() =>
      expect(pay(amount)).rejects.toMatchObject({ reason: 'InsufficientFunds', message: expect.stringContaining(message) }),
    );
    await impossible(() =>
      expect(shop.payOut({ ...order(amount), estimate_only: true })).rejects.toMatchObject({ reason: 'InsufficientFunds' }),
    );
    expect(await counted()).toBe(before);
  });

  it('lets a draft be one, and a payout whose time has come fail', async () => {
    const amount = await tooMuch();
    await reserve('LTC');
    const draft = await shop.payOut(order(amount), { ...shop.creator, maxPayout: '1' });
    await expect(decidePayout(shop.context, approver(), draft.id, { approve: true })).rejects.toMatchObject({
      reason: 'InsufficientFunds',
    });
    expect((await shop.payout(draft.id)).status).toBe('draft');
    const at = shop.context.clock.now() + 60_000;
    const { id } = await shop.payOut({ ...order(amount), scheduled_at: new Date(at).toISOString() });
    expect((await shop.payout(id)).status).toBe('scheduled');
    shop.context.clock.advance(60_000);
    await shop.work();
    expect(await shop.payout(id)).toMatchObject({
      status: 'failed',
      error:
        "The wallet has too little available, and the profile's reserve wallet can't buy it: it is the same LTC in the same wallet as what is lacking",
    });
    expect(await shop.events(id)).toEqual(['payout_failed']);
  });

  it('is no hindrance to a payout that lacks nothing', async () => {
    await shop.fund('LTC', '2');
    await reserve('LTC');
    expect((await pay('1')).status).toBe('new');
  });
});

describe('a payout that lacks money', () => {
  it('is paid for by one conversion from the reserve wallet, which a GET shows with it', async () => {
    await reserve('BTC');
    const { id } = await pay('3');
    await shop.work();
    expect(await shop.payout(id)).toMatchObject({ status: 'pending', error: null });
    const expected = { status: 'complete', from_kind: 'BTC', to_kind: 'LTC', natural_key: `payout:${id}:LTC:1`, created_by: 'payout' };
    expect(await madeFor(id)).toEqual([expected]);
    // What it bought is what it lacked, and what rounding up left.
    expect(parseAmount((await shop.has('LTC'))[0])).toBeLessThan(parseAmount('0.00001'));
    await shop.mine('LTC', 6);
    expect((await shop.payout(id)).status).toBe('complete');
  });

  it('buys only what is lacking, of the coin and of the fee', async () => {
    await shop.fund('ETH_USDT', '60');
    const usdt = { amount: '100', currency: 'USD', address: ADDRESS.ETH };
    const { id } = await shop.payOut({ kind: 'ETH_USDT', recipients: [usdt] });
    await shop.work();
    expect((await madeFor(id)).map(({ to_kind, status }) => [to_kind, status])).toEqual([
      ['ETH', 'complete'],
      ['ETH_USDT', 'complete'],
    ]);
    expect((await shop.payout(id)).status).toBe('pending');
    expect(Number((await shop.has('ETH_USDT'))[0])).toBeLessThan(0.01);
  });

  it('with many others gets money once each, whoever works', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => pay('1', 'DOGE')));
    await Promise.all([...Array.from({ length: 5 }, () => processPayouts(shop.context)), processConversions(shop.context)]);
    await shop.trade();
    await shop.work();
    for (const { id } of made) {
      expect((await madeFor(id)).map(({ status }) => status)).toEqual(['complete']);
      expect((await shop.payout(id)).status).toBe('pending');
    }
  });

  it('waits as long as the exchange does not say what it did, and asks for no second one', async () => {
    shop.exchange.answer = async (order, book) => {
      await book.execute(order);
      throw new Error('silence');
    };
    const { id } = await pay('2');
    for (let round = 0; round < 3; round += 1) await shop.work();
    expect((await shop.payout(id)).status).toBe('awaiting_funds');
    expect((await madeFor(id)).map(({ status }) => status)).toEqual(['pending']);
    await shop.trade();
    // In the same moment in which the money comes it is held.
    expect((await shop.payout(id)).status).toBe('new');
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
    expect((await madeFor(id)).map(({ status }) => status)).toEqual(['complete']);
  });

  it('asks an exchange that refused again after ten minutes, and the operator hears of it', async () => {
    shop.exchange.answer = async () => ({ state: 'failed', reason: 'The market is closed' });
    const { id } = await pay('2');
    for (let round = 0; round < 3; round += 1) await shop.work();
    expect((await madeFor(id)).map(({ status }) => status)).toEqual(['failed']);
    shop.context.clock.advance(600_000);
    await shop.work();
    expect((await madeFor(id)).map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(await alarmsOf(id)).toEqual([waits('the exchange refused to convert, The market is closed')]);
    expect(await shop.payout(id)).toMatchObject({ status: 'awaiting_funds', error: null });
    shop.exchange.answer = null;
    shop.context.clock.advance(600_000);
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
  });

  it('waits, without an error, while the reserve has too little, and goes on when it has enough', async () => {
    await reserve('DOGE');
    const { id } = await pay('50');
    for (let round = 0; round < 3; round += 1) await shop.work();
    expect(await shop.payout(id)).toMatchObject({ status: 'awaiting_funds', error: null });
    expect([await madeFor(id), await alarmsOf(id)]).toEqual([[], [waits('the reserve wallet has too little')]]);
    await shop.fund('DOGE', '30000');
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
    expect(await alarmsOf(id)).toEqual([]);
  });

  it('goes on when the money comes by itself, and needs no rate for that', async () => {
    await reserve('DOGE');
    const { id } = await pay('100000');
    await reserve(null);
    const { rates } = shop.context;
    shop.context.rates = { current: () => Promise.reject(new ServiceError('RateUnavailable', 'none')) };
    await shop.work();
    expect(await alarmsOf(id)).toEqual([waits('the profile has no reserve wallet')]);
    await shop.fund('LTC', '100001');
    await shop.work();
    shop.context.rates = rates;
    expect([(await shop.payout(id)).status, await madeFor(id)]).toEqual(['pending', []]);
  });

  it('is not told of any more when it was rejected while the reserve was looked at', async () => {
    await reserve('DOGE');
    const { rates } = shop.context;
    const { id } = await pay(await tooMuch());
    const current = async (): Promise<never> => {
      await decidePayout(shop.context, approver(), id, { approve: false });
      throw new ServiceError('InvalidState', 'The market is closed');
    };
    shop.context.rates = { current };
    await shop.work();
    shop.context.rates = rates;
    expect([(await shop.payout(id)).status, await alarmsOf(id)]).toEqual(['rejected', []]);
  });

  it('tells the operator of a reserve that can’t be: nobody’s wallet, its own, a real chain’s coin', async () => {
    await reserve('DOGE');
    const { id } = await pay(await tooMuch());
    for (const impossible of Object.values(IMPOSSIBLE)) await impossible(() => shop.work());
    await reserve(null);
    await shop.work();
    expect((await alarmsOf(id)).toSorted()).toEqual(
      [...Object.keys(IMPOSSIBLE), 'the profile has no reserve wallet'].map(waits).toSorted(),
    );
    expect(await shop.payout(id)).toMatchObject({ status: 'awaiting_funds', error: null });
    // Whoever took the reserve away can end it.
    await decidePayout(shop.context, approver(), id, { approve: false });
    expect(await shop.events(id)).toEqual(['payout_rejected']);
    await shop.fund('LTC', await tooMuch());
    await shop.work();
    // Nobody has to look at it any more.
    expect(await alarmsOf(id)).toEqual([]);
    expect((await shop.payout(id)).status).toBe('rejected');
  });
});

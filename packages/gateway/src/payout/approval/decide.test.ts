import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { processConversions } from '../../conversion/process.ts';
import { payoutFunding } from '../sending/conversion-funding.ts';
import { tradeShop, type TradeShop } from '../../../test/support/exchange.ts';
import { decidePayout } from './decide.ts';
import { processPayouts } from '../sending/process.ts';
import { ADDRESS, requirePayoutBooks, type ShownPayout } from '../../../test/support/payouts.ts';

let shop: TradeShop;
let config: TradeShop['context']['config'];
let addressCount = 0;
beforeAll(async () => {
  shop = await tradeShop();
  config = shop.context.config;
  await shop.fund('BTC', '10');
  await shop.fund('LTC', '100');
});
afterEach(() => {
  shop.context.config = config;
  shop.exchange.answer = null;
});
afterAll(() => shop.close());

const decide = (id: string, approve: boolean) =>
  decidePayout(shop.context, { accountId: shop.accountId, username: 'someone', email: null }, id, {
    approve,
  });
const refused = { reason: 'InvalidState' };
const setReserve = (kind: string | null) =>
  shop.context.db
    .updateTable('profile')
    .set({
      reserve_wallet: kind === null ? null : JSON.stringify({ kind, wallet_id: shop.wallet(kind) }),
    })
    .execute();
/** An outside address, never paid. */
const freshAddress = (): string => `0x${(addressCount += 1).toString(16).padStart(40, 'd')}`;

/** An approved draft with a future date is `new` and its funds are held. */
async function approvedFor(at: number): Promise<ShownPayout> {
  const draft = await shop.payOut(
    { scheduled_at: new Date(at).toISOString() },
    { ...shop.creator, maxPayout: '1' },
  );
  expect(draft.status).toBe('draft');
  await decide(draft.id, true);
  return shop.payout(draft.id);
}

/** One payout for each waiting status. */
const WAITING: Readonly<
  Record<string, { create: () => Promise<ShownPayout>; occur: () => Promise<unknown> }>
> = {
  scheduled: {
    create: () =>
      shop.payOut({ scheduled_at: new Date(shop.context.clock.now() + 60_000).toISOString() }),
    occur: async () => shop.context.clock.advance(60_000),
  },
  new: {
    create: () => approvedFor(shop.context.clock.now() + 60_000),
    occur: async () => shop.context.clock.advance(60_000),
  },
  awaiting_funds: {
    create: async () => {
      await setReserve('DOGE');
      const payout = await shop.payOut({
        kind: 'ETH',
        recipients: [{ amount: '1', currency: 'ETH', address: ADDRESS.ETH }],
      });
      await setReserve(null);
      return payout;
    },
    occur: () => shop.fund('ETH', '1.1'),
  },
  awaiting_policies: {
    create: async () => {
      shop.context.config = { ...config, payoutAddressDelaySeconds: 600 };
      await shop.fund('ETH', '0.2');
      const { id } = await shop.payOut({
        kind: 'ETH',
        recipients: [{ amount: '0.1', currency: 'ETH', address: freshAddress() }],
      });
      await shop.work();
      return shop.payout(id);
    },
    occur: async () => shop.context.clock.advance(600_000),
  },
};

describe.each(Object.entries(WAITING))('a payout that is %s', (status, { create, occur }) => {
  it('can be rejected: one event is reported and its funds are released', async () => {
    const before = [await shop.holdings('BTC'), await shop.holdings('ETH')];
    const payout = await create();
    const granted = status === 'awaiting_policies' ? 0.2 : 0;
    expect(payout.status).toBe(status);
    if (status !== 'awaiting_policies')
      await expect(decide(payout.id, true)).rejects.toMatchObject({
        ...refused,
        message: expect.stringContaining(`is ${status}`),
      });
    expect((await decide(payout.id, false)).status).toBe('rejected');
    await requirePayoutBooks(shop);
    for (const approve of [true, false])
      await expect(decide(payout.id, approve)).rejects.toMatchObject(refused);
    await occur();
    const arrived = status === 'awaiting_funds' ? 1.1 : 0;
    for (let round = 0; round < 3; round += 1) await shop.work();
    expect((await shop.payout(payout.id)).status).toBe('rejected');
    expect(await shop.events(payout.id)).toEqual(['payout_rejected']);
    const [btc, eth] = [await shop.holdings('BTC'), await shop.holdings('ETH')];
    expect([btc, eth.reserved]).toEqual([before[0], before[1]!.reserved]);
    expect(Number(eth.available)).toBeCloseTo(Number(before[1]!.available) + granted + arrived, 12);
    expect(
      (await sql`select 1 from outgoing where id = ${payout.id}`.execute(shop.context.db)).rows,
    ).toEqual([]);
  });

  it('is either rejected or sent if both happen concurrently', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = await create();
      await occur();
      const worker = (): Promise<unknown> => processPayouts(shop.context);
      const workers = round % 2 === 0 ? [] : [worker(), worker()];
      const decisions = [0, 1, 2].map(() =>
        decide(id, false).then(
          () => 'rejected',
          (error: { reason: string }) => error.reason,
        ),
      );
      const [answers] = await Promise.all([Promise.all(decisions), ...workers, worker(), worker()]);
      for (let more = 0; more < 3; more += 1) await shop.work();
      const rejections = answers.filter((answer) => answer === 'rejected');
      expect(answers.filter((answer) => answer === 'InvalidState')).toHaveLength(
        answers.length - rejections.length,
      );
      expect(rejections.length).toBeLessThanOrEqual(1);
      const after = await shop.payout(id);
      expect(after.status).toBe(rejections.length === 1 ? 'rejected' : 'pending');
      expect(await shop.events(id)).toEqual([
        rejections.length === 1 ? 'payout_rejected' : 'payout_pending',
      ]);
      expect(after.txid === '').toBe(rejections.length === 1);
      await shop.mine('BTC', 1);
      await shop.mine('ETH', 1);
    }
  });
});

describe('a payout that is awaiting_policies', () => {
  const { create } = WAITING['awaiting_policies']!;

  it('is resumed by approval and keeps its funds', async () => {
    const { id } = await create();
    const { reserved } = await shop.holdings('ETH');
    expect(await decide(id, true)).toMatchObject({
      status: 'new',
      hold: 'held',
      approved_by: { username: 'someone', email: null },
    });
    expect((await shop.payout(id)).approved_at).not.toBeNull();
    expect((await shop.holdings('ETH')).reserved).toBe(reserved);
    await expect(decide(id, true)).rejects.toMatchObject(refused);
    await shop.work();
    expect([(await shop.payout(id)).status, await shop.events(id)]).toEqual([
      'pending',
      ['payout_pending'],
    ]);
    await shop.mine('ETH', 1);
  });

  it('is either approved or rejected if both happen concurrently', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id } = await create();
      const answers = await Promise.all(
        [true, false, true, false].map((approve) =>
          decide(id, approve).then(
            () => approve,
            (error: { reason: string }) => error.reason,
          ),
        ),
      );
      const [decided, ...others] = answers.filter((answer) => answer !== 'InvalidState');
      expect([typeof decided, others]).toEqual(['boolean', []]);
      await shop.work();
      expect(await shop.events(id)).toEqual([
        decided === true ? 'payout_pending' : 'payout_rejected',
      ]);
      await shop.mine('ETH', 1);
    }
  });
});

describe('processes with different clocks', () => {
  /** The process whose clock is behind. */
  const rejectAt = (now: number, id: string) =>
    decidePayout(
      { ...shop.context, clock: { ...shop.context.clock, now: () => now } },
      { accountId: shop.accountId, username: 'late', email: null },
      id,
      { approve: false },
    );

  it('do not send a payout that is rejected before it is planned', async () => {
    const before = await shop.holdings('BTC');
    const now = shop.context.clock.now();
    const { id } = await approvedFor(now + 60_000);
    shop.context.clock.advance(60_000);
    const { senders } = shop.context;
    const sender = senders.get('bitcoin')!;
    const plan: typeof sender.plan = async (request) => {
      if (request.id === id) await rejectAt(now, id);
      return sender.plan(request);
    };
    shop.context.senders = new Map(senders).set('bitcoin', { ...sender, plan });
    await shop.work();
    shop.context.senders = senders;
    await shop.work();
    expect(await shop.payout(id)).toMatchObject({ status: 'rejected', txid: '' });
    expect(
      (await sql`select 1 from outgoing where id = ${id}`.execute(shop.context.db)).rows,
    ).toEqual([]);
    expect([await shop.events(id), await shop.holdings('BTC')]).toEqual([
      ['payout_rejected'],
      before,
    ]);
  });

  it('do not reject a planned payout', async () => {
    const now = shop.context.clock.now();
    const { id } = await approvedFor(now + 60_000);
    shop.context.clock.advance(60_000);
    const { signer } = shop.context;
    shop.context.signer = { sign: () => Promise.reject(new Error('the signer is away')) };
    await shop.work();
    shop.context.signer = signer;
    await expect(rejectAt(now, id)).rejects.toMatchObject(refused);
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
    await shop.mine('BTC', 1);
  });
});

describe('a rejected payout', () => {
  it('with a pending purchase leaves the bought funds in its wallet', async () => {
    await setReserve('BTC');
    shop.exchange.answer = async () => {
      throw new Error('silence');
    };
    const { id } = await shop.payOut({
      kind: 'DOGE',
      recipients: [{ amount: '1000', currency: 'DOGE', address: ADDRESS.DOGE }],
    });
    await shop.work();
    await decide(id, false);
    shop.exchange.answer = null;
    shop.context.clock.advance(301_000);
    await processConversions(shop.context, { payoutFunding: payoutFunding(shop.context) });
    await setReserve(null);
    await shop.work();
    expect((await shop.payout(id)).status).toBe('rejected');
    expect(await shop.events(id)).toEqual(['payout_rejected']);
    const { available, reserved } = await shop.holdings('DOGE');
    expect([Number(available) > 1000, reserved]).toEqual([true, '0']);
  });
});

describe('a planned payout', () => {
  it('is finished despite a new policy and cannot be rejected', async () => {
    const { signer } = shop.context;
    shop.context.signer = { sign: () => Promise.reject(new Error('the signer is away')) };
    await shop.fund('ETH', '0.2');
    const { id } = await shop.payOut({
      kind: 'ETH',
      recipients: [{ amount: '0.1', currency: 'ETH', address: freshAddress() }],
    });
    await shop.work();
    shop.context.signer = signer;
    shop.context.config = { ...config, payoutAddressDelaySeconds: 600 };
    await expect(decide(id, false)).rejects.toMatchObject(refused);
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
  });
});

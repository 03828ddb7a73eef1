import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { ChainSender, FeeEstimate } from '@crypto-checkout/chains/sender';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { UnavailableError } from '../../http/error.ts';
import { ADDRESS, type ShownPayout } from '../../../test/support/payouts.ts';
import { sweepShop, type SweepShop } from '../../../test/support/sweeps.ts';
import { presentPayout } from '../present.ts';
import { decidePayout } from './decide.ts';
import { LONGEST_WAIT_MS } from './fee.ts';

let shop: SweepShop;
let senders: SweepShop['context']['senders'];
beforeAll(async () => {
  shop = await sweepShop({ chains: ['ethereum', 'bitcoin'] });
  ({ senders } = shop.context);
});
beforeEach(async () => {
  await sql`truncate payout, payout_recipient, outgoing, outgoing_attempt, sweep, deposit, transaction, posting, balance, alarm, callback,
    callback_delivery, sandbox_transaction, sandbox_output cascade`.execute(shop.context.db);
});
afterEach(() => {
  vi.useRealTimers();
  shop.context.senders = senders;
});
afterAll(() => shop.close());

/** On the simulated Ethereum a transfer costs 0.00021 ETH, and one of a token 0.00065 ETH. */
const draftOf = (amount: string, kind = 'ETH'): Promise<ShownPayout> =>
  shop.payOut(
    {
      kind,
      recipients: [{ amount, currency: kind.replace('ETH_', ''), address: ADDRESS.ETH }],
    },
    { ...shop.creator, maxPayout: '0.01' },
  );

/** The answer of the endpoint. */
const approve = async (id: string): Promise<ShownPayout> => {
  const approver = { accountId: shop.accountId, username: 'operator', email: null };
  return presentPayout(await decidePayout(shop.context, approver, id, { approve: true }));
};

/** Changes the sender of Ethereum. */
function change(changes: Partial<ChainSender>): void {
  const sender = senders.get('ethereum')!;
  shop.context.senders = new Map(senders).set('ethereum', { ...sender, ...changes });
}

const costs = (fee: string, reserve: string): FeeEstimate => ({
  fee: parseAmount(fee),
  reserve: parseAmount(reserve),
});

/** From now on a transfer costs so much. */
const risesTo = (fee: string, reserve: string): void =>
  change({ estimate: async () => costs(fee, reserve) });

const storedFee = async (id: string): Promise<Record<string, string>> => {
  const { rows } = await sql<Record<string, string>>`
    select trim_scale(fee)::text as fee, trim_scale(fee_reserve)::text as reserve from payout where id = ${id}`.execute(
    shop.context.db,
  );
  return rows[0]!;
};

describe('the approval of a draft', () => {
  it('holds the fee as it is now, and shows it', async () => {
    await shop.fund('ETH', '10');
    const draft = await draftOf('1');
    expect(draft).toMatchObject({ status: 'draft', amount: { network_fee: '0.00021' } });
    risesTo('0.001', '0.002');
    expect(await approve(draft.id)).toMatchObject({
      status: 'new',
      amount: { total: '1', network_fee: '0.001' },
    });
    expect(await shop.holdings('ETH')).toEqual({ available: '8.998', reserved: '1.002' });
    await shop.work();
    expect((await shop.payout(draft.id)).status).toBe('pending');
  });

  it('holds the fee of a token in the coin', async () => {
    await shop.fund('ETH', '1');
    await shop.fund('ETH_USDT', '50');
    const { id } = await draftOf('50', 'ETH_USDT');
    risesTo('0.002', '0.004');
    expect((await approve(id)).amount).toMatchObject({ total: '50', network_fee: '0.002' });
    expect([await shop.holdings('ETH'), await shop.holdings('ETH_USDT')]).toEqual([
      { available: '0.996', reserved: '0.004' },
      { available: '0', reserved: '50' },
    ]);
  });

  it('holds no more than a fee that fell', async () => {
    await shop.fund('ETH', '10');
    const { id } = await draftOf('1');
    risesTo('0.0001', '0.00015');
    expect((await approve(id)).amount.network_fee).toBe('0.0001');
    expect((await shop.holdings('ETH')).reserved).toBe('1.00015');
  });

  it('leaves the amounts of recipients who pay the fee', async () => {
    await shop.fund('ETH', '10');
    const { id, amount } = await shop.payOut(
      {
        kind: 'ETH',
        network_fee_pays: 'recipient',
        recipients: [{ amount: '1', currency: 'ETH', address: ADDRESS.ETH }],
      },
      { ...shop.creator, maxPayout: '0.01' },
    );
    expect(amount.total).toBe('0.99979');
    risesTo('0.001', '0.001');
    expect((await approve(id)).amount).toMatchObject({ total: '0.99979', network_fee: '0.001' });
    expect((await shop.holdings('ETH')).reserved).toBe('1.00079');
  });

  it('of a chain with fee rates shows the new rate', async () => {
    await shop.fund('BTC', '1');
    const { id, network_fee } = await shop.payOut({}, { ...shop.creator, maxPayout: '0.01' });
    const sender = senders.get('bitcoin')!;
    const estimate: ChainSender['estimate'] = async () => ({
      ...costs('0.00002', '0.00003'),
      feeRate: 11.2,
    });
    shop.context.senders = new Map(senders).set('bitcoin', { ...sender, estimate });
    expect(network_fee).not.toBe(12);
    expect(await approve(id)).toMatchObject({
      network_fee: 12,
      amount: { network_fee: '0.00002' },
    });
    expect((await shop.holdings('BTC')).reserved).toBe('0.10003');
  });

  it('is refused without the money for a fee that rose, and changes nothing', async () => {
    await shop.fund('ETH', '1.001');
    const { id } = await draftOf('1');
    const before = await storedFee(id);
    risesTo('0.001', '0.003');
    await expect(approve(id)).rejects.toMatchObject({
      reason: 'InsufficientFunds',
      message:
        'The wallet has less available than the 1.003 ETH that this payout needs. Add 0.002 ETH to the wallet.',
    });
    expect(await shop.payout(id)).toMatchObject({ status: 'draft', approved_at: null });
    expect(await storedFee(id)).toEqual(before);
    expect(await shop.holdings('ETH')).toEqual({ available: '1.001', reserved: '0' });
    await shop.fund('ETH', '0.002');
    expect((await approve(id)).status).toBe('new');
  });

  it('holds what the draft was to hold when the wallet lacks more, and that is enough', async () => {
    await shop.fund('ETH', '1.00021');
    const { id } = await draftOf('1');
    risesTo('0.0002', '0.0003');
    expect(await approve(id)).toMatchObject({ status: 'new', amount: { network_fee: '0.0002' } });
    expect(await shop.holdings('ETH')).toEqual({ available: '0', reserved: '1.00021' });
    expect(await storedFee(id)).toEqual({ fee: '0.0002', reserve: '0.00021' });
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
  });

  it('asks the chain before its database transaction', async () => {
    await shop.fund('ETH', '10');
    const { id } = await draftOf('1');
    const open: number[] = [];
    change({
      estimate: async () => {
        const { rows } = await sql`
          select 1 from pg_stat_activity where datname = current_database()
            and state like 'idle in transaction%'`.execute(shop.context.db);
        open.push(rows.length);
        return costs('0.001', '0.002');
      },
    });
    await approve(id);
    expect(open).toEqual([0]);
  });

  it('twice at the same time holds the fee once', async () => {
    await shop.fund('ETH', '10');
    const { id } = await draftOf('1');
    risesTo('0.001', '0.002');
    const answers = await Promise.allSettled([approve(id), approve(id), approve(id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect((await shop.holdings('ETH')).reserved).toBe('1.002');
  });

  it('holds the fee of the draft when the fee is above the limit, and the payout waits', async () => {
    await shop.fund('ETH', '10');
    const { id } = await draftOf('1');
    const waits = async () => ({ type: 'wait', reason: 'the fee rose', cause: 'fee' }) as const;
    change({ estimate: async () => costs('0.0022', '0.004'), plan: waits });
    expect((await approve(id)).amount.network_fee).toBe('0.00021');
    expect((await shop.holdings('ETH')).reserved).toBe('1.00021');
    await shop.work();
    expect((await shop.payout(id)).status).toBe('new');
    expect((await sql`select reason from alarm`.execute(shop.context.db)).rows).toEqual([
      { reason: expect.stringContaining('rose to more than 10 times its estimate of 0.00021') },
    ]);
  });
});

describe('without an answer of the node', () => {
  const fails = async (): Promise<never> => {
    throw new UnavailableError('The chain ethereum does not answer');
  };

  /** Nor for the deposit addresses. */
  const failForDeposits = (): void => {
    const sweeping = senders.get('ethereum')!.sweeping!;
    const from: typeof sweeping.from = (deposit) => ({
      ...sweeping.from(deposit),
      estimate: fails,
    });
    change({ estimate: fails, sweeping: { ...sweeping, from } });
  };

  it('a draft is approved with its own fee, and the worker holds the rest', async () => {
    await shop.fund('ETH', '10');
    const { id } = await draftOf('1');
    change({ estimate: fails });
    expect(await approve(id)).toMatchObject({ status: 'new', amount: { network_fee: '0.00021' } });
    expect((await shop.holdings('ETH')).reserved).toBe('1.00021');
    const { plan } = senders.get('ethereum')!;
    change({
      estimate: async () => costs('0.001', '0.002'),
      plan: async (request) =>
        request.feeReserve < parseAmount('0.002')
          ? { type: 'wait', reason: 'the fee rose', cause: 'fee' }
          : plan(request),
    });
    await shop.work();
    expect((await shop.holdings('ETH')).reserved).toBe('1.002');
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
  });

  it('a draft is approved within seconds', async () => {
    await shop.fund('ETH', '10');
    const { id } = await draftOf('1');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const asked = new Promise<void>((resolve) => {
      change({ estimate: () => new Promise(() => resolve()) });
    });
    const approved = approve(id);
    await asked;
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT_MS);
    expect((await approved).status).toBe('new');
    expect((await shop.holdings('ETH')).reserved).toBe('1.00021');
  });

  it('a draft is approved when it needs no unswept money', async () => {
    await shop.deposit('ETH', '2');
    await shop.fund('ETH', '1');
    const { id } = await draftOf('0.9');
    failForDeposits();
    expect((await approve(id)).status).toBe('new');
    expect((await shop.holdings('ETH')).reserved).toBe('0.90021');
  });

  it('a draft that may need unswept money stays, and nothing is said to be missing', async () => {
    await shop.deposit('ETH', '2');
    await shop.fund('ETH', '1');
    const { id } = await draftOf('1.5');
    failForDeposits();
    await expect(approve(id)).rejects.toThrow(UnavailableError);
    expect((await shop.payout(id)).status).toBe('draft');
    shop.context.senders = senders;
    expect((await approve(id)).status).toBe('new');
  });

  it('a draft above everything in the wallet is still refused with the figure', async () => {
    await shop.deposit('ETH', '2');
    const { id } = await draftOf('3');
    failForDeposits();
    await expect(approve(id)).rejects.toMatchObject({
      reason: 'InsufficientFunds',
      message: `The wallet has less available than the 3.00021 ETH that this payout needs. Add ${formatAmount(parseAmount('1.00021'))} ETH to the wallet.`,
    });
  });
});

import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxPayoutAddress } from '../sandbox/send.ts';
import { OWED_REVERSAL_ALARM } from '../settlement/owed-reversals.ts';
import { sweepShop, type SweepShop } from '../../test/support/sweeps.ts';

let shop: SweepShop;
beforeAll(async () => {
  shop = await sweepShop({ chains: ['ethereum', 'tron', 'solana', 'ton', 'bitcoin'] });
});
afterAll(() => shop.close());

const MINUTES = 60;
const alarms = async (): Promise<string[]> =>
  (
    await sql<{ reason: string }>`select reason from alarm order by raised_at`.execute(
      shop.context.db,
    )
  ).rows.map(({ reason }) => reason);

describe('funds on a deposit address', () => {
  it('are swept ten minutes after they are final; the wallet pays the fee', async () => {
    const id = await shop.deposit('ETH', '2');
    expect((await shop.wallet('ETH')).balances).toEqual({
      available: '2',
      pending: '0',
      to_consolidate: '2',
      currency: 'ETH',
    });
    await shop.sweep();
    await shop.advance(9 * MINUTES);
    await shop.sweep();
    expect(await shop.sweeps()).toEqual([]);
    await shop.advance(MINUTES);
    await shop.sweep();
    expect(await shop.sweeps()).toMatchObject([
      { invoice_id: id, asset: 'ETH', status: 'sending', hold: 'held' },
    ]);
    // While the transfer is in the mempool, the balances are unchanged.
    expect((await shop.wallet('ETH')).balances).toMatchObject({
      available: '1.99979',
      to_consolidate: '2',
    });
    await shop.mine('ETH');
    await shop.sweep();
    expect((await shop.wallet('ETH')).balances).toMatchObject({ to_consolidate: '0' });
    await shop.mine('ETH', 11);
    await shop.sweep();
    const [sweep] = await shop.sweeps();
    expect(sweep).toMatchObject({ status: 'complete', hold: 'spent' });
    expect((await shop.wallet('ETH')).balances).toEqual({
      available: '1.99979',
      pending: '0',
      to_consolidate: '0',
      currency: 'ETH',
    });
    expect(await shop.holdings('ETH')).toEqual({ available: '1.99979', reserved: '0' });
    expect(await shop.onChain(id, 'ETH')).toBe('0');
    expect(await shop.sent(sandboxPayoutAddress('ethereum'))).toMatchObject([
      { amount: '1.99979', asset: 'ETH' },
    ]);
  });

  it('tokens are swept after a gas top-up, which is not a payment', async () => {
    const before = await shop.holdings('ETH');
    const id = await shop.deposit('ETH', '50', { paidKind: 'ETH_USDT' });
    const events = await shop.events(id);
    await shop.advance(10 * MINUTES);
    await shop.sweep();
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({
      asset: 'ETH_USDT',
      status: 'topping_up',
      top_up: expect.stringMatching(/^0\.00065/),
    });
    await shop.mine('ETH');
    await shop.sweep();
    expect((await shop.wallet('ETH')).balances.to_consolidate).toBe('0.00065');
    await shop.mine('ETH', 11);
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'sending' });
    await shop.mine('ETH', 12);
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({
      status: 'complete',
      amount: expect.stringMatching(/^50\b/),
    });
    const fees = parseAmount('0.00021') + parseAmount('0.00065');
    expect((await shop.holdings('ETH')).available).toBe(
      formatAmount(parseAmount(before.available) - fees),
    );
    expect(await shop.holdings('ETH_USDT')).toEqual({ available: '50', reserved: '0' });
    expect(await shop.transactions(id)).toHaveLength(1);
    expect(await shop.events(id)).toEqual(events);
    expect([await shop.onChain(id, 'ETH'), await shop.onChain(id, 'ETH_USDT')]).toEqual(['0', '0']);
    expect(
      (await shop.wallet('ETH')).token_balances?.find(({ currency }) => currency === 'USDT'),
    ).toMatchObject({ to_consolidate: '0' });
  });

  it('the coin beside a token pays its fee and is swept afterwards', async () => {
    const id = await shop.deposit('ETH', '1');
    await shop.deposit('ETH', '100', { invoiceId: id, paidKind: 'ETH_USDC' });
    await shop.advance(10 * MINUTES);
    const count = (await shop.sweeps()).length;
    for (let round = 0; round < 3; round += 1) {
      await shop.sweep();
      await shop.mine('ETH', 12);
    }
    await shop.sweep();
    const sweeps = (await shop.sweeps()).slice(count);
    expect(
      sweeps.map(({ asset, status, top_up }) => [asset, status, formatAmount(parseAmount(top_up))]),
    ).toEqual([
      ['ETH_USDC', 'complete', '0'],
      ['ETH', 'complete', '0'],
    ]);
    expect(formatAmount(parseAmount(sweeps[1]!.amount))).toBe(
      formatAmount(parseAmount('1') - parseAmount('0.00065') - parseAmount('0.00021')),
    );
    expect(await shop.onChain(id, 'ETH')).toBe('0');
  });

  it('worth less than ten times the fee stay until more arrives', async () => {
    const count = (await shop.sweeps()).length;
    const id = await shop.deposit('ETH', '0.002');
    await shop.advance(10 * MINUTES);
    await shop.sweep();
    await shop.sweep();
    expect(await shop.sweeps()).toHaveLength(count);
    expect((await shop.wallet('ETH')).balances.to_consolidate).toBe('0.002');
    await shop.deposit('ETH', '0.003', { invoiceId: id });
    await shop.advance(10 * MINUTES);
    await shop.sweep();
    await shop.mine('ETH', 12);
    await shop.sweep();
    expect((await shop.sweeps()).slice(count)).toMatchObject([
      { status: 'complete', invoice_id: id },
    ]);
    expect((await shop.wallet('ETH')).balances.to_consolidate).toBe('0');
  });

  it('without an exchange rate stay', async () => {
    const count = (await shop.sweeps()).length;
    await shop.deposit('ETH', '1000000', { paidKind: 'ETH_SHIB' });
    await shop.advance(10 * MINUTES);
    await shop.sweep();
    expect(await shop.sweeps()).toHaveLength(count);
  });

  it.each([
    ['TRX', '100', '98.9'],
    ['SOL', '2', '1.999995'],
    ['TON', '5', '4.994'],
  ])('of %s is moved', async (kind, amount, left) => {
    const id = await shop.deposit(kind, amount);
    await shop.advance(10 * MINUTES);
    await shop.sweep();
    await shop.mine(kind, 32);
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'complete', invoice_id: id });
    expect((await shop.wallet(kind)).balances).toMatchObject({
      available: left,
      to_consolidate: '0',
    });
    expect(await shop.onChain(id, kind)).toBe('0');
  });

  it('of a token wait while the wallet cannot pay the fee, with an alarm', async () => {
    const { name } = await shop.wallet('TRX');
    await shop.payOut({
      kind: 'TRX',
      recipients: [
        { amount: '97', currency: 'TRX', address: 'TAcN9gFvXZAxsWQQzWWbydBmscBHnEi5nZ' },
      ],
    });
    await shop.work();
    const count = (await shop.sweeps()).length;
    await shop.deposit('TRX', '200', { paidKind: 'USDT-TRX' });
    await shop.advance(10 * MINUTES);
    await shop.sweep();
    expect(await shop.sweeps()).toHaveLength(count);
    expect(await alarms()).toContain(
      `A sweep waits: USDT on TRON can't be swept, because the wallet "${name}" has too little TRX for the network fee`,
    );
    expect(
      (await shop.wallet('TRX')).token_balances?.find(({ currency }) => currency === 'USDT'),
    ).toMatchObject({
      available: '200',
      to_consolidate: '200',
    });
    await shop.fund('TRX', '20');
    await shop.advance(10 * MINUTES);
    for (let round = 0; round < 3; round += 1) {
      await shop.sweep();
      await shop.mine('TRX', 20);
    }
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'complete', asset: 'USDT-TRX' });
    // The alarm goes with its cause, also when nothing is left to sweep.
    await shop.advance(21 * MINUTES);
    await shop.sweep();
    expect((await alarms()).join()).not.toContain('A sweep waits');
  });

  it('are removed by a deep reorganisation', async () => {
    const id = await shop.deposit('SOL', '9');
    await shop.sweep();
    const before = parseAmount((await shop.wallet('SOL')).balances.to_consolidate!);
    await shop.reorganise('SOL', 40, true);
    await shop.sweep();
    expect((await shop.transactions(id))[0]!.status).toBe('complete');
    expect((await shop.wallet('SOL')).balances.to_consolidate).toBe(
      formatAmount(before - parseAmount('9')),
    );
    await shop.advance(10 * MINUTES);
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)!.invoice_id).not.toBe(id);
  });

  it('are removed by a reorganisation after they were spent', async () => {
    const deposited = (await shop.wallet('TON')).balances.to_consolidate!;
    await shop.deposit('TON', '700');
    await shop.sweep();
    expect((await shop.wallet('TON')).balances.to_consolidate).toBe(
      formatAmount(parseAmount(deposited) + parseAmount('700')),
    );
    const recipients = [
      {
        amount: '2799',
        currency: 'USD',
        address: '0:83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8',
      },
    ];
    await shop.payOut({ kind: 'TON', recipients });
    await shop.work();
    await shop.reorganise('TON', 1, true);
    await shop.sweep();
    expect(await alarms()).toContain(OWED_REVERSAL_ALARM);
    expect((await shop.wallet('TON')).balances.to_consolidate).toBe(deposited);
  });

  it('of bitcoin are not swept: payouts spend them directly', async () => {
    await shop.deposit('BTC', '1');
    await shop.advance(10 * MINUTES);
    await shop.sweep();
    expect((await shop.wallet('BTC')).balances).toEqual({
      available: '1',
      pending: '0',
      zero_confirmed: '0',
      currency: 'BTC',
    });
  });
});

describe('a sweep', () => {
  const startSweep = async (): Promise<string> => {
    const id = await shop.deposit('ETH', '3');
    await shop.advance(10 * MINUTES);
    await shop.sweep();
    return id;
  };
  const txidOf = async (id: string): Promise<string> =>
    (
      await sql<{
        txid: string;
      }>`select o.txid from outgoing_attempt o join sweep s on s.id = o.outgoing_id where s.invoice_id = ${id}`.execute(
        shop.context.db,
      )
    ).rows[0]!.txid;

  it('dropped by the network is sent again', async () => {
    const id = await startSweep();
    await shop.world.drop(await txidOf(id));
    await shop.sweep();
    await shop.mine('ETH', 12);
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'complete', invoice_id: id });
    expect(await shop.onChain(id, 'ETH')).toBe('0');
  });

  it('reverted by a reorganisation counts as unswept until it is mined again', async () => {
    const id = await startSweep();
    await shop.mine('ETH', 2);
    await shop.sweep();
    expect((await shop.wallet('ETH')).balances.to_consolidate).toBe('0');
    await shop.world.reorganise('ethereum', 2, false);
    await shop.sweep();
    expect((await shop.wallet('ETH')).balances.to_consolidate).toBe('3');
    await shop.mine('ETH', 12);
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'complete', invoice_id: id });
  });

  it('that failed releases the fee, raises an alarm and is retried', async () => {
    const before = (await shop.holdings('ETH')).available;
    const id = await startSweep();
    await shop.world.fail(await txidOf(id));
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({
      status: 'failed',
      error: 'The transaction failed on the chain',
      hold: 'released',
    });
    expect((await alarms()).at(-1)).toMatch(
      /^ETH on Ethereum could not be swept from the deposit address 0x.*: The transaction failed on the chain$/,
    );
    expect((await shop.holdings('ETH')).available).toBe(
      formatAmount(parseAmount(before) + parseAmount('3')),
    );
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'failed' });
    await shop.advance(10 * MINUTES);
    await shop.sweep();
    await shop.mine('ETH', 12);
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ status: 'complete', invoice_id: id });
  });

  it('begins at once for a waiting payout', async () => {
    const id = await shop.deposit('ETH', '4');
    await shop.payOut({
      kind: 'ETH',
      recipients: [
        { amount: '0.1', currency: 'ETH', address: '0x52908400098527886E0F7030069857D2E4169EE7' },
      ],
    });
    shop.context.clock.advance(MINUTES * 1000);
    await shop.sweep();
    expect((await shop.sweeps()).at(-1)).toMatchObject({ invoice_id: id, status: 'sending' });
    await shop.work();
    await shop.mine('ETH', 12);
    await shop.sweep();
  });

  it('worth at least twice its fee begins for a payout that would wait forever', async () => {
    const { senders } = shop.context;
    const sender = senders.get('ethereum')!;
    // The error of a node whose payout address holds too little.
    const empty: typeof sender = {
      ...sender,
      plan: async () => ({ type: 'wait', reason: 'the address holds too little' }),
    };
    (senders as Map<string, typeof sender>).set('ethereum', empty);
    const count = (await shop.sweeps()).length;
    const worth = await shop.deposit('ETH', '0.002');
    await shop.deposit('ETH', '0.0004');
    const { id: payoutId } = await shop.payOut({
      kind: 'ETH',
      recipients: [
        { amount: '0.1', currency: 'ETH', address: '0x52908400098527886E0F7030069857D2E4169EE7' },
      ],
    });
    for (let minute = 0; minute < 9; minute += 1) {
      shop.context.clock.advance(MINUTES * 1000);
      await shop.work();
      await shop.sweep();
    }
    expect(await shop.sweeps()).toHaveLength(count);
    shop.context.clock.advance(3 * MINUTES * 1000);
    await shop.sweep();
    expect((await shop.sweeps()).slice(count)).toMatchObject([
      { invoice_id: worth, status: 'sending' },
    ]);
    (senders as Map<string, typeof sender>).set('ethereum', sender);
    await shop.mine('ETH', 12);
    await shop.sweep();
    expect((await shop.wallet('ETH')).balances.to_consolidate).toBe('0.0004');
    await shop.work();
    await shop.mine('ETH', 12);
    expect((await shop.payout(payoutId)).status).toBe('complete');
  });
});

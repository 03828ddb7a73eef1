import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import { createAutomaticPayout } from '../automation/payout/create.ts';
import { runAutomaticPayouts } from '../automation/payout/run.ts';
import { timestamp } from '../database/database.ts';
import { decidePayout } from '../payout/approval/decide.ts';
import { ADDRESS, type ShownPayout } from '../../test/support/payouts.ts';
import { sweepShop, type SweepShop } from '../../test/support/sweeps.ts';

let shop: SweepShop;
beforeAll(async () => {
  shop = await sweepShop({ chains: ['ethereum', 'bitcoin'] });
});
afterAll(() => shop.close());

/** No unswept funds and no balances. */
beforeEach(async () => {
  await sql`truncate automatic_payout, payout, payout_recipient, outgoing, outgoing_attempt, sweep, deposit, transaction, posting, balance, alarm, callback,
    callback_delivery, sandbox_transaction, sandbox_output cascade`.execute(shop.context.db);
});

const pay = (amount: string, more: Record<string, unknown> = {}): Promise<ShownPayout> => {
  const kind = (more['kind'] as string | undefined) ?? 'ETH';
  return shop.payOut({
    kind,
    recipients: [{ amount, currency: kind.replace('ETH_', ''), address: ADDRESS.ETH }],
    ...more,
  });
};

/** Sweeps everything as the worker does, until no sweep is open. */
async function sweepAll(): Promise<void> {
  shop.context.clock.advance(600_000);
  for (let round = 0; round < 4; round += 1) {
    await shop.sweep();
    await shop.mine('ETH', 12);
  }
  await shop.sweep();
}

const sweeps = async (): Promise<string[]> =>
  (await shop.sweeps()).map(({ asset, status }) => `${asset} ${status}`);

describe('a payout of unswept funds', () => {
  it('leaves twice the maximum sweep fee, or it would wait forever', async () => {
    await shop.deposit('ETH', '2');
    await expect(pay('1.99979')).rejects.toMatchObject({
      reason: 'InsufficientFunds',
      message: expect.stringContaining(
        'needs and the 0.00042 ETH that sweeping its deposit addresses costs',
      ),
    });
    await expect(pay('1.99979', { estimate_only: true })).rejects.toMatchObject({
      reason: 'InsufficientFunds',
    });
    await pay('1.99937');
    await sweepAll();
    expect(await sweeps()).toEqual(['ETH complete']);
    // The margin for rising fees is released.
    expect(await shop.holdings('ETH')).toEqual({ available: '0.00021', reserved: '0' });
  });

  it('of swept funds leaves nothing', async () => {
    await shop.deposit('ETH', '2');
    await shop.advance(600);
    await sweepAll();
    await shop.deposit('ETH', '50', { paidKind: 'ETH_USDT' });
    expect((await pay('1.99958')).status).toBe('new');
  });

  it('leaves the fees of other addresses and coins too', async () => {
    const id = await shop.deposit('ETH', '1');
    await shop.deposit('ETH', '50', { paidKind: 'ETH_USDT' });
    await shop.deposit('ETH', '60', { invoiceId: id, paidKind: 'ETH_USDT' });
    // Two tokens, one of them with gas on its address, and the coin.
    await expect(pay('0.9971')).rejects.toMatchObject({
      message: expect.stringContaining('the 0.00344 ETH that sweeping'),
    });
    await pay('0.99635');
    await sweepAll();
    expect((await sweeps()).toSorted()).toEqual([
      'ETH complete',
      'ETH_USDT complete',
      'ETH_USDT complete',
    ]);
  });

  it('of a token needs the coin for the fee', async () => {
    await shop.deposit('ETH', '50', { paidKind: 'ETH_USDT' });
    await shop.fund('ETH', '0.002');
    await expect(pay('50', { kind: 'ETH_USDT' })).rejects.toMatchObject({
      message: expect.stringContaining('the 0.00172 ETH that sweeping'),
    });
    await shop.fund('ETH', '0.001');
    await pay('50', { kind: 'ETH_USDT' });
    await sweepAll();
    expect(await sweeps()).toEqual(['ETH_USDT complete']);
  });

  it('ignores funds that are not worth their fee, or are on their way', async () => {
    await shop.deposit('ETH', '0.002');
    expect((await pay('0.0017')).status).toBe('new');
    await shop.deposit('ETH', '3');
    await shop.advance(600);
    await shop.sweep();
    expect(await sweeps()).toEqual(['ETH sending']);
    expect((await pay('2.9995')).status).toBe('new');
  });

  it('that is funded later leaves the fees as well', async () => {
    await shop.deposit('ETH', '2');
    const at = timestamp(shop.context.clock.now() + 60_000);
    const { id } = await pay('1.99979', { scheduled_at: at });
    const draft = await shop.payOut(
      { kind: 'ETH', recipients: [{ amount: '1.99979', currency: 'ETH', address: ADDRESS.ETH }] },
      { ...shop.creator, maxPayout: '1' },
    );
    expect(draft.status).toBe('draft');
    const approver = { accountId: shop.accountId, username: 'operator', email: null };
    await expect(
      decidePayout(shop.context, approver, draft.id, { approve: true }),
    ).rejects.toMatchObject({ reason: 'InsufficientFunds' });
    shop.context.clock.advance(60_000);
    await shop.work();
    await shop.work();
    expect(await shop.payout(id)).toMatchObject({ status: 'failed' });
  });

  it('that is automatic sends correspondingly less', async () => {
    await shop.deposit('ETH', '2');
    const { id: wallet } = await shop.wallet('ETH');
    const terms = {
      kind: 'ETH',
      wallet,
      keep_amount: '0',
      recipient_address: ADDRESS.ETH,
      is_enabled: true,
      interval: 5,
    };
    await createAutomaticPayout(
      shop.context,
      { accountId: shop.accountId, name: 'operator', overApi: false },
      terms,
    );
    shop.context.clock.advance(5 * 60_000);
    await runAutomaticPayouts(shop.context);
    expect(await shop.holdings('ETH')).toEqual({ available: '0.00042', reserved: '1.99958' });
    await sweepAll();
    expect(await sweeps()).toEqual(['ETH complete']);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADDRESS, payoutShop, type PayoutShop } from '../../test/support/payouts.ts';

let shop: PayoutShop;
beforeAll(async () => {
  shop = await payoutShop();
  await shop.fund('BTC', '10');
  await shop.fund('ETH', '10');
  await shop.fund('ETH_USDT', '10000');
  await shop.fund('TON', '1000');
  await shop.fund('XRP', '1000');
});
afterAll(() => shop.close());

describe('a payout', () => {
  it('is held, sent, confirmed and complete, with one event each', async () => {
    const before = await shop.holdings('BTC');
    const payout = await shop.payOut({ passthrough: 'order 1', reference_id: 'ref-1' });
    expect(payout).toMatchObject({
      status: 'new',
      txid: '',
      confirmations: 0,
      network: 'testnet',
      amount: { total: '0.1', network_fee: '0.0000209', network_fee_currency: 'BTC' },
      network_fee_pays: 'merchant',
      network_fee_preset: 'normal',
      network_fee: 10,
      passthrough: 'order 1',
      reference_id: 'ref-1',
      approved_at: null,
      approved_by: null,
      executed_at: null,
      error: null,
      recipients: [
        {
          address: ADDRESS.BTC,
          amount: {
            requested: { amount: '0.1', currency: 'BTC' },
            received: { amount: '0.1', currency: 'BTC' },
          },
          custom_fee: null,
          notes: null,
        },
      ],
    });
    expect(await shop.holdings('BTC')).toEqual({ available: '9.8999791', reserved: '0.1000209' });
    await shop.work();
    const sent = await shop.payout(payout.id);
    expect(sent).toMatchObject({
      status: 'pending',
      confirmations: 0,
      executed_at: expect.any(String),
    });
    expect(await shop.sent(ADDRESS.BTC)).toEqual([
      { txid: sent.txid, state: 'mempool', amount: '0.1', asset: 'BTC' },
    ]);
    await shop.mine('BTC');
    expect(await shop.payout(payout.id)).toMatchObject({ status: 'confirmed', confirmations: 1 });
    await shop.mine('BTC', 5);
    expect(await shop.payout(payout.id)).toMatchObject({
      status: 'complete',
      confirmations: 6,
      txid: sent.txid,
    });
    expect(await shop.events(payout.id)).toEqual([
      'payout_pending',
      'payout_confirmed',
      'payout_complete',
    ]);
    expect(before.available).toBe('10');
    expect(await shop.holdings('BTC')).toEqual({ available: '9.8999791', reserved: '0' });
  });
});

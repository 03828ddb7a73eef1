import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_START } from '../../test/support/context.ts';
import { fixedRates } from '../rate/fixed-rates.ts';
import { ADDRESS, payoutShop, type PayoutShop } from '../../test/support/payouts.ts';

let shop: PayoutShop;
beforeAll(async () => {
  shop = await payoutShop({ chains: ['ton', 'bitcoin'] });
  await Promise.all([shop.fund('TON', '100'), shop.fund('BTC', '1')]);
});
afterAll(() => shop.close());

const ton = (more: object = {}) => ({
  kind: 'TON',
  recipients: [{ amount: '2', currency: 'GRAM', address: ADDRESS.TON, ...more }],
});

describe('the currency of a TON payout', () => {
  it('accepts TON and answers with the symbol GRAM', async () => {
    const payout = await shop.payOut(
      ton({ currency: 'TON', fee_amount: '0.5', fee_currency: 'TON' }),
    );
    expect(payout.recipients[0]).toMatchObject({
      amount: {
        requested: { amount: '2', currency: 'GRAM' },
        received: { amount: '1.5', currency: 'GRAM' },
      },
      custom_fee: { amount: '0.5', currency: 'GRAM' },
    });
  });

  it('identifies the same payout by either name', async () => {
    const first = await shop.payOut({ ...ton({ currency: 'TON' }), reference_id: 'both names' });
    expect((await shop.payOut({ ...ton(), reference_id: 'both names' })).id).toBe(first.id);
  });

  it('is rejected for another kind', async () => {
    for (const currency of ['TON', 'GRAM']) {
      const recipients = [{ amount: '0.1', currency, address: ADDRESS.BTC }];
      await expect(shop.payOut({ recipients })).rejects.toMatchObject({
        reason: 'ValidationError',
      });
    }
  });
});

describe('a payout of a coin whose rate comes from one source', () => {
  let single: PayoutShop;
  beforeAll(async () => {
    const fixed = await fixedRates({ now: () => TEST_START }).current();
    const rates = { current: async () => ({ ...fixed, unconfirmed: new Set(['SHFL']) }) };
    single = await payoutShop({ chains: ['ethereum'], overrides: { rates } });
    await Promise.all([single.fund('ETH_SHFL', '1000'), single.fund('ETH', '1')]);
  });
  afterAll(() => single.close());

  const payOut = (amount: string, currency: string) =>
    single.payOut({
      kind: 'ETH_SHFL',
      recipients: [{ amount, currency, address: ADDRESS.ETH }],
    });

  it('is refused in another currency', async () => {
    await expect(payOut('30', 'USD')).rejects.toMatchObject({
      reason: 'ValidationError',
      message: expect.stringContaining('must be priced in SHFL'),
    });
    expect(await single.holdings('ETH_SHFL')).toEqual({ available: '1000', reserved: '0' });
  });

  it('is accepted in the coin itself', async () => {
    expect((await payOut('100', 'SHFL')).recipients[0]).toMatchObject({
      amount: { received: { amount: '100', currency: 'SHFL' } },
    });
  });
});

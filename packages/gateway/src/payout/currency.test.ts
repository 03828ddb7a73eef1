import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

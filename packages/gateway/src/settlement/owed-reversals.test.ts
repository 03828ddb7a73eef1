import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { requireBooks, type ShownInvoice } from '../../test/support/shop.ts';
import { ADDRESS, payoutShop, type PayoutShop } from '../../test/support/payouts.ts';

let shop: PayoutShop;
beforeAll(async () => {
  shop = await payoutShop({ chains: ['bitcoin'] });
});
afterAll(() => shop.close());

let invoice: ShownInvoice;
/** Rest of the received 0.002 BTC. */
let left: string;
beforeEach(async () => {
  invoice = await shop.create();
  await shop.pay(invoice.id);
  await shop.mine('BTC');
  const { available } = await shop.balance('BTC');
  const amount = formatAmount(parseAmount(available) - parseAmount('0.0001'));
  await shop.payOut({ recipients: [{ amount, currency: 'BTC', address: ADDRESS.BTC }] });
  left = (await shop.balance('BTC')).available;
});

const row = async () =>
  shop.context.db
    .selectFrom('transaction')
    .select(['id', 'status', 'credit', 'owed', 'version'])
    .where('invoice_id', '=', invoice.id)
    .executeTakeFirstOrThrow();
const alarms = async (): Promise<string[]> => {
  const { id } = await row();
  const raised = await shop.context.db
    .selectFrom('alarm')
    .select('reason')
    .where('resource_id', '=', id)
    .execute();
  return raised.map(({ reason }) => reason);
};

describe('reversal of a spent payment', () => {
  it('is owed with an alarm, reverts its invoice and does not block the chain', async () => {
    await shop.reorganise('BTC', 1, true);
    const owed = await row();
    expect(owed).toMatchObject({ status: 'pending', credit: 'available', owed: true });
    expect(await shop.get(invoice.id)).toMatchObject({ status: 'new', amount: { paid: null } });
    expect((await shop.balance('BTC')).available).toBe(left);
    expect(await alarms()).toEqual([expect.stringContaining('after its money was spent')]);
    await shop.mine('BTC', 2);
    expect(await row()).toEqual(owed);
    expect(await alarms()).toHaveLength(1);
    // The next payment covers the debt.
    const next = await shop.create({ amount: '1000' });
    await shop.pay(next.id);
    await shop.mine('BTC');
    expect(await row()).toMatchObject({ credit: 'none', owed: false });
    expect(Number((await shop.balance('BTC')).available)).toBeCloseTo(
      Number(left) + 0.02 - 0.002,
      8,
    );
    expect((await shop.get(next.id)).status).toBe('paid');
  });

  it('is no longer owed once it is in a block again', async () => {
    await shop.reorganise('BTC', 1);
    expect(await row()).toMatchObject({ status: 'pending', credit: 'available', owed: true });
    expect((await shop.get(invoice.id)).status).toBe('pending');
    await shop.mine('BTC');
    expect(await row()).toMatchObject({ status: 'confirmed', credit: 'available', owed: false });
    expect((await shop.balance('BTC')).available).toBe(left);
  });

  it('after finality is frozen as soon as the balance allows', async () => {
    await shop.mine('BTC', 5);
    expect((await shop.get(invoice.id)).status).toBe('complete');
    const { frozen } = await shop.balance('BTC');
    await shop.reorganise('BTC', 7, true);
    expect(await row()).toMatchObject({ status: 'complete', credit: 'available', owed: true });
    expect(await alarms()).toHaveLength(2);
    await shop.fund('BTC', '1');
    await shop.mine('BTC');
    expect(await row()).toMatchObject({ credit: 'frozen', owed: false });
    expect(Number((await shop.balance('BTC')).frozen) - Number(frozen)).toBeGreaterThanOrEqual(
      0.002,
    );
    expect(await alarms()).toHaveLength(2);
    await requireBooks(shop.context);
  });

  it('after finality is owed until it is final in another block', async () => {
    await shop.mine('BTC', 5);
    await shop.reorganise('BTC', 6);
    expect(await row()).toMatchObject({ status: 'complete', credit: 'available', owed: true });
    await shop.mine('BTC', 2);
    await shop.mine('BTC', 3);
    expect(await row()).toMatchObject({ credit: 'available', owed: true });
    await shop.mine('BTC');
    expect(await row()).toMatchObject({ status: 'complete', credit: 'available', owed: false });
    expect((await shop.balance('BTC')).available).toBe(left);
    expect(await alarms()).toHaveLength(2);
    await requireBooks(shop.context);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refundShop, type RefundShop } from '../../test/support/refunds.ts';
import { createRefund } from './create.ts';

let shop: RefundShop;
beforeAll(async () => {
  shop = await refundShop();
});
afterAll(() => shop.close());

/** A refund by a key that pays out, with a limit in USD. */
async function make(transactionId: string, maxPayout: string | null): Promise<string> {
  const { refund } = await createRefund(
    shop.context,
    {
      accountId: shop.accountId,
      key: { id: shop.account.api_key_id, maxPayout, maxPayoutDaily: null },
      canPayOut: true,
    },
    { transaction_id: transactionId, address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' },
  );
  return (refund as { id: string }).id;
}

describe('a refund of a key with a limit', () => {
  it('is a draft above the limit, until it is approved', async () => {
    const { transaction } = await shop.late();
    const id = await make(transaction.id, '99');
    expect(await shop.refund(id)).toMatchObject({ status: 'draft', payout_id: expect.any(String) });
    await shop.settle();
    expect((await shop.refund(id)).status).toBe('draft');
    expect((await shop.decide(id, true)).body.result.status).toBe('approved');
    const again = await shop.decide(id, true);
    expect([again.status, again.body.message]).toEqual([
      409,
      'The refund is approved: only one that is requested, a draft, or waits for a policy can be approved.',
    ]);
    await shop.settle();
    await shop.mine('BTC', 6);
    expect((await shop.refund(id)).status).toBe('paid');
    const late = await shop.decide(id, false);
    expect([late.status, late.body.message]).toEqual([
      409,
      'The refund is paid: it can no longer be rejected.',
    ]);
  });

  it('is rejected with its draft, and counts again', async () => {
    const { transaction, invoice } = await shop.late();
    const id = await make(transaction.id, '99');
    expect((await shop.get(invoice.id)).amount.paid).toBeNull();
    const { payout_id } = await shop.refund(id);
    await shop.send('PUT', `/v1/payouts/${payout_id}/`, { approve: false }, shop.account.approve);
    await shop.settle();
    expect((await shop.refund(id)).status).toBe('rejected');
    expect((await shop.get(invoice.id)).amount.paid?.amount).toBe('0.002');
    expect(await shop.events(id)).toEqual(['refund_requested', 'refund_rejected']);
  });
});

describe('a refund whose payout fails', () => {
  it('is failed with its payout, and counts no longer', async () => {
    const { transaction, invoice } = await shop.late();
    const id = await make(transaction.id, null);
    await shop.settle();
    const { txid } = await shop.refund(id);
    await shop.fail(txid);
    expect(await shop.refund(id)).toMatchObject({ status: 'failed', error: expect.any(String) });
    expect((await shop.get(invoice.id)).amount.paid?.amount).toBe('0.002');
    const again = await make(transaction.id, null);
    expect(again).not.toBe(id);
    await shop.settle();
    await shop.mine('BTC', 6);
    expect((await shop.refund(again)).status).toBe('paid');
  });
});

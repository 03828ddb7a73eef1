import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Receipt } from '@crypto-checkout/protocol/schema/receipt';
import { refundShop, type RefundShop } from '../../test/support/refunds.ts';

let shop: RefundShop;
beforeAll(async () => {
  shop = await refundShop();
});
afterAll(() => shop.close());

async function claimsOf(id: string): Promise<Receipt> {
  const { body } = await shop.send('GET', `/v1/invoices/${id}/receipt/`);
  const [, payload = ''] = body.result.receipt.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Receipt;
}

it('a receipt leaves out refunded money, and names each refund with its payout', async () => {
  const { invoice, transaction } = await shop.paid({ amount: '0.0029' });
  const whole = await claimsOf(invoice.id);
  expect(whole.payments).toMatchObject([{ amount: { amount: '0.0029', currency: 'BTC' } }]);
  expect(whole.refunds).toEqual([]);
  const { id } = (await shop.ask(transaction.id)).body.result;
  const asked = await claimsOf(invoice.id);
  expect(asked.payments).toMatchObject([{ amount: { amount: '0.002', currency: 'BTC' } }]);
  expect(asked.refunds).toMatchObject([
    { kind: 'BTC', txid: null, status: 'requested', amount: { amount: '0.0009', currency: 'BTC' } },
  ]);
  await shop.decide(id, false);
  expect(await claimsOf(invoice.id)).toMatchObject({
    payments: [{ amount: { amount: '0.0029' } }],
    refunds: [],
  });
  const again = (await shop.ask(transaction.id)).body.result;
  await shop.decide(again.id, true);
  await shop.settle();
  await shop.mine('BTC', 6);
  const { txid } = await shop.refund(again.id);
  expect((await claimsOf(invoice.id)).refunds).toMatchObject([{ txid, status: 'paid' }]);
});

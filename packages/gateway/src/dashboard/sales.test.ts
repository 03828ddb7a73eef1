import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Browser, signedIn } from '../../test/support/dashboard.ts';
import { refundShop, type RefundShop } from '../../test/support/refunds.ts';

let shop: RefundShop;
let operator: Browser;

beforeEach(async () => {
  shop = await refundShop({}, { chains: ['bitcoin', 'ethereum', 'lightning'] });
});
afterEach(() => shop.close());

const sales = async () => {
  // Moving the clock ends every session.
  operator = await signedIn(shop.app, shop.context, shop.accountId);
  const { status, body } = await operator.ask('GET', 'sales/');
  expect([status, body.message]).toEqual([200, undefined]);
  return body.result.currencies;
};
/** A final payment of a new invoice. */
const sell = async (order: Record<string, unknown> = {}, amount?: string) =>
  (await shop.paid(amount === undefined ? {} : { amount }, order)).transaction;
const usd = (orders: number, amount: string, refunded = '0.00') => ({
  currency: 'USD',
  orders,
  amount,
  refunded,
});

it('sums the orders that were paid today by currency, and no others', async () => {
  expect(await sales()).toEqual([]);
  await sell({ amount: '80' });
  await sell({ amount: '19.9', order_id: 'A-1' });
  await sell({ amount: '0.002', currency: 'BTC' });
  await shop.create({ amount: '7' });
  const seen = await shop.create({ amount: '5' });
  await shop.pay(seen.id);
  expect(await sales()).toEqual([
    usd(2, '99.90'),
    { currency: 'BTC', orders: 1, amount: '0.002', refunded: '0' },
  ]);
  const { body } = await operator.ask('GET', 'sales/');
  expect(body.result.from).toMatch(/T00:00:00\.000000\+00:00$/);
});

it('begins anew with the day in UTC; a later payment of the same order moves nothing', async () => {
  await sell({ order_id: 'A-1' });
  await shop.advance(24 * 3_600);
  expect(await sales()).toEqual([]);
  await sell({ order_id: 'A-1' });
  expect(await sales()).toEqual([]);
});

it('counts an order once that was paid twice', async () => {
  await sell({ order_id: 'A-1' });
  await sell({ order_id: 'A-1' });
  expect(await sales()).toEqual([usd(1, '100.00')]);
});

it('adds the parts of an order that was paid by several invoices', async () => {
  const first = await shop.create({ order_id: 'A-1', amount: '60' });
  // 0.0012 BTC are invoiced at 50,000.
  await shop.pay(first.id, { amount: '0.0005998' });
  await shop.mine('BTC', 6);
  expect(await sales()).toEqual([]);
  await sell({ order_id: 'A-1', amount: '30.01' });
  expect(await sales()).toEqual([usd(1, '60.00')]);
});

it('leaves out what an invoice with another amount asked for in vain', async () => {
  await shop.create({ order_id: 'A-1', amount: '60' });
  await sell({ order_id: 'A-1', amount: '40' });
  expect(await sales()).toEqual([usd(1, '40.00')]);
});

it('counts a sale by LNURL once', async () => {
  const { id } = await shop.create({ kind: 'BTC_LIGHTNING_LNURL', amount: '1' });
  await shop.app.request(`/lnurl/${id}/callback?amount=2000000`);
  const { id: request } = await shop.context.db
    .selectFrom('invoice')
    .select('id')
    .where('lnurl_invoice_id', '=', id)
    .executeTakeFirstOrThrow();
  await shop.pay(request);
  expect((await shop.get(id)).status).toBe('complete');
  expect(await sales()).toEqual([usd(1, '1.00')]);
});

it('leaves out late money until the shop accepts it, at its worth then', async () => {
  const { transaction } = await shop.late();
  expect(await sales()).toEqual([]);
  await shop.send('POST', `/v1/transactions/${transaction.id}/accept-late/`);
  expect(await sales()).toEqual([usd(1, '100.00')]);
});

it('shows the part apart that the shop gave back, but no excess', async () => {
  const { id } = await sell();
  const excess = await sell({ order_id: 'A-2' }, '0.003');
  const path = `/v1/transactions/${id}/offer-refund/`;
  await shop.send('POST', path, { amount: '0.001' }, shop.account.api);
  for (const each of [id, excess.id]) {
    const { body } = await shop.ask(each);
    expect((await shop.decide(body.result.id, true)).status).toBe(200);
  }
  expect(await sales()).toEqual([usd(2, '200.00', '50.00')]);
});

it('leaves out what belongs to no order, and other accounts', async () => {
  const address = await shop.create({ amount: undefined });
  await shop.pay(address.id, { amount: '0.01' });
  await shop.mine('BTC', 6);
  expect(await sales()).toEqual([]);
});

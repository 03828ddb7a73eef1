import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, signedIn } from '../../test/support/dashboard.ts';
import { refundShop, type RefundShop } from '../../test/support/refunds.ts';

let shop: RefundShop;
let operator: Browser;
const get = async (path: string) => {
  const { status, body } = await operator.ask('GET', path);
  expect([path, status, body.message]).toEqual([path, 200, undefined]);
  return body;
};

beforeAll(async () => {
  shop = await refundShop({}, { chains: ['bitcoin', 'ethereum', 'lightning'] });
});
afterAll(() => shop.close());
/** Moving the clock ends every session. */
const enter = async () => (operator = await signedIn(shop.app, shop.context, shop.accountId));

const listed = async (id: string) =>
  (await get('invoices/')).result.find((invoice: { id: string }) => invoice.id === id);

describe('money that does not count', () => {
  it('is listed with the invoice: late, of another coin, and what was returned', async () => {
    const { invoice, transaction } = await shop.late({ order_id: 'late-1' });
    const other = await shop.create({ kind: 'ETH' });
    await shop.pay(other.id, { kind: 'ETH_USDT', amount: '50' });
    const fine = await shop.paid({}, {});
    await enter();
    const { amount } = transaction.amount.paid;
    expect((await listed(invoice.id)).uncounted).toEqual([
      { reason: 'late', amount, currency: 'BTC' },
    ]);
    expect(await listed(other.id)).toMatchObject({
      amount: { paid: null },
      uncounted: [{ reason: 'wrong_coin', amount: '50', currency: 'USDT' }],
    });
    expect((await listed(fine.invoice.id)).uncounted).toEqual([]);

    const { body } = await shop.ask(transaction.id);
    expect(body.result.status).toBe('requested');
    const { result } = await get(`invoices/${invoice.id}/`);
    expect(result.uncounted).toEqual([{ reason: 'refunded', amount, currency: 'BTC' }]);
    expect(result.refunds).toMatchObject([
      { id: body.result.id, order_id: 'late-1', status: 'requested', cause: 'late' },
    ]);
    expect((await get(`refunds/${body.result.id}/`)).result.order_id).toBe('late-1');
    expect((await get('refunds/')).result[0].order_id).toBe('late-1');
  });

  it('is held, while an operator has not released it', async () => {
    const { invoice, transaction } = await shop.paid();
    await shop.context.db
      .updateTable('transaction')
      .set({ status: 'quarantined', quarantined: true })
      .where('id', '=', transaction.id)
      .execute();
    await enter();
    expect((await listed(invoice.id)).uncounted).toEqual([
      { reason: 'held', amount: transaction.amount.paid.amount, currency: 'BTC' },
    ]);
  });
});

describe('the order of a transaction', () => {
  it('is that of its invoice, in the list and alone', async () => {
    const { transaction } = await shop.paid({}, { order_id: 'A-1042' });
    const { transaction: nameless } = await shop.paid();
    await enter();
    const orders = Object.fromEntries(
      (await get('transactions/')).result.map((row: { id: string; order_id: string | null }) => [
        row.id,
        row.order_id,
      ]),
    );
    expect(orders).toMatchObject({ [transaction.id]: 'A-1042', [nameless.id]: null });
    expect((await get(`transactions/${transaction.id}/`)).result.order_id).toBe('A-1042');
  });

  it('is that of the invoice whose LNURL was paid', async () => {
    const order = { kind: 'BTC_LIGHTNING_LNURL', order_id: 'A-7', amount: '1' };
    const { id } = await shop.create(order);
    await shop.app.request(`/lnurl/${id}/callback?amount=2000000`);
    const { id: request } = await shop.context.db
      .selectFrom('invoice')
      .select('id')
      .where('lnurl_invoice_id', '=', id)
      .executeTakeFirstOrThrow();
    await shop.pay(request);
    await enter();
    const { result } = await get(`transactions/?invoice_id=${request}`);
    expect(result).toMatchObject([{ kind: 'BTC_LIGHTNING', order_id: 'A-7' }]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Receipt } from '@crypto-checkout/protocol/schema/receipt';
import { createAccount } from '../account/create.ts';
import { createProfile } from '../profile/create.ts';
import { walletsOf } from '../../test/support/call.ts';
import { refundShop, type RefundShop } from '../../test/support/refunds.ts';
import { createInvoice } from './create.ts';

let shop: RefundShop;
beforeAll(async () => {
  shop = await refundShop({}, { chains: ['bitcoin', 'litecoin'] });
});
afterAll(() => shop.close());

/** The claims of a receipt; null for the refusal of an invoice that is not paid. */
async function claimsOf(id: string): Promise<Receipt | null> {
  const { status, body } = await shop.send('GET', `/v1/invoices/${id}/receipt/`);
  if (status === 409 && body.reason === 'InvalidState') return null;
  expect(status).toBe(200);
  const [, payload = ''] = body.result.receipt.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Receipt;
}

const statusOf = async (id: string): Promise<string | undefined> => (await claimsOf(id))?.status;

/** Accepts every late payment of an invoice. */
async function accept(id: string): Promise<void> {
  for (const { id: transaction } of await shop.transactions(id)) {
    const { status } = await shop.send('POST', `/v1/transactions/${transaction}/accept-late/`);
    expect(status).toBe(200);
  }
}

async function payLate(id: string, amount?: string): Promise<string> {
  await shop.advance(3_600);
  return shop.pay(id, amount === undefined ? {} : { amount });
}

describe('the receipt of late money', () => {
  it('exists once the shop has accepted it and it is confirmed', async () => {
    const { id } = await shop.create({ order_id: 'late' });
    const txid = await payLate(id);
    await accept(id);
    expect(await claimsOf(id)).toBeNull();
    await shop.mine('BTC');
    const payments = [{ invoice_id: id, txid, amount: { amount: '0.002', currency: 'BTC' } }];
    expect(await claimsOf(id)).toMatchObject({
      order_id: 'late',
      status: 'paid',
      final: false,
      amount: { amount: '100', currency: 'USD' },
      invoiced: { amount: '0.002', currency: 'BTC' },
      payments: [{ ...payments[0], status: 'confirmed', late: true }],
      refunds: [],
    });
    await shop.mine('BTC', 5);
    expect(await claimsOf(id)).toMatchObject({ status: 'complete', final: true, payments });
    expect((await shop.get(id)).status).toBe('expired');
  });

  it('does not exist before the shop has accepted it', async () => {
    const { invoice } = await shop.late();
    expect(await claimsOf(invoice.id)).toBeNull();
  });

  it('does not exist for a half, and exists once both halves are accepted', async () => {
    const { id } = await shop.create();
    await payLate(id, '0.001');
    await shop.mine('BTC');
    await accept(id);
    expect(await claimsOf(id)).toBeNull();
    await shop.pay(id, { amount: '0.001' });
    await shop.mine('BTC');
    expect(await claimsOf(id)).toBeNull();
    await accept(id);
    expect((await claimsOf(id))?.payments).toHaveLength(2);
  });

  it('exists for a half in time and a half late', async () => {
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.001' });
    await payLate(id, '0.001');
    await shop.mine('BTC');
    expect(await claimsOf(id)).toBeNull();
    await shop.send(
      'POST',
      `/v1/transactions/${(await shop.transactions(id)).at(-1)!.id}/accept-late/`,
    );
    expect((await claimsOf(id))?.payments.map(({ late }) => late)).toEqual([false, true]);
  });

  it.each([
    ['0.00199', 'paid'],
    ['0.00198', undefined],
  ])('of %s BTC for 0.002 has the tolerance of the invoice', async (amount, status) => {
    const { id } = await shop.create();
    await payLate(id, amount);
    await shop.mine('BTC');
    await accept(id);
    expect(await statusOf(id)).toBe(status);
  });

  it('ends with a refund, and is back when the refund is rejected', async () => {
    const { invoice, transaction } = await shop.late();
    await accept(invoice.id);
    expect(await statusOf(invoice.id)).toBe('complete');
    const path = `/v1/transactions/${transaction.id}/offer-refund/`;
    await shop.send('POST', path, { amount: '0.002' }, shop.account.api);
    const asked = await shop.ask(transaction.id);
    expect(asked.status).toBe(201);
    expect(await claimsOf(invoice.id)).toBeNull();
    await shop.decide(asked.body.result.id, false);
    expect(await statusOf(invoice.id)).toBe('complete');
    const again = await shop.ask(transaction.id);
    await shop.decide(again.body.result.id, true);
    await shop.settle();
    await shop.mine('BTC', 6);
    expect((await shop.refund(again.body.result.id)).status).toBe('paid');
    expect(await claimsOf(invoice.id)).toBeNull();
  });

  it('ends when the payment is gone', async () => {
    const { id } = await shop.create();
    await payLate(id);
    await shop.mine('BTC');
    await accept(id);
    expect(await statusOf(id)).toBe('paid');
    await shop.reorganise('BTC', 1, true);
    expect(await claimsOf(id)).toBeNull();
  });

  it('that was not accepted is not a payment of the paid order', async () => {
    const order_id = 'paid again';
    const { invoice } = await shop.late({ order_id });
    const paid = await shop.paid({}, { order_id });
    const own = [{ txid: paid.transaction.txid }];
    expect((await claimsOf(paid.invoice.id))?.payments).toMatchObject(own);
    await accept(invoice.id);
    expect((await claimsOf(paid.invoice.id))?.payments).toHaveLength(2);
  });
});

describe('the receipt of an order in several coins', () => {
  /** An order of 60 USD whose two invoices are open: 0.75 LTC and 0.0012 BTC. */
  async function twoCoins(order: Record<string, unknown>) {
    const ltc = await shop.create({ kind: 'LTC', amount: '60', ...order });
    const btc = await shop.create({ amount: '60', ...order });
    return [ltc.id, btc.id] as const;
  }

  async function mine(): Promise<void> {
    await shop.mine('BTC', 6);
    await shop.mine('LTC', 6);
  }

  /** An order of which each coin has paid a half, with all confirmations. */
  async function paidHalves(order_id: string) {
    const [ltc, btc] = await twoCoins({ order_id });
    await shop.pay(ltc, { amount: '0.375' });
    await shop.pay(btc, { amount: '0.0006' });
    await mine();
    return [ltc, btc] as const;
  }

  it('exists at both invoices once their payments cover the amount', async () => {
    const [ltc, btc] = await twoCoins({ order_id: 'halves' });
    await shop.pay(ltc, { amount: '0.375' });
    await mine();
    expect([await claimsOf(ltc), await claimsOf(btc)]).toEqual([null, null]);
    await shop.pay(btc, { amount: '0.0006' });
    await shop.mine('BTC');
    expect(await claimsOf(ltc)).toMatchObject({
      status: 'paid',
      final: false,
      amount: { amount: '60', currency: 'USD' },
      payments: [{ invoice_id: ltc }, { invoice_id: btc }],
    });
    await mine();
    for (const id of [ltc, btc])
      expect(await claimsOf(id)).toMatchObject({ status: 'complete', final: true });
  });

  /** Another shop of the same account, with the same coins. */
  async function otherProfile(): Promise<{ id: string }> {
    const wallets = await walletsOf(shop.context, shop.accountId);
    return createProfile(shop.context, shop.accountId, {
      name: 'Other shop',
      callback_url: 'https://other.example/',
      currencies: [
        { kind: 'BTC', wallet_id: wallets.get('bitcoin') },
        { kind: 'LTC', wallet_id: wallets.get('litecoin') },
      ],
    });
  }

  it('is not paid by another shop of the account whose order has the same id', async () => {
    const { id: other } = await otherProfile();
    const order_id = 'of two shops';
    const [ltc, btc] = await twoCoins({ order_id });
    const foreign = await twoCoins({ order_id, profile_id: other });
    await shop.pay(ltc, { amount: '0.375' });
    await shop.pay(foreign[1], { amount: '0.0006' });
    await mine();
    for (const id of [ltc, btc, ...foreign]) expect(await claimsOf(id), id).toBeNull();
    await shop.pay(btc, { amount: '0.0006' });
    await shop.pay(foreign[0], { amount: '0.375' });
    await mine();
    expect((await claimsOf(btc))?.payments.map((one) => one.invoice_id)).toEqual([ltc, btc]);
    expect((await claimsOf(foreign[0]))?.payments.map((one) => one.invoice_id)).toEqual(
      foreign.toReversed(),
    );
  });

  it.each([
    ['60', '0.0001'],
    ['60', '0.0007'],
    ['100', '0.0007'],
    ['100', '0.0008'],
  ])('does not pay a later order of %s USD with the same id', async (amount, paid) => {
    const order_id = `again ${amount} ${paid}`;
    const [ltc, btc] = await twoCoins({ order_id });
    await shop.pay(ltc, { amount: '0.375' });
    await shop.pay(btc, { amount: '0.0006' });
    await mine();
    expect(await statusOf(btc)).toBe('complete');
    await shop.advance(60);
    const later = await shop.create({ amount, order_id });
    await shop.pay(later.id, { amount: paid });
    await mine();
    expect(await claimsOf(later.id)).toBeNull();
  });

  it('exists at the first invoice when its late half is accepted after the second one', async () => {
    const order_id = 'late, then another coin';
    const ltc = await shop.create({ kind: 'LTC', amount: '60', order_id });
    await payLate(ltc.id, '0.375');
    await shop.advance(60);
    const btc = await shop.create({ amount: '60', order_id });
    await shop.pay(btc.id, { amount: '0.0006' });
    await mine();
    await accept(ltc.id);
    expect(await claimsOf(ltc.id)).toMatchObject({ payments: [{ late: true }, { late: false }] });
    expect(await claimsOf(btc.id)).toBeNull();
  });

  it('does not exist for money that goes back', async () => {
    const [ltc, btc] = await paidHalves('half back');
    expect(await statusOf(btc)).toBe('complete');
    const [half] = await shop.transactions(btc);
    const asked = await shop.ask(half!.id, { amount: '0.0006' }, shop.account.api);
    expect(asked.status).toBe(201);
    expect([await claimsOf(ltc), await claimsOf(btc)]).toEqual([null, null]);
  });

  it('counts no payment of another order, of no order, or of another account', async () => {
    const [, btc] = await twoCoins({ order_id: 'own' });
    await shop.pay(btc, { amount: '0.0006' });
    const other = await createAccount(shop.context, {}, { name: 'Other' });
    await shop.context.db
      .updateTable('profile')
      .set({ callback_url: 'https://other.example/' })
      .where('account_id', '=', other.id)
      .execute();
    const foreign = await createInvoice(shop.context, other.id, {
      profile_id: other.profiles[0],
      kind: 'BTC',
      amount: '60',
      currency: 'USD',
      order_id: 'own',
    });
    const strangers = [
      foreign.id,
      ...(await twoCoins({ order_id: 'own ' })),
      ...(await twoCoins({})),
    ];
    for (const id of strangers) await shop.pay(id, { amount: '0.0006' });
    await mine();
    for (const id of [btc, ...strangers.slice(1)]) expect(await claimsOf(id), id).toBeNull();
  });

  it('does not take the payments of the order for those of its rest', async () => {
    const first = await shop.create({ kind: 'LTC', amount: '60', order_id: 'rest' });
    await shop.pay(first.id, { amount: '0.5' });
    const rest = await shop.create({ amount: '20', order_id: 'rest' });
    await mine();
    expect([await claimsOf(first.id), await claimsOf(rest.id)]).toEqual([null, null]);
    await payLate(rest.id);
    await mine();
    expect([await claimsOf(first.id), await claimsOf(rest.id)]).toEqual([null, null]);
    await accept(rest.id);
    expect(await claimsOf(first.id)).toBeNull();
    expect(await claimsOf(rest.id)).toMatchObject({
      amount: { amount: '20' },
      payments: [{ late: false }, { late: true }],
    });
  });

  it('does not exist for an invoice without a payment, nor beside one that is paid by itself', async () => {
    const [ltc, btc] = await twoCoins({ order_id: 'one of both' });
    await shop.pay(ltc);
    await mine();
    expect([await statusOf(ltc), await claimsOf(btc)]).toEqual(['complete', null]);
    await shop.pay(btc, { amount: '0.0001' });
    await mine();
    expect(await claimsOf(btc)).toBeNull();
  });

  it('does not exist beside one that late money paid by itself', async () => {
    const [ltc, btc] = await twoCoins({ order_id: 'one of both, late' });
    await payLate(ltc);
    await mine();
    await accept(ltc);
    const again = await shop.create({ amount: '60', order_id: 'one of both, late' });
    await shop.pay(again.id, { amount: '0.0001' });
    await mine();
    const receipts = [await statusOf(ltc), await claimsOf(btc), await claimsOf(again.id)];
    expect(receipts).toEqual(['complete', null, null]);
  });

  it('does not exist when an invoice of the order has another currency', async () => {
    const [ltc, btc] = await paidHalves('currencies');
    expect(await statusOf(btc)).toBe('complete');
    await shop.create({ amount: '60', currency: 'EUR', order_id: 'currencies' });
    expect([await claimsOf(ltc), await claimsOf(btc)]).toEqual([null, null]);
  });
});

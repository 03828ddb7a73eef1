import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testShop, type TestShop } from '../../test/support/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ chains: ['bitcoin', 'ethereum', 'polygon'] });
});
afterAll(() => shop.close());

const ALL = ['transaction_pending', 'transaction_confirmed', 'transaction_complete'];

async function statusOf(id: string): Promise<string> {
  return (await shop.get(id)).status;
}

const alarmsOf = (id = '') =>
  shop.context.db.selectFrom('alarm').selectAll().where('resource_id', '=', id).execute();

async function frozenSince(before: string): Promise<string> {
  return formatAmount(parseAmount((await shop.balance('BTC')).frozen) - parseAmount(before));
}

describe('another coin at the address', () => {
  it('is recorded and credited, but never counts', async () => {
    const { id } = await shop.create({ kind: 'ETH' });
    await shop.pay(id, { kind: 'ETH_USDT', amount: '100' });
    await shop.mine('ETH', 12);
    const { status, amount } = await shop.get(id);
    expect(status).toBe('new');
    expect(amount.paid).toBeNull();
    const [wrong] = await shop.transactions(id);
    expect(wrong).toMatchObject({
      kind: 'ETH_USDT',
      status: 'complete',
      amount: { paid: { amount: '100', currency: 'USDT', quotes: { USD: '100' } } },
    });
    expect(await shop.balance('ETH_USDT')).toMatchObject({ available: '100' });
    await shop.pay(id);
    await shop.mine('ETH', 12);
    expect(await statusOf(id)).toBe('complete');
  });

  it('is credited to its own chain when chains share addresses', async () => {
    const { id } = await shop.create({ kind: 'ETH' });
    await shop.pay(id, { kind: 'POL', amount: '3' });
    await shop.mine('POL', 20);
    expect(await statusOf(id)).toBe('new');
    expect((await shop.transactions(id))[0]).toMatchObject({ kind: 'POL', status: 'complete' });
    const wallet = await sql<{ chain: string }>`
      select w.chain from transaction t join wallet w on w.id = t.wallet_id where t.invoice_id = ${id}`.execute(
      shop.context.db,
    );
    expect(wallet.rows).toEqual([{ chain: 'polygon' }]);
  });
});

describe('a lost payment', () => {
  it('replaced: the invoice is new again, with a callback', async () => {
    const { id } = await shop.create();
    const before = await shop.balance('BTC');
    const txid = await shop.pay(id);
    await shop.replace(txid, false);
    expect(await statusOf(id)).toBe('new');
    const [replaced] = await shop.transactions(id);
    expect(replaced?.status).toBe('replaced');
    expect(await shop.events(replaced?.id ?? '')).toEqual([
      'transaction_pending',
      'transaction_replaced',
    ]);
    expect(await shop.balance('BTC')).toEqual(before);
    expect((await shop.get(id)).amount.paid).toBeNull();
    await shop.mine('BTC', 6);
    expect(await statusOf(id)).toBe('new');
  });

  it('replaced by another payment to us: counts once', async () => {
    const { id } = await shop.create();
    const txid = await shop.pay(id);
    const second = await shop.replace(txid, true);
    await shop.mine('BTC');
    expect(await statusOf(id)).toBe('paid');
    const statuses = new Map((await shop.transactions(id)).map((row) => [row.txid, row.status]));
    expect(statuses).toEqual(
      new Map([
        [txid, 'replaced'],
        [second, 'confirmed'],
      ]),
    );
    expect((await shop.get(id)).amount.paid?.amount).toBe('0.002');
  });

  it('fee bump after the expiry: keeps its price', async () => {
    const { id } = await shop.create();
    const first = await shop.pay(id);
    await shop.advance(901);
    const second = await shop.replace(first, true);
    expect(await statusOf(id)).toBe('pending');
    await shop.advance(3_600);
    await shop.replace(second, true);
    expect(await statusOf(id)).toBe('pending');
    await shop.mine('BTC', 6);
    const { status, amount } = await shop.get(id);
    expect(status).toBe('complete');
    expect(amount.paid).toEqual({ amount: amount.invoiced.amount, currency: 'BTC' });
    expect(await shop.events(id)).toEqual([
      'invoice_pending',
      'invoice_confirmed',
      'invoice_complete',
    ]);
  });

  it('replacement of a late payment: late too', async () => {
    const { id } = await shop.create();
    await shop.advance(901);
    await shop.replace(await shop.pay(id), true);
    await shop.mine('BTC', 6);
    expect(await statusOf(id)).toBe('expired');
  });

  it('dropped from the mempool: the invoice is new, and pending when the payment returns', async () => {
    const { id } = await shop.create();
    const txid = await shop.pay(id);
    await shop.drop(txid);
    expect(await statusOf(id)).toBe('new');
    const [dropped] = await shop.transactions(id);
    expect(dropped?.status).toBe('pending');
    expect(await shop.events(dropped?.id ?? '')).toEqual(['transaction_pending']);
    await shop.advance(86_401);
    expect((await shop.transactions(id))[0]?.status).toBe('unconfirmed');
    expect(await statusOf(id)).toBe('expired');
  });

  it('failed: reported and not credited', async () => {
    const { id } = await shop.create({ kind: 'ETH' });
    const before = await shop.balance('ETH');
    const txid = await shop.pay(id);
    await shop.fail(txid);
    expect(await statusOf(id)).toBe('new');
    const [failed] = await shop.transactions(id);
    expect(failed?.status).toBe('failed');
    expect(await shop.events(failed?.id ?? '')).toEqual([
      'transaction_pending',
      'transaction_failed',
    ]);
    expect(await shop.balance('ETH')).toEqual(before);
  });

  it('lost after the expiry: the invoice changes from pending to expired', async () => {
    const { id } = await shop.create();
    const txid = await shop.pay(id);
    await shop.advance(900);
    expect(await statusOf(id)).toBe('pending');
    await shop.drop(txid);
    expect(await statusOf(id)).toBe('expired');
    expect(await shop.events(id)).toEqual(['invoice_pending']);
  });
});

describe('reorganisation', () => {
  it('before finality: invoice and money return to pending, no event repeats', async () => {
    const { id } = await shop.create();
    await shop.pay(id);
    await shop.mine('BTC', 2);
    expect(await statusOf(id)).toBe('paid');
    const before = await shop.balance('BTC');
    await shop.reorganise('BTC', 2);
    expect(await statusOf(id)).toBe('pending');
    const [back] = await shop.transactions(id);
    expect(back).toMatchObject({
      status: 'pending',
      confirmations: 0,
      executed_at: null,
      confirmed_at: null,
    });
    const after = await shop.balance('BTC');
    expect(Number(before.available) - Number(after.available)).toBeCloseTo(0.002, 8);
    await shop.mine('BTC', 6);
    expect(await statusOf(id)).toBe('complete');
    expect(await shop.events(id)).toEqual([
      'invoice_pending',
      'invoice_confirmed',
      'invoice_complete',
    ]);
    expect(await shop.events(back?.id ?? '')).toEqual(ALL);
  });

  it('that drops the payment: the invoice is new, or expired after its expiry', async () => {
    const [one, two] = [await shop.create(), await shop.create()];
    await shop.pay(one.id);
    await shop.pay(two.id);
    await shop.mine('BTC');
    await shop.reorganise('BTC', 1, true);
    expect([await statusOf(one.id), await statusOf(two.id)]).toEqual(['new', 'new']);
    await shop.advance(900);
    expect(await statusOf(one.id)).toBe('expired');
  });

  it('above the block of a final payment changes nothing', async () => {
    const { id } = await shop.create({ min_confirmations: 3 });
    await shop.pay(id);
    await shop.mine('BTC', 3);
    expect(await statusOf(id)).toBe('paid');
    const before = await shop.balance('BTC');
    // The winning branch is one block longer, so the payment gets deeper.
    await shop.reorganise('BTC', 2);
    expect(await statusOf(id)).toBe('paid');
    expect((await shop.transactions(id))[0]?.confirmations).toBe(4);
    expect(await shop.balance('BTC')).toEqual(before);
  });

  it('after finality: freezes the money and raises an alarm, no event repeats', async () => {
    const { id } = await shop.create();
    await shop.pay(id);
    await shop.mine('BTC', 6);
    const [before] = await shop.transactions(id);
    await shop.reorganise('BTC', 6);
    expect(await statusOf(id)).toBe('complete');
    const [after] = await shop.transactions(id);
    expect(after).toMatchObject({ status: 'complete', confirmations: 0 });
    expect(await alarmsOf(before?.id)).toHaveLength(1);
    expect((await shop.balance('BTC')).frozen).toBe('0.002');
    expect(await shop.events(after?.id ?? '')).toEqual(ALL);
    await shop.mine('BTC', 5);
    expect((await shop.balance('BTC')).frozen).toBe('0.002');
    await shop.mine('BTC', 1);
    expect((await shop.balance('BTC')).frozen).toBe('0');
    expect(await shop.events(after?.id ?? '')).toEqual(ALL);
    expect(await shop.events(id)).toEqual([
      'invoice_pending',
      'invoice_confirmed',
      'invoice_complete',
    ]);
  });

  it('after finality, payment already in another block: frozen until it is final there', async () => {
    const { id } = await shop.create();
    await shop.pay(id);
    await shop.mine('BTC', 6);
    const { frozen } = await shop.balance('BTC');
    await shop.world.reorganise('bitcoin', 6, false);
    await shop.mine('BTC', 2);
    const [back] = await shop.transactions(id);
    expect(back).toMatchObject({ status: 'complete', confirmations: 2 });
    expect(await frozenSince(frozen)).toBe('0.002');
    expect(await alarmsOf(back?.id)).toHaveLength(1);
    await shop.mine('BTC', 3);
    expect(await frozenSince(frozen)).toBe('0.002');
    await shop.mine('BTC', 1);
    expect(await frozenSince(frozen)).toBe('0');
    expect(await alarmsOf(back?.id)).toHaveLength(1);
    expect(await shop.events(back?.id ?? '')).toEqual(ALL);
  });

  it('after finality, payment fails in its new block: stays frozen', async () => {
    const { id } = await shop.create();
    const txid = await shop.pay(id);
    await shop.mine('BTC', 6);
    const { frozen } = await shop.balance('BTC');
    await shop.reorganise('BTC', 6);
    await shop.mine('BTC', 2);
    await shop.fail(txid);
    const [failed] = await shop.transactions(id);
    expect(failed).toMatchObject({ status: 'complete', confirmations: 0 });
    await shop.mine('BTC', 20);
    expect(await frozenSince(frozen)).toBe('0.002');
    expect(await alarmsOf(failed?.id)).toHaveLength(1);
    expect(await statusOf(id)).toBe('complete');
    expect((await shop.get(id)).amount.paid).toBeNull();
  });
});

describe('reusable address', () => {
  it('accepts any number of payments, reports transactions only and never expires', async () => {
    const invoice = await shop.create({ amount: undefined });
    expect(invoice).toMatchObject({
      status: 'new',
      expires_at: null,
      amount: {
        requested: { amount: '0', currency: 'USD' },
        invoiced: { amount: '0', currency: 'BTC' },
        paid: null,
      },
    });
    await shop.pay(invoice.id, { amount: '0.5' });
    await shop.mine('BTC', 6);
    await shop.advance(40 * 86_400);
    await shop.pay(invoice.id, { amount: '0.25' });
    await shop.mine('BTC', 6);
    const after = await shop.get(invoice.id);
    expect(after).toMatchObject({ status: 'new', amount: { paid: { amount: '0.75' } } });
    expect(await shop.events(invoice.id)).toEqual([]);
    const [first] = await shop.transactions(invoice.id);
    expect(first?.amount.paid.quotes).toEqual({ USD: '25000' });
    expect(await shop.events(first?.id ?? '')).toEqual(ALL);
  });

  it('keeps its sum correct through replacements and reorganisations', async () => {
    const { id } = await shop.create({ amount: undefined });
    const txid = await shop.pay(id, { amount: '1' });
    await shop.pay(id, { amount: '2' });
    await shop.replace(txid);
    expect((await shop.get(id)).amount.paid?.amount).toBe('2');
    await shop.mine('BTC');
    await shop.reorganise('BTC', 1, true);
    expect((await shop.get(id)).amount.paid).toBeNull();
  });
});

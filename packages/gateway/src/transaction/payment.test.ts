import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import { presentInvoice } from '../invoice/present.ts';
import { findInvoices } from '../invoice/store.ts';
import { callbacksOf, testShop, type TestShop } from '../invoice/test-shop.ts';
import { presentTransaction } from './present.ts';
import { findTransactions } from './store.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ chains: ['bitcoin', 'ethereum', 'polygon', 'xrp', 'lightning', 'liquid'] });
});
afterAll(() => shop.close());

const ALL = ['transaction_pending', 'transaction_confirmed', 'transaction_complete'];

async function statusOf(id: string): Promise<string> {
  return (await shop.get(id)).status;
}

describe('a payment in one piece', () => {
  it('takes the invoice from new over pending and paid to complete, with every event once', async () => {
    const { id } = await shop.create();
    await shop.pay(id);
    expect(await statusOf(id)).toBe('pending');
    expect(await shop.events(id)).toEqual(['invoice_pending']);
    const [seen] = await shop.transactions(id);
    expect(seen).toMatchObject({ status: 'pending', confirmations: 0, executed_at: null, confirmed_at: null });
    expect(seen?.amount).toEqual({ paid: { amount: '0.002', currency: 'BTC', quotes: { USD: '100' } } });

    await shop.mine('BTC');
    expect(await statusOf(id)).toBe('paid');
    expect(await shop.events(id)).toEqual(['invoice_pending', 'invoice_confirmed']);
    const [confirmed] = await shop.transactions(id);
    expect(confirmed).toMatchObject({ status: 'confirmed', confirmations: 1 });
    expect(confirmed?.executed_at).not.toBeNull();

    await shop.mine('BTC', 4);
    expect(await statusOf(id)).toBe('paid');
    await shop.mine('BTC');
    expect(await statusOf(id)).toBe('complete');
    expect(await shop.events(id)).toEqual(['invoice_pending', 'invoice_confirmed', 'invoice_complete']);
    const [complete] = await shop.transactions(id);
    expect(complete).toMatchObject({ status: 'complete', confirmations: 6 });
    expect(await shop.events(complete?.id ?? '')).toEqual(ALL);
    expect((await shop.get(id)).amount.paid).toEqual({ amount: '0.002', currency: 'BTC' });
  });

  it('waits for as many confirmations as the invoice wants', async () => {
    const { id } = await shop.create({ min_confirmations: 3 });
    await shop.pay(id);
    await shop.mine('BTC', 2);
    expect(await statusOf(id)).toBe('pending');
    expect((await shop.transactions(id))[0]).toMatchObject({ status: 'pending', confirmations: 2 });
    expect(await shop.events(id)).toEqual(['invoice_pending']);
    await shop.mine('BTC');
    expect(await statusOf(id)).toBe('paid');
  });

  it('on lightning is pending, confirmed and complete at once', async () => {
    const { id, lightning, address } = await shop.create({ kind: 'BTC_LIGHTNING', amount: '1' });
    expect(address).toBeNull();
    expect(lightning?.payment_request).toMatch(/^lntb/);
    await shop.pay(id);
    expect(await statusOf(id)).toBe('complete');
    expect(await shop.events(id)).toEqual(['invoice_pending', 'invoice_confirmed', 'invoice_complete']);
    const [transaction] = await shop.transactions(id);
    expect(await shop.events(transaction?.id ?? '')).toEqual(ALL);
  });

  it('to an XRP tag finds its invoice by the tag alone', async () => {
    const [one, two] = [await shop.create({ kind: 'XRP' }), await shop.create({ kind: 'XRP' })];
    expect(one.address?.split(':')[0]).toBe(two.address?.split(':')[0]);
    expect(one.address).toMatch(/^r\w+:\d+$/);
    expect(one.x_address).toMatch(/^T/);
    await shop.pay(two.id);
    await shop.mine('XRP');
    expect(await statusOf(one.id)).toBe('new');
    expect(await statusOf(two.id)).toBe('complete');
  });

  it('without a tag of ours goes to the unassigned list, once', async () => {
    const { id } = await shop.create({ kind: 'XRP' });
    const txid = await shop.pay(id, { amount: '7', tag: null });
    await shop.mine('XRP');
    await shop.settle();
    const rows = await shop.context.db.selectFrom('unassigned').selectAll().where('txid', '=', txid).execute();
    expect(rows).toMatchObject([{ chain: 'xrp', asset: 'XRP', amount: '7.000000000000000000' }]);
    expect(await statusOf(id)).toBe('new');
  });
});

describe('a sum of payments', () => {
  it('below the amount is pending, then matches with the rest', async () => {
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.0015' });
    expect(await statusOf(id)).toBe('pending');
    expect(await shop.events(id)).toEqual([]);
    await shop.mine('BTC');
    expect(await statusOf(id)).toBe('pending');
    await shop.pay(id);
    expect(await shop.events(id)).toEqual(['invoice_pending']);
    expect(await statusOf(id)).toBe('pending');
    await shop.mine('BTC');
    expect(await statusOf(id)).toBe('paid');
    expect((await shop.get(id)).amount.paid?.amount).toBe('0.002');
  });

  it('within the accepted range matches', async () => {
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.00199' });
    await shop.mine('BTC');
    expect(await statusOf(id)).toBe('paid');
    const { id: below } = await shop.create();
    await shop.pay(below, { amount: '0.00198999' });
    await shop.mine('BTC');
    expect(await statusOf(below)).toBe('pending');
  });

  it('above the amount matches, and the whole of it is shown and credited', async () => {
    const before = await shop.balance('BTC');
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.005' });
    await shop.mine('BTC');
    expect(await statusOf(id)).toBe('paid');
    expect((await shop.get(id)).amount.paid?.amount).toBe('0.005');
    expect(Number((await shop.balance('BTC')).available) - Number(before.available)).toBeCloseTo(0.005, 8);
  });

  it('is final below the amount: incomplete, once, while the price still runs', async () => {
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.001' });
    await shop.mine('BTC', 6);
    expect(await statusOf(id)).toBe('pending');
    expect(await shop.events(id)).toEqual(['invoice_incomplete']);
    await shop.advance(900);
    expect(await statusOf(id)).toBe('expired');
    expect(await shop.events(id)).toEqual(['invoice_incomplete']);
  });

  it('in two outputs of one transaction is two transactions with one txid', async () => {
    const { id } = await shop.create();
    const txid = await shop.pay(id, { outputs: ['0.0011', '0.0009'] });
    const both = await shop.transactions(id);
    expect(both.map((transaction) => transaction.txid)).toEqual([txid, txid]);
    expect(new Set(both.map((transaction) => transaction.id)).size).toBe(2);
    await shop.mine('BTC');
    expect(await statusOf(id)).toBe('paid');
  });

  it('with a custom fee is shown with and without it', async () => {
    const { id, amount, custom_fee } = await shop.create({ fee_amount: '0.0001' });
    expect(amount.invoiced).toMatchObject({ amount: '0.0021' });
    expect(custom_fee).toEqual({ amount: '0.0001', currency: 'BTC' });
    await shop.pay(id, { amount: '0.00005' });
    await shop.pay(id);
    await shop.mine('BTC');
    const { status, amount: paid } = await shop.get(id);
    expect(status).toBe('paid');
    expect(paid).toMatchObject({ paid: { amount: '0.002' }, paid_total: { amount: '0.0021' } });
    const [first, second] = await shop.transactions(id);
    expect(first?.amount).toMatchObject({ paid: { amount: '0' }, paid_total: { amount: '0.00005' } });
    expect(second?.amount).toMatchObject({ paid: { amount: '0.002', quotes: { USD: '100' } }, paid_total: { amount: '0.00205' } });
  });
});

describe('time', () => {
  it('over without a payment expires the invoice silently', async () => {
    const { id } = await shop.create({ invoice_expiration: 60 });
    await shop.advance(59);
    expect(await statusOf(id)).toBe('new');
    await shop.advance(1);
    expect(await statusOf(id)).toBe('expired');
    expect(await shop.events(id)).toEqual([]);
  });

  it('over with a part of the amount is incomplete', async () => {
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.001' });
    await shop.advance(900);
    expect(await statusOf(id)).toBe('expired');
    expect(await shop.events(id)).toEqual(['invoice_incomplete']);
    expect((await shop.get(id)).amount.paid?.amount).toBe('0.001');
  });

  it('does not touch a matching sum that was seen in time', async () => {
    const { id } = await shop.create();
    await shop.pay(id);
    await shop.advance(3 * 86_400);
    expect(await statusOf(id)).toBe('pending');
    expect((await shop.transactions(id))[0]?.status).toBe('unconfirmed');
    await shop.mine('BTC', 6);
    expect(await statusOf(id)).toBe('complete');
    expect(await shop.events(id)).toEqual(['invoice_pending', 'invoice_confirmed', 'invoice_complete']);
  });

  it('of a late payment is over: it is recorded, credited and told, and the invoice stays expired', async () => {
    const { id } = await shop.create();
    await shop.advance(900);
    const before = await shop.balance('BTC');
    await shop.pay(id);
    await shop.mine('BTC', 6);
    expect(await statusOf(id)).toBe('expired');
    expect(await shop.events(id)).toEqual([]);
    const [late] = await shop.transactions(id);
    expect(late?.status).toBe('complete');
    expect(await shop.events(late?.id ?? '')).toEqual(ALL);
    expect((await shop.get(id)).amount.paid?.amount).toBe('0.002');
    expect(Number((await shop.balance('BTC')).available)).toBeGreaterThan(Number(before.available));
  });

  it('of a top-up that came too late is over as well', async () => {
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.001' });
    await shop.advance(900);
    await shop.pay(id, { amount: '0.001' });
    await shop.mine('BTC', 6);
    expect(await statusOf(id)).toBe('expired');
    expect(await shop.events(id)).toEqual(['invoice_incomplete']);
    expect((await shop.transactions(id)).map(({ status }) => status)).toEqual(['complete', 'complete']);
  });

  it('counts from the block when nobody was watching', async () => {
    const { id } = await shop.create();
    const { payInvoice } = await import('../chain/sandbox/pay.ts');
    await payInvoice(shop.context, shop.world, { invoiceId: id });
    await shop.world.mine('bitcoin', 1);
    // The gateway was away; when it comes back the price has run out, but the block has not.
    shop.context.clock.advance(2_000_000);
    await shop.settle();
    expect(await statusOf(id)).toBe('paid');
    expect(await shop.events(id)).toEqual(['invoice_pending', 'invoice_confirmed']);
  });
});

describe('another coin at the address', () => {
  it('is a transaction and a credit of its own, and never counts', async () => {
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

  it('on another chain with the same addresses is credited to that chain', async () => {
    const { id } = await shop.create({ kind: 'ETH' });
    await shop.pay(id, { kind: 'POL', amount: '3' });
    await shop.mine('POL', 20);
    expect(await statusOf(id)).toBe('new');
    expect((await shop.transactions(id))[0]).toMatchObject({ kind: 'POL', status: 'complete' });
    const wallet = await sql<{ chain: string }>`
      select w.chain from transaction t join wallet w on w.id = t.wallet_id where t.invoice_id = ${id}`.execute(shop.context.db);
    expect(wallet.rows).toEqual([{ chain: 'polygon' }]);
  });
});

describe('a payment that is lost', () => {
  it('by a replacement makes the invoice new again and is told', async () => {
    const { id } = await shop.create();
    const before = await shop.balance('BTC');
    const txid = await shop.pay(id);
    await shop.replace(txid, false);
    expect(await statusOf(id)).toBe('new');
    const [replaced] = await shop.transactions(id);
    expect(replaced?.status).toBe('replaced');
    expect(await shop.events(replaced?.id ?? '')).toEqual(['transaction_pending', 'transaction_replaced']);
    expect(await shop.balance('BTC')).toEqual(before);
    expect((await shop.get(id)).amount.paid).toBeNull();
    await shop.mine('BTC', 6);
    expect(await statusOf(id)).toBe('new');
  });

  it('by a replacement that pays us too counts once', async () => {
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

  it('from the mempool is not replaced; the invoice is new, and pending when it comes back', async () => {
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

  it('because it failed is told and not credited', async () => {
    const { id } = await shop.create({ kind: 'ETH' });
    const before = await shop.balance('ETH');
    const txid = await shop.pay(id);
    await shop.fail(txid);
    expect(await statusOf(id)).toBe('new');
    const [failed] = await shop.transactions(id);
    expect(failed?.status).toBe('failed');
    expect(await shop.events(failed?.id ?? '')).toEqual(['transaction_pending', 'transaction_failed']);
    expect(await shop.balance('ETH')).toEqual(before);
  });

  it('when the time is over takes the invoice from pending to expired', async () => {
    const { id } = await shop.create();
    const txid = await shop.pay(id);
    await shop.advance(900);
    expect(await statusOf(id)).toBe('pending');
    await shop.drop(txid);
    expect(await statusOf(id)).toBe('expired');
    expect(await shop.events(id)).toEqual(['invoice_pending']);
  });
});

describe('a reorganisation', () => {
  it('before the end takes paid back to pending and the money back to pending, and repeats no event', async () => {
    const { id } = await shop.create();
    await shop.pay(id);
    await shop.mine('BTC', 2);
    expect(await statusOf(id)).toBe('paid');
    const before = await shop.balance('BTC');
    await shop.reorganise('BTC', 2);
    expect(await statusOf(id)).toBe('pending');
    const [back] = await shop.transactions(id);
    expect(back).toMatchObject({ status: 'pending', confirmations: 0, executed_at: null, confirmed_at: null });
    const after = await shop.balance('BTC');
    expect(Number(before.available) - Number(after.available)).toBeCloseTo(0.002, 8);
    await shop.mine('BTC', 6);
    expect(await statusOf(id)).toBe('complete');
    expect(await shop.events(id)).toEqual(['invoice_pending', 'invoice_confirmed', 'invoice_complete']);
    expect(await shop.events(back?.id ?? '')).toEqual(ALL);
  });

  it('that drops the payment makes the invoice new again, and expired when its time is over', async () => {
    const [one, two] = [await shop.create(), await shop.create()];
    await shop.pay(one.id);
    await shop.pay(two.id);
    await shop.mine('BTC');
    await shop.reorganise('BTC', 1, true);
    expect([await statusOf(one.id), await statusOf(two.id)]).toEqual(['new', 'new']);
    await shop.advance(900);
    expect(await statusOf(one.id)).toBe('expired');
  });

  it('that does not reach it lowers nothing that was final', async () => {
    const { id } = await shop.create({ min_confirmations: 3 });
    await shop.pay(id);
    await shop.mine('BTC', 3);
    expect(await statusOf(id)).toBe('paid');
    const before = await shop.balance('BTC');
    // The branch that wins has one block more than the one that it replaces, so the payment gets deeper.
    await shop.reorganise('BTC', 2);
    expect(await statusOf(id)).toBe('paid');
    expect((await shop.transactions(id))[0]?.confirmations).toBe(4);
    expect(await shop.balance('BTC')).toEqual(before);
  });

  it('after the end freezes the money, raises an alarm and repeats no event', async () => {
    const { id } = await shop.create();
    await shop.pay(id);
    await shop.mine('BTC', 6);
    const [before] = await shop.transactions(id);
    await shop.reorganise('BTC', 6);
    expect(await statusOf(id)).toBe('complete');
    const [after] = await shop.transactions(id);
    expect(after).toMatchObject({ status: 'complete', confirmations: 0 });
    const alarms = await shop.context.db
      .selectFrom('alarm')
      .selectAll()
      .where('resource_id', '=', before?.id ?? '')
      .execute();
    expect(alarms).toHaveLength(1);
    expect((await shop.balance('BTC')).frozen).toBe('0.002');
    expect(await shop.events(after?.id ?? '')).toEqual(ALL);
    await shop.mine('BTC', 5);
    expect((await shop.balance('BTC')).frozen).toBe('0.002');
    await shop.mine('BTC', 1);
    expect((await shop.balance('BTC')).frozen).toBe('0');
    expect(await shop.events(after?.id ?? '')).toEqual(ALL);
    expect(await shop.events(id)).toEqual(['invoice_pending', 'invoice_confirmed', 'invoice_complete']);
  });
});

describe('a reusable address', () => {
  it('takes any number of payments, tells transactions only, and never expires', async () => {
    const invoice = await shop.create({ amount: undefined });
    expect(invoice).toMatchObject({
      status: 'new',
      expires_at: null,
      amount: { requested: { amount: '0', currency: 'USD' }, invoiced: { amount: '0', currency: 'BTC' }, paid: null },
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

  it('keeps its sum right through replacements and reorganisations', async () => {
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

describe('callbacks', () => {
  it('carry the resource exactly as a GET shows it at that moment', async () => {
    const { id } = await shop.create({ passthrough: 'ä"\\ü' });
    const compare = async (): Promise<void> => {
      const [view] = await findInvoices(shop.context.db, [id]);
      const newest = (await callbacksOf(shop.context, id)).at(-1);
      expect(JSON.parse(newest?.body ?? '')).toMatchObject({
        callback_status: newest?.event,
        result: presentInvoice(view!),
        invoice: presentInvoice(view!),
      });
      const [transaction] = await shop.transactions(id);
      const told = (await callbacksOf(shop.context, transaction?.id ?? '')).at(-1);
      const [shown] = await findTransactions(shop.context.db, [transaction?.id ?? '']);
      expect(JSON.parse(told?.body ?? '')).toMatchObject({
        callback_status: told?.event,
        result: presentTransaction(shown!),
        transaction: presentTransaction(shown!),
      });
    };
    await shop.pay(id);
    await compare();
    await shop.mine('BTC');
    await compare();
    await shop.mine('BTC', 5);
    await compare();
  });
});

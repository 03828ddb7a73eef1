import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presentInvoice } from '../invoice/present.ts';
import { findInvoices } from '../invoice/store.ts';
import { callbacksOf, testShop, type TestShop } from '../../test/support/shop.ts';
import { presentTransaction } from '../transaction/present.ts';
import { findTransactions } from '../transaction/views.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ chains: ['bitcoin', 'xrp', 'lightning'] });
});
afterAll(() => shop.close());

const ALL = ['transaction_pending', 'transaction_confirmed', 'transaction_complete'];

async function statusOf(id: string): Promise<string> {
  return (await shop.get(id)).status;
}

describe('single payment', () => {
  it('takes the invoice from new via pending and paid to complete, with each event once', async () => {
    const { id } = await shop.create();
    await shop.pay(id);
    expect(await statusOf(id)).toBe('pending');
    expect(await shop.events(id)).toEqual(['invoice_pending']);
    const [seen] = await shop.transactions(id);
    expect(seen).toMatchObject({
      status: 'pending',
      confirmations: 0,
      executed_at: null,
      confirmed_at: null,
    });
    expect(seen?.amount).toEqual({
      paid: { amount: '0.002', currency: 'BTC', quotes: { USD: '100' } },
    });

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
    expect(await shop.events(id)).toEqual([
      'invoice_pending',
      'invoice_confirmed',
      'invoice_complete',
    ]);
    const [complete] = await shop.transactions(id);
    expect(complete).toMatchObject({ status: 'complete', confirmations: 6 });
    expect(await shop.events(complete?.id ?? '')).toEqual(ALL);
    expect((await shop.get(id)).amount.paid).toEqual({ amount: '0.002', currency: 'BTC' });
  });

  it('waits for the confirmations of the invoice', async () => {
    const { id } = await shop.create({ min_confirmations: 3 });
    await shop.pay(id);
    await shop.mine('BTC', 2);
    expect(await statusOf(id)).toBe('pending');
    expect((await shop.transactions(id))[0]).toMatchObject({ status: 'pending', confirmations: 2 });
    expect(await shop.events(id)).toEqual(['invoice_pending']);
    await shop.mine('BTC');
    expect(await statusOf(id)).toBe('paid');
  });

  it.each([
    ['BTC', 5, 5, ['pending', 'paid', 'complete']],
    ['BTC', 6, 6, ['pending', 'complete']],
    // More confirmations than the final depth are not required.
    ['BTC', 1000, 6, ['pending', 'complete']],
    ['XRP', 6, 1, ['pending', 'complete']],
  ] as const)(
    'of %s waits for the %i confirmations of the profile, at most for the final depth',
    async (kind, asked, needed, statuses) => {
      const of = shop.context.db.updateTable('profile_currency').where('kind', '=', kind);
      await of.set({ min_confirmations: asked }).execute();
      try {
        const { id, min_confirmations } = await shop.create({ kind });
        expect(min_confirmations).toBe(needed);
        await shop.pay(id);
        const seen = [await statusOf(id)];
        for (let depth = 1; depth <= 6; depth += 1) {
          await shop.mine(kind);
          const status = await statusOf(id);
          expect([depth, status === 'pending']).toEqual([depth, depth < needed]);
          if (status !== seen.at(-1)) seen.push(status);
        }
        expect(seen).toEqual(statuses);
        expect(await shop.events(id)).toEqual([
          'invoice_pending',
          'invoice_confirmed',
          'invoice_complete',
        ]);
      } finally {
        await of.set({ min_confirmations: 1 }).execute();
      }
    },
  );

  it('on lightning completes immediately', async () => {
    const { id, lightning, address } = await shop.create({ kind: 'BTC_LIGHTNING', amount: '1' });
    expect(address).toBeNull();
    expect(lightning?.payment_request).toMatch(/^lntb/);
    await shop.pay(id);
    expect(await statusOf(id)).toBe('complete');
    expect(await shop.events(id)).toEqual([
      'invoice_pending',
      'invoice_confirmed',
      'invoice_complete',
    ]);
    const [transaction] = await shop.transactions(id);
    expect(await shop.events(transaction?.id ?? '')).toEqual(ALL);
  });

  it('on XRP is matched by its tag', async () => {
    const [one, two] = [await shop.create({ kind: 'XRP' }), await shop.create({ kind: 'XRP' })];
    expect(one.address?.split(':')[0]).toBe(two.address?.split(':')[0]);
    expect(one.address).toMatch(/^r\w+:\d+$/);
    expect(one.x_address).toMatch(/^T/);
    await shop.pay(two.id);
    await shop.mine('XRP');
    expect(await statusOf(one.id)).toBe('new');
    expect(await statusOf(two.id)).toBe('complete');
  });

  it('with an unknown tag becomes unassigned funds, once', async () => {
    const { id } = await shop.create({ kind: 'XRP' });
    const txid = await shop.pay(id, { amount: '7', tag: null });
    await shop.mine('XRP');
    await shop.settle();
    const rows = await shop.context.db
      .selectFrom('unassigned')
      .selectAll()
      .where('txid', '=', txid)
      .execute();
    expect(rows).toMatchObject([{ chain: 'xrp', asset: 'XRP', amount: '7.000000000000000000' }]);
    expect(await statusOf(id)).toBe('new');
  });
});

describe('several payments', () => {
  it('are pending below the amount, then match with the rest', async () => {
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

  it('match within the accepted range', async () => {
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.00199' });
    await shop.mine('BTC');
    expect(await statusOf(id)).toBe('paid');
    const { id: below } = await shop.create();
    await shop.pay(below, { amount: '0.00198999' });
    await shop.mine('BTC');
    expect(await statusOf(below)).toBe('pending');
  });

  it('match above the amount and are credited in full', async () => {
    const before = await shop.balance('BTC');
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.005' });
    await shop.mine('BTC');
    expect(await statusOf(id)).toBe('paid');
    expect((await shop.get(id)).amount.paid?.amount).toBe('0.005');
    expect(Number((await shop.balance('BTC')).available) - Number(before.available)).toBeCloseTo(
      0.005,
      8,
    );
  });

  it('final below the amount: incomplete once, while the price is valid', async () => {
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.001' });
    await shop.mine('BTC', 6);
    expect(await statusOf(id)).toBe('pending');
    expect(await shop.events(id)).toEqual(['invoice_incomplete']);
    await shop.advance(900);
    expect(await statusOf(id)).toBe('expired');
    expect(await shop.events(id)).toEqual(['invoice_incomplete']);
  });

  it('two outputs of one transaction are two transactions with one txid', async () => {
    const { id } = await shop.create();
    const txid = await shop.pay(id, { outputs: ['0.0011', '0.0009'] });
    const both = await shop.transactions(id);
    expect(both.map((transaction) => transaction.txid)).toEqual([txid, txid]);
    expect(new Set(both.map((transaction) => transaction.id)).size).toBe(2);
    await shop.mine('BTC');
    expect(await statusOf(id)).toBe('paid');
  });

  it('with a custom fee show net and gross amounts', async () => {
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
    expect(first?.amount).toMatchObject({
      paid: { amount: '0' },
      paid_total: { amount: '0.00005' },
    });
    expect(second?.amount).toMatchObject({
      paid: { amount: '0.002', quotes: { USD: '100' } },
      paid_total: { amount: '0.00205' },
    });
  });
});

describe('expiry', () => {
  it('without a payment expires the invoice without a callback', async () => {
    const { id } = await shop.create({ invoice_expiration: 60 });
    await shop.advance(59);
    expect(await statusOf(id)).toBe('new');
    await shop.advance(1);
    expect(await statusOf(id)).toBe('expired');
    expect(await shop.events(id)).toEqual([]);
  });

  it('with a partial payment is incomplete', async () => {
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.001' });
    await shop.advance(900);
    expect(await statusOf(id)).toBe('expired');
    expect(await shop.events(id)).toEqual(['invoice_incomplete']);
    expect((await shop.get(id)).amount.paid?.amount).toBe('0.001');
  });

  it('does not affect a matching sum seen in time', async () => {
    const { id } = await shop.create();
    await shop.pay(id);
    await shop.advance(3 * 86_400);
    expect(await statusOf(id)).toBe('pending');
    expect((await shop.transactions(id))[0]?.status).toBe('unconfirmed');
    await shop.mine('BTC', 6);
    expect(await statusOf(id)).toBe('complete');
    expect(await shop.events(id)).toEqual([
      'invoice_pending',
      'invoice_confirmed',
      'invoice_complete',
    ]);
  });

  it('late payment: recorded, credited and reported, the invoice stays expired', async () => {
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

  it('late second payment: the invoice stays expired', async () => {
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.001' });
    await shop.advance(900);
    await shop.pay(id, { amount: '0.001' });
    await shop.mine('BTC', 6);
    expect(await statusOf(id)).toBe('expired');
    expect(await shop.events(id)).toEqual(['invoice_incomplete']);
    expect((await shop.transactions(id)).map(({ status }) => status)).toEqual([
      'complete',
      'complete',
    ]);
  });

  it('uses the block time after a downtime', async () => {
    const { id } = await shop.create();
    const { payInvoice } = await import('../sandbox/pay.ts');
    await payInvoice(shop.context, shop.world, { invoiceId: id });
    await shop.world.mine('bitcoin', 1);
    // The gateway was down: the price has expired since, but the block is older.
    shop.context.clock.advance(2_000_000);
    await shop.settle();
    expect(await statusOf(id)).toBe('paid');
    expect(await shop.events(id)).toEqual(['invoice_pending', 'invoice_confirmed']);
  });
});

describe('callbacks', () => {
  it('carry the resource exactly as a GET returns it', async () => {
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
      const sent = (await callbacksOf(shop.context, transaction?.id ?? '')).at(-1);
      const [shown] = await findTransactions(shop.context.db, [transaction?.id ?? '']);
      expect(JSON.parse(sent?.body ?? '')).toMatchObject({
        callback_status: sent?.event,
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

import { describe, expect, it } from 'vitest';
import { type Bench, type Json, choose, setUp } from '../../../test/support/bench.ts';

const at = async (bench: Bench, id: string): Promise<Json> =>
  (await bench.get(`/checkouts/${id}`)).body;

/** The view after the next poll. */
async function later(bench: Bench, id: string, seconds = 16): Promise<Json> {
  await at(bench, id);
  bench.advance(seconds);
  return at(bench, id);
}

const statuses = ({ received }: Json): string[] => received.map(({ status }: Json) => status);

describe('a dropped payment', () => {
  it('does not count, is due again with a note, and counts when it returns', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const paid = bench.service.pay(payment.invoice_id);
    await bench.call('transaction_pending', paid.id);
    expect(await at(bench, id)).toMatchObject({ stage: 'seen', notes: ['test_network'] });
    bench.service.drop(paid);
    const gone = await later(bench, id);
    expect(gone).toMatchObject({
      stage: 'pay',
      notes: ['dropped', 'test_network'],
      payment: { paid: '0', remaining: payment.due },
    });
    expect(gone.received).toMatchObject([{ txid: paid.txid, status: 'dropped', value: null }]);
    expect(gone.coins.length).toBeGreaterThan(1);
    bench.service.drop(paid, false);
    expect(await later(bench, id)).toMatchObject({ stage: 'seen', notes: ['test_network'] });
  });

  it('after a reorganisation is due again, and the shop gets `reversed`', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const paid = bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await bench.call('invoice_confirmed', payment.invoice_id);
    expect((await at(bench, id)).stage).toBe('paid');
    bench.service.drop(paid);
    expect(await later(bench, id)).toMatchObject({
      stage: 'pay',
      notes: ['dropped', 'test_network'],
    });
    await bench.bff.tick();
    expect(bench.events.map(({ event }) => event)).toEqual([
      'checkout.seen',
      'checkout.paid',
      'checkout.reversed',
    ]);
    // An unconfirmed one is not reversed.
    const again = bench.service.pay(payment.invoice_id);
    await bench.call('transaction_pending', again.id);
    expect(await at(bench, id)).toMatchObject({ stage: 'seen', notes: ['test_network'] });
  });

  it('leaves other payments of the invoice unchanged', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const parts = ['0.0003', '0.0002', '0.0005'].map((amount) =>
      bench.service.pay(payment.invoice_id, { amount }),
    );
    await bench.call('invoice_pending', payment.invoice_id);
    expect((await at(bench, id)).stage).toBe('seen');
    bench.service.drop(parts[1]!);
    const view = await later(bench, id);
    expect(view).toMatchObject({
      stage: 'underpaid',
      payment: { paid: '0.0008', remaining: '0.0002' },
    });
    expect(statuses(view)).toEqual(['pending', 'dropped', 'pending']);
  });

  it('stays dropped when another payment comes, also in the same reading', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const lost = bench.service.pay(payment.invoice_id);
    await bench.call('transaction_pending', lost.id);
    bench.service.drop(lost);
    expect((await later(bench, id)).stage).toBe('pay');
    bench.service.pay(payment.invoice_id, { amount: '0.0004' });
    const view = await later(bench, id);
    expect(view.stage).toBe('underpaid');
    expect(statuses(view)).toEqual(['dropped', 'pending']);
  });

  it('can be a late payment', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    bench.advance(1000);
    const late = bench.service.pay(payment.invoice_id);
    await bench.call('transaction_pending', late.id);
    expect((await at(bench, id)).stage).toBe('late');
    bench.service.drop(late);
    expect(await later(bench, id, 70)).toMatchObject({
      stage: 'expired',
      notes: ['dropped', 'test_network'],
    });
  });
});

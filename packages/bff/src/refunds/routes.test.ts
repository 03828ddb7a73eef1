import { describe, expect, it } from 'vitest';
import { type Bench, choose, setUp, token } from '../../test/support/bench.ts';

const ADDRESS = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';

/** A checkout with a payment that came too late. */
async function payLate(bench: Bench) {
  const { id, payment, order } = await choose(bench);
  bench.advance(901);
  const late = bench.service.pay(payment.invoice_id, { confirmations: 6 });
  await bench.call('transaction_complete', late.id);
  const ask = (more: Record<string, unknown> = {}) =>
    bench.post(`/checkouts/${id}/refund`, { transaction: late.txid, address: ADDRESS, ...more });
  return { id, late, order, ask };
}

const sent = ({ service }: Bench) =>
  service.requests.findLast(({ path }) => path === '/v1/refunds/');

describe('a request for a refund', () => {
  it('by a link is passed on without proof', async () => {
    const bench = setUp();
    const { ask, late, id } = await payLate(bench);
    const { status, body } = await ask({ amount: '100' });
    expect([status, body.refund]).toEqual([
      200,
      {
        transaction: late.txid,
        kind: 'BTC',
        amount: '0.001',
        received: '0.001',
        address: ADDRESS,
        status: 'requested',
        txid: null,
      },
    ]);
    expect(sent(bench)?.payload).toMatchObject({ transaction_id: late.id, is_proven: false });
    expect(sent(bench)?.payload).not.toHaveProperty('amount');
    await bench.call('refund_requested', '', {
      result: { id: 'refund', invoice_id: late.invoiceId },
    });
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('expired');
    expect((await ask()).status).toBe(409);
  });

  it('is shown in the view and sent to the shop, and so is the payment', async () => {
    const bench = setUp();
    const { ask, late, id } = await payLate(bench);
    await ask();
    const call = (event: string) =>
      bench.call(event, '', { result: { id: 'refund', invoice_id: late.invoiceId } });
    await call('refund_requested');
    const shown = { transaction: late.txid, amount: '0.001', kind: 'BTC', address: ADDRESS };
    expect((await bench.get(`/checkouts/${id}`)).body.refunds).toEqual([
      { ...shown, status: 'requested', txid: null },
    ]);
    Object.assign(bench.service.refunds[0]!, { status: 'paid', txid: 'f00d' });
    await call('refund_paid');
    await call('refund_paid');
    expect((await bench.get(`/checkouts/${id}`)).body.refunds).toEqual([
      { ...shown, status: 'paid', txid: 'f00d' },
    ]);
    const events = bench.events.filter(({ event }) => event.includes('refund'));
    expect(events.map(({ event, refund }) => [event, refund?.txid, refund?.is_proven])).toEqual([
      ['checkout.refund_requested', null, false],
      ['checkout.refunded', 'f00d', false],
    ]);
  });

  it('with a fresh order token is proven, and with an expired one is not', async () => {
    const bench = setUp();
    const { ask, order } = await payLate(bench);
    const claims = { order_id: order.order_id };
    await ask({
      order: token({ ...claims, exp: Math.floor(bench.service.time / 1000) - 60 }),
      estimate: true,
    });
    expect(sent(bench)?.payload).toMatchObject({ is_proven: false, estimate_only: true });
    const { status } = await ask({
      order: token({ ...claims, exp: Math.floor(bench.service.time / 1000) + 600 }),
    });
    expect([status, sent(bench)?.payload]).toEqual([
      200,
      expect.objectContaining({ is_proven: true }),
    ]);
  });

  it('with a token of another order or secret is refused', async () => {
    const bench = setUp();
    const { ask } = await payLate(bench);
    const exp = Math.floor(bench.service.time / 1000) + 600;
    const other = await ask({ order: token({ order_id: 'another', exp }) });
    expect([other.status, other.body.reason]).toEqual([400, 'ValidationError']);
    const forged = await ask({ order: token({ exp }, { secret: 'x'.repeat(40) }) });
    expect(forged.status).toBe(401);
    expect(sent(bench)).toBeUndefined();
  });

  it('is refused for a payment of another order, and for a wrong address', async () => {
    const bench = setUp();
    const { ask } = await payLate(bench);
    expect((await ask({ transaction: 'unknown' })).status).toBe(404);
    const { status, body } = await ask({ address: 'nowhere' });
    expect([status, body.reason]).toEqual([400, 'InvalidAddress']);
  });

  it('is refused for a payment that the shop accepted', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { ask } = await payLate(bench);
    const { status, body } = await ask();
    expect([status, body.reason]).toEqual([409, 'InvalidState']);
    expect(sent(bench)).toBeUndefined();
  });

  it('is refused for a part of an order that another coin completed', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const half = bench.service.pay(payment.invoice_id, { amount: '0.0005', confirmations: 6 });
    await bench.call('transaction_complete', half.id);
    const { body } = await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' });
    const rest = bench.service.pay(body.payment.invoice_id, { confirmations: 6 });
    await bench.call('transaction_complete', rest.id);
    bench.service.refundable.push({
      transaction_id: half.id,
      kind: 'BTC',
      cause: 'expired',
      amount: { amount: '0.0005', currency: 'BTC' },
      is_ready: true,
    });
    const refused = await bench.post(`/checkouts/${id}/refund`, {
      transaction: half.txid,
      address: ADDRESS,
    });
    expect([refused.status, refused.body.reason]).toEqual([409, 'InvalidState']);
    expect(sent(bench)).toBeUndefined();
  });
});

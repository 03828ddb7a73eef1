import { describe, expect, it } from 'vitest';
import { type Bench, choose, setUp } from '../../../test/support/bench.ts';

describe('a late payment', () => {
  it('is for the shop to decide by default', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    await payLate(bench, payment.invoice_id);
    const { body } = await bench.get(`/checkouts/${id}`);
    expect(body).toMatchObject({
      stage: 'late',
      payment: { late: '0.001', paid: '0', overpaid: null, renewable: false, extendable: false },
    });
    expect(body.notes).toEqual(['test_network']);
    // The shop may ask to pay again: any coin can be chosen and gets a new invoice.
    expect(body.coins.length).toBeGreaterThan(0);
    const again = (await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })).body;
    expect([again.stage, again.payment.due]).toEqual(['pay', '0.001']);
    expect(again.payment.invoice_id).not.toBe(payment.invoice_id);
  });

  it('leaves all coins available, including its own', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    await payLate(bench, payment.invoice_id);
    for (const kind of ['LTC', 'BTC']) {
      const { status, body } = await bench.post(`/checkouts/${id}/payment`, { kind });
      expect([status, body.stage, body.payment.kind, body.payment.remaining]).toEqual([
        200,
        'pay',
        kind,
        body.payment.due,
      ]);
      expect(body.payment.invoice_id).not.toBe(payment.invoice_id);
    }
  });

  it('is shown on the page of a longer quote too, with its address', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const exchange = (
      await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC', from: 'exchange' })
    ).body;
    expect(exchange.payment.invoice_id).not.toBe(payment.invoice_id);
    await payLate(bench, payment.invoice_id);
    const { body } = await bench.get(`/checkouts/${id}`);
    expect(body).toMatchObject({
      stage: 'late',
      payment: { invoice_id: payment.invoice_id, late: '0.001' },
    });
    expect(body.payment.transactions).toHaveLength(1);
    const again = (await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC', from: 'exchange' }))
      .body;
    expect([again.stage, again.payment.invoice_id === exchange.payment.invoice_id]).toEqual([
      'pay',
      false,
    ]);
  });

  it('counts at the price of its arrival with LATE_PAYMENTS=accept, and the shop is notified', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { id, payment } = await choose(bench);
    await rate(bench, 'BTC', '50000');
    const late = await payLate(bench, payment.invoice_id);
    const { body } = await bench.get(`/checkouts/${id}`);
    expect(body).toMatchObject({
      stage: 'seen',
      notes: ['late_accepted', 'test_network'],
      payment: { late: '0.001', paid: '0.001' },
    });
    bench.service.confirm(late, 1);
    await bench.call('transaction_confirmed', late.id);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('paid');
    expect(bench.events.map(({ event }) => event)).toEqual([
      'checkout.seen',
      'checkout.late',
      'checkout.paid',
    ]);
    for (const { notes } of bench.events) expect(notes).toContain('late_accepted');
    expect(bench.events.at(-1)).toMatchObject({ paid: '50', stage: 'paid' });
  });

  it('that is accepted cannot be refunded any more', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { payment } = await choose(bench);
    const late = await payLate(bench, payment.invoice_id);
    expect(late.accepted).toBe(true);
  });

  it('does not count when its refund was requested before', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { id, payment } = await choose(bench);
    bench.advance(901);
    const late = bench.service.pay(payment.invoice_id);
    late.refunded = late.amount;
    await bench.call('transaction_pending', late.id);
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({
      stage: 'expired',
      payment: { paid: '0', late: null },
    });
    expect(bench.events).toEqual([]);
  });

  it('counts again when its refund was rejected', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const late = await payLate(bench, payment.invoice_id);
    late.refunded = late.amount;
    const body = { id: 'refund', invoice_id: payment.invoice_id };
    await bench.call('refund_requested', '', { result: body });
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('expired');
    delete late.refunded;
    await bench.call('refund_rejected', '', { result: body });
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('late');
  });

  it('at the price of the quote completes the order exactly', async () => {
    const bench = setUp({ latePayments: 'accept' });
    // 1,000 EUR at 1.1 dollars, in coins of 0.1 dollars.
    const { id, payment } = await choose(bench, 'DOGE', { amount: '1000', currency: 'EUR' });
    const late = await payLate(bench, payment.invoice_id);
    bench.service.confirm(late, 1);
    await bench.call('transaction_confirmed', late.id);
    const { body } = await bench.get(`/checkouts/${id}`);
    expect(body).toMatchObject({
      stage: 'paid',
      received: [{ amount: '11000', value: '1000.00', late: true }],
    });
    expect(bench.events.at(-1)).toMatchObject({ paid: '1000' });
  });

  it('that is worth less leaves a rest for any coin', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { id, payment } = await choose(bench);
    await rate(bench, 'BTC', '40000');
    await payLate(bench, payment.invoice_id);
    const { body } = await bench.get(`/checkouts/${id}`);
    expect(body).toMatchObject({ stage: 'underpaid', payment: { renewable: true } });
    const ltc = (await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' })).body;
    expect(ltc.payment).toMatchObject({ due: '0.1', remaining: '0.1' });
    const btc = (await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })).body;
    expect(btc.payment).toMatchObject({ due: '0.00025' });
    expect(btc.payment.invoice_id).not.toBe(payment.invoice_id);
  });

  it('is reported before its consequences, also in one reading', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { payment } = await choose(bench);
    bench.advance(901);
    const late = bench.service.pay(payment.invoice_id, { confirmations: 6 });
    await bench.call('transaction_complete', late.id);
    expect(bench.events.map(({ event }) => event)).toEqual([
      'checkout.seen',
      'checkout.late',
      'checkout.paid',
      'checkout.complete',
    ]);
  });

  it('keeps its value when rates, settings or processes change', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { id, payment } = await choose(bench);
    await rate(bench, 'BTC', '40000');
    const late = await payLate(bench, payment.invoice_id);
    await rate(bench, 'BTC', '90000');
    bench.service.confirm(late, 1);
    await bench.call('transaction_confirmed', late.id);
    bench.restart({ latePayments: 'ask' });
    const { body } = await bench.get(`/checkouts/${id}`);
    expect(body).toMatchObject({ stage: 'underpaid', notes: ['late_accepted', 'test_network'] });
    expect(bench.events.at(-1)).toMatchObject({ paid: '40' });
  });

  it('found a day later has no known price and is for the shop to decide', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { id, payment } = await choose(bench);
    bench.advance(901);
    const late = bench.service.pay(payment.invoice_id);
    bench.advance(86_400);
    await bench.call('transaction_pending', late.id);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('late');
    // It counts for nothing, so the buyer can ask for it back.
    expect(late.accepted).not.toBe(true);
  });

  it('from before the setting changed stays for the shop to decide', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const late = await payLate(bench, payment.invoice_id);
    bench.advance(4000);
    bench.restart({ latePayments: 'accept' });
    bench.service.confirm(late, 1);
    await bench.call('transaction_confirmed', late.id);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('late');
  });

  it('does not count after it is replaced', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { id, payment } = await choose(bench);
    const late = await payLate(bench, payment.invoice_id);
    bench.service.confirm(late, 0, 'replaced');
    await bench.call('transaction_replaced', late.id);
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({
      stage: 'expired',
      payment: { late: null, renewable: true },
    });
  });

  it('in another coin is never accepted', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { id, payment } = await choose(bench, 'ETH');
    bench.advance(901);
    const wrong = bench.service.pay(payment.invoice_id, { kind: 'ETH_USDT', amount: '50' });
    await bench.call('transaction_pending', wrong.id);
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({
      stage: 'expired',
      notes: ['wrong_coin', 'test_network'],
    });
  });

  it('counts for an invoice without an order too', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { payment } = await choose(bench);
    const invoice = bench.service.invoice(payment.invoice_id);
    invoice.passthrough = null;
    const other = setUp({ latePayments: 'accept', fetch: bench.service.fetch });
    bench.advance(901);
    other.clock.now = bench.clock.now;
    const late = bench.service.pay(payment.invoice_id, { confirmations: 1 });
    expect((await other.get(`/checkouts/${payment.invoice_id}`)).body).toMatchObject({
      stage: 'paid',
      notes: ['late_accepted', 'test_network'],
    });
    expect(late.status).toBe('confirmed');
  });
});

describe('an overpayment', () => {
  it('is shown exactly, in the coin', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const paid = bench.service.pay(payment.invoice_id, { amount: '0.0015', confirmations: 1 });
    await bench.call('transaction_confirmed', paid.id);
    const { body } = await bench.get(`/checkouts/${id}`);
    expect(body).toMatchObject({
      stage: 'paid',
      notes: ['overpaid', 'test_network'],
      payment: { overpaid: '0.0005', late: null },
    });
  });

  it('is not shown within the tolerance', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const paid = bench.service.pay(payment.invoice_id, { amount: '0.001004', confirmations: 1 });
    await bench.call('transaction_confirmed', paid.id);
    expect((await bench.get(`/checkouts/${id}`)).body.payment.overpaid).toBeNull();
  });
});

describe('the offered coins', () => {
  it('are listed while one can be chosen', async () => {
    const bench = setUp();
    const { id, payment, coins } = await choose(bench);
    expect(coins.length).toBeGreaterThan(0);
    bench.advance(901);
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({
      stage: 'expired',
      payment: { renewable: true },
    });
    expect((await bench.get(`/checkouts/${id}`)).body.coins).toEqual(coins);
    await bench.post(`/checkouts/${id}/renew`, {});
    const failed = bench.service.pay(payment.invoice_id);
    bench.service.confirm(failed, 0, 'failed');
    await bench.call('transaction_failed', failed.id);
    const afterFailure = (await bench.get(`/checkouts/${id}`)).body;
    expect([afterFailure.stage, afterFailure.coins.length]).toEqual(['failed', coins.length]);
    const held = bench.service.pay(payment.invoice_id);
    bench.service.confirm(held, 0, 'quarantined');
    await bench.call('transaction_quarantined', held.id);
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({ stage: 'held', coins: [] });
    bench.service.confirm(held, 1);
    await bench.call('transaction_confirmed', held.id);
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({ stage: 'paid', coins: [] });
  });
});

async function payLate(bench: Bench, invoiceId: string) {
  bench.advance(901);
  const late = bench.service.pay(invoiceId);
  await bench.call('transaction_pending', late.id);
  return late;
}

/** Rates are reloaded after some minutes, with the next request. */
async function rate(bench: Bench, symbol: string, value: string): Promise<void> {
  bench.service.rates[symbol] = value;
  bench.advance(400);
  for (let tries = 0; tries < 2; tries += 1) {
    await bench.get(`/checkouts/${bench.service.invoices[0]?.id}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

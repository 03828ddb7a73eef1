import { describe, expect, it } from 'vitest';
import { type Bench, choose, setUp } from '../../test/support/bench.ts';

describe('a payment in another coin', () => {
  it('is reported once, with the payment', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'ETH', { order_id: 'A-7' });
    const wrong = bench.service.pay(payment.invoice_id, { kind: 'ETH_USDT', amount: '18.5' });
    await bench.call('transaction_pending', wrong.id);
    bench.service.confirm(wrong, 1);
    await bench.call('transaction_confirmed', wrong.id);
    expect(bench.events).toEqual([
      expect.objectContaining({
        event: 'checkout.wrong_coin',
        checkout_id: id,
        order_id: 'A-7',
        stage: 'pay',
        notes: ['wrong_coin', 'test_network'],
        paid: '0',
        payment: {
          transaction_id: wrong.id,
          txid: wrong.txid,
          kind: 'ETH_USDT',
          amount: '18.5',
        },
      }),
    ]);
  });

  it('is reported for each payment, and not when it is replaced', async () => {
    const bench = setUp();
    const { payment } = await choose(bench, 'ETH');
    const [first, second] = ['5', '6'].map((amount) =>
      bench.service.pay(payment.invoice_id, { kind: 'ETH_USDT', amount }),
    );
    bench.service.confirm(second!, 0, 'replaced');
    await bench.call('transaction_pending', first!.id);
    const third = bench.service.pay(payment.invoice_id, { kind: 'ETH_USDT', amount: '7' });
    await bench.call('transaction_pending', third.id);
    expect(paymentsOf(bench, 'checkout.wrong_coin')).toEqual([first!.id, third.id]);
  });
});

describe('a little of another coin, sent after the payment', () => {
  it('takes the place of the payment in no event', async () => {
    const bench = setUp();
    const { payment } = await choose(bench, 'ETH');
    const paid = bench.service.pay(payment.invoice_id);
    bench.advance(5);
    const dust = bench.service.pay(payment.invoice_id, { kind: 'ETH_USDT', amount: '0.000001' });
    await bench.call('transaction_pending', dust.id);
    bench.service.confirm(paid, 1);
    await bench.call('transaction_confirmed', paid.id);
    for (const event of ['checkout.seen', 'checkout.paid'])
      expect(paymentsOf(bench, event)).toEqual([paid.id]);
    expect(paymentsOf(bench, 'checkout.wrong_coin')).toEqual([dust.id]);
  });
});

describe('a late payment', () => {
  it('is reported for each payment', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    bench.advance(901);
    const first = bench.service.pay(payment.invoice_id, { amount: '0.0001' });
    await bench.call('transaction_pending', first.id);
    bench.advance(5);
    const second = bench.service.pay(payment.invoice_id, { amount: '0.0002' });
    await bench.call('transaction_pending', second.id);
    expect(paymentsOf(bench, 'checkout.late')).toEqual([first.id, second.id]);
  });

  it('that the shop accepts at the service counts at its quote, and the order is paid', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    bench.advance(901);
    const late = bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await bench.call('transaction_confirmed', late.id);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('late');
    // The price today decides nothing: the shop has accepted the payment as it is.
    bench.service.rates['BTC'] = '20000';
    late.accepted = true;
    await bench.call('transaction_late_accepted', late.id);
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({
      stage: 'paid',
      notes: ['late_accepted', 'test_network'],
      coins: [],
      payment: { paid: '0.001', late: '0.001', renewable: false },
      received: [{ value: '50.00', late: true }],
    });
    expect(names(bench)).toEqual(['checkout.late', 'checkout.seen', 'checkout.paid']);
    bench.service.confirm(late, 6);
    await bench.call('transaction_complete', late.id);
    expect(bench.events.at(-1)).toMatchObject({ event: 'checkout.complete', paid: '50' });
  });

  it('that the shop accepts leaves a rest when it is less than the amount', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    bench.advance(901);
    const late = bench.service.pay(payment.invoice_id, { amount: '0.0004', confirmations: 1 });
    late.accepted = true;
    await bench.call('transaction_late_accepted', late.id);
    const { body } = await bench.get(`/checkouts/${id}`);
    expect(body).toMatchObject({ stage: 'underpaid', received: [{ value: '20.00' }] });
    expect(bench.events.at(-1)).toMatchObject({ event: 'checkout.underpaid', paid: '20' });
  });

  it('cannot be asked back once the shop has accepted it', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    bench.advance(901);
    const late = bench.service.pay(payment.invoice_id, { confirmations: 6 });
    const amount = { amount: '0.001', currency: 'BTC' };
    const money = { transaction_id: late.id, kind: 'BTC', cause: 'late', amount, is_ready: true };
    bench.service.refundable.push(money);
    await bench.call('transaction_complete', late.id);
    expect((await bench.get(`/checkouts/${id}`)).body.refundable).toHaveLength(1);
    late.accepted = true;
    await bench.call('transaction_late_accepted', late.id);
    expect((await bench.get(`/checkouts/${id}`)).body.refundable).toBeUndefined();
  });
});

describe('the excess', () => {
  it('is a member of the event, without money that was asked back', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'BTC', { amount: '50.00' });
    const first = bench.service.pay(payment.invoice_id, { amount: '0.0015', confirmations: 1 });
    await bench.call('transaction_confirmed', first.id);
    expect(bench.events.at(-1)).toMatchObject({
      event: 'checkout.overpaid',
      paid: '75.00',
      excess: '25.00',
      payment: { transaction_id: first.id },
    });
    // The buyer asks the excess back.
    first.refunded = 50_000n;
    const refund = { id: 'refund', invoice_id: payment.invoice_id };
    await bench.call('refund_requested', '', { result: refund });
    expect(bench.events.at(-1)).toMatchObject({ event: 'checkout.overpaid' });
    bench.advance(5);
    const second = bench.service.pay(payment.invoice_id, { amount: '0.0002', confirmations: 1 });
    await bench.call('transaction_confirmed', second.id);
    expect(bench.events.at(-1)).toMatchObject({
      event: 'checkout.overpaid',
      paid: '60.00',
      excess: '10.00',
      payment: { transaction_id: second.id },
    });
    expect((await bench.get(`/checkouts/${id}`)).body.received).toMatchObject([
      { amount: '0.0015', refunded: '0.0005', value: '50.00' },
      { amount: '0.0002', value: '10.00' },
    ]);
  });

  it('is not reported again because a part of it was asked back', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    const [, second] = ['0.002', '0.001'].map((amount) =>
      bench.service.pay(payment.invoice_id, { amount, confirmations: 1 }),
    );
    await bench.call('transaction_confirmed', second!.id);
    second!.refunded = second!.amount;
    const refund = { id: 'refund', invoice_id: payment.invoice_id };
    await bench.call('refund_requested', '', { result: refund });
    expect(names(bench).filter((name) => name === 'checkout.overpaid')).toHaveLength(1);
  });

  it('has late money that does not count, once another coin has paid the order', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'BTC', { amount: '50.00' });
    bench.advance(901);
    const late = bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await bench.call('transaction_confirmed', late.id);
    const ltc = (await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' })).body.payment;
    const paid = bench.service.pay(ltc.invoice_id, { confirmations: 1 });
    await bench.call('transaction_confirmed', paid.id);
    expect(bench.events.at(-1)).toMatchObject({
      event: 'checkout.overpaid',
      paid: '50.00',
      excess: '50.00',
    });
  });

  it('is absent without one', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    const paid = bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await bench.call('transaction_confirmed', paid.id);
    for (const event of bench.events) expect(event).not.toHaveProperty('excess');
  });
});

describe('a reversal', () => {
  it('has the note that the page shows', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const paid = bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await bench.call('transaction_confirmed', paid.id);
    bench.service.confirm(paid, 0);
    await bench.call('transaction_pending', paid.id);
    const { notes } = (await bench.get(`/checkouts/${id}`)).body;
    expect(bench.events.at(-1)).toMatchObject({ event: 'checkout.reversed', notes });
    expect(notes).toContain('reversed');
  });
});

const names = ({ events }: Bench) => events.map(({ event }) => event);

const paymentsOf = ({ events }: Bench, name: string) =>
  events.filter(({ event }) => event === name).map(({ payment }) => payment?.transaction_id);

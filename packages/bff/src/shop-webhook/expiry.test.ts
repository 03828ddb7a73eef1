import { describe, expect, it } from 'vitest';
import { type Bench, choose, open, setUp } from '../../test/support/bench.ts';

const QUOTE = 901;
const HOUR = 3600;

describe('an order without a payment', () => {
  it('is reported once, an hour after its quote ended', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'BTC', { order_id: 'A-7' });
    await pass(bench, QUOTE + HOUR - 60);
    expect(bench.events).toEqual([]);
    await pass(bench, 15 * 60);
    expect(bench.events).toEqual([
      {
        event: 'checkout.expired',
        checkout_id: id,
        order_id: 'A-7',
        amount: '50',
        currency: 'USD',
        network: 'testnet',
        stage: 'expired',
        notes: ['test_network'],
        invoice_id: payment.invoice_id,
        kind: 'BTC',
        paid: '0',
      },
    ]);
    await pass(bench, 5 * HOUR);
    await bench.get(`/checkouts/${id}`);
    expect(names(bench)).toEqual(['checkout.expired']);
  });

  it('is reported once by two processes, and not again after a restart', async () => {
    const bench = setUp();
    await choose(bench);
    const [one, other] = [bench.bff, bench.restart()];
    await Promise.all([one.start(), other.start()]);
    for (let minute = 0; minute < 90; minute += 1) {
      bench.advance(60);
      await one.tick();
      await other.tick();
    }
    await Promise.all([one.close(), other.close()]);
    const third = bench.restart();
    await third.start();
    await pass(bench, 3 * HOUR);
    await third.close();
    expect(names(bench)).toEqual(['checkout.expired']);
  });

  it('is reported when the BFF was away at that time', async () => {
    const bench = setUp();
    await choose(bench);
    await bench.bff.close();
    bench.advance(30 * HOUR);
    const later = bench.restart();
    await later.start();
    await pass(bench, 60);
    await later.close();
    expect(names(bench)).toEqual(['checkout.expired']);
  });

  it('is not reported as expired when the service is away: a payment may have come', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    await pass(bench, 60);
    bench.service.faults.push({ how: 'down', path: /./, times: 100_000 });
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    bench.advance(QUOTE + 2 * HOUR);
    await pass(bench, 180);
    expect(bench.events).toEqual([]);
    bench.service.faults.length = 0;
    await pass(bench, 180);
    expect(names(bench)).toEqual(['checkout.seen', 'checkout.paid']);
  });

  it('is not reported without a coin: it never had a quote', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    await pass(bench, 3 * HOUR);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('choose');
    expect(bench.events).toEqual([]);
  });
});

describe('an order with a newer quote', () => {
  it('is not reported while that runs, nor within the hour after it', async () => {
    const bench = setUp();
    const { id } = await choose(bench);
    await pass(bench, QUOTE + HOUR - 120);
    expect((await bench.post(`/checkouts/${id}/renew`, {})).status).toBe(200);
    await pass(bench, QUOTE + HOUR - 120);
    expect(bench.events).toEqual([]);
    await pass(bench, 20 * 60);
    expect(names(bench)).toEqual(['checkout.expired']);
  });

  it('is not reported while another coin can be paid', async () => {
    const bench = setUp();
    const { id } = await choose(bench);
    await pass(bench, QUOTE + 50 * 60);
    await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' });
    await pass(bench, HOUR);
    expect(bench.events).toEqual([]);
    await pass(bench, HOUR);
    expect(names(bench)).toEqual(['checkout.expired']);
  });

  it('that is paid after it was reported sends the events of a payment', async () => {
    const bench = setUp();
    const { id } = await choose(bench);
    await pass(bench, QUOTE + 2 * HOUR);
    const { body } = await bench.post(`/checkouts/${id}/renew`, {});
    const paid = bench.service.pay(body.payment.invoice_id, { confirmations: 1 });
    await bench.call('transaction_confirmed', paid.id);
    expect(names(bench)).toEqual(['checkout.expired', 'checkout.seen', 'checkout.paid']);
  });

  it('is not reported a second time', async () => {
    const bench = setUp();
    const { id } = await choose(bench);
    await pass(bench, QUOTE + 2 * HOUR);
    await bench.post(`/checkouts/${id}/renew`, {});
    await pass(bench, QUOTE + 2 * HOUR);
    expect(names(bench)).toEqual(['checkout.expired']);
  });
});

describe('an order that money came for', () => {
  it.each([
    ['a part', { amount: '0.0001', confirmations: 6 }],
    ['a wrong coin', { kind: 'ETH_USDT', amount: '5', confirmations: 6 }],
  ])('is not reported as expired: %s', async (_, payment) => {
    const bench = setUp();
    const chosen = await choose(bench, 'ETH');
    const { id } = bench.service.pay(chosen.payment.invoice_id, payment);
    await bench.call('transaction_complete', id);
    await pass(bench, QUOTE + 5 * HOUR);
    expect(names(bench)).not.toContain('checkout.expired');
  });

  it('is not reported while a dropped payment may still arrive', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    const sent = bench.service.pay(payment.invoice_id);
    await bench.call('transaction_pending', sent.id);
    bench.service.confirm(sent, 0, 'dropped');
    await pass(bench, QUOTE + 5 * HOUR);
    expect(names(bench)).toEqual(['checkout.seen']);
  });

  it('is reported when the only payment was replaced', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    const sent = bench.service.pay(payment.invoice_id);
    await bench.call('transaction_pending', sent.id);
    bench.service.confirm(sent, 0, 'replaced');
    await bench.call('transaction_replaced', sent.id);
    await pass(bench, QUOTE + 2 * HOUR);
    expect(names(bench)).toEqual(['checkout.seen', 'checkout.expired']);
  });

  it('after it was reported sends the event of a late payment', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    await pass(bench, QUOTE + 2 * HOUR);
    const late = bench.service.pay(payment.invoice_id);
    await bench.call('transaction_pending', late.id);
    expect(names(bench)).toEqual(['checkout.expired', 'checkout.late']);
  });
});

/** One poll cycle a minute. */
async function pass(bench: Bench, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 60) {
    bench.advance(Math.min(60, seconds - passed));
    await bench.bff.tick();
  }
}

const names = ({ events }: Bench) => events.map(({ event }) => event);

import { describe, expect, it } from 'vitest';
import { type Bench, choose, setUp } from './shop.ts';

describe('a lightning request without an amount', () => {
  it('is there until it runs out, for no price that could be held longer', async () => {
    const { bench, id } = await openRequest();
    const before = (await bench.get(`/checkouts/${id}`)).body;
    expect(before).toMatchObject({ stage: 'pay', payment: { due: null, extendable: false, renewable: false } });
    expect(before.expires_at).toBe(before.payment.expires_at);
    bench.advance(901);
    const after = (await bench.get(`/checkouts/${id}`)).body;
    expect(after).toMatchObject({ stage: 'expired', payment: { extendable: false, renewable: false } });
  });

  it('is paid by its one payment', async () => {
    const { bench, id } = await openRequest();
    bench.service.pay(id, { amount: '0.0002', confirmations: 1 });
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('paid');
    bench.advance(901);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('paid');
  });
});

/** An invoice that somebody made at the service itself, looked at by its address. */
async function openRequest(): Promise<{ bench: Bench; id: string }> {
  const maker = setUp();
  const { payment } = await choose(maker, 'BTC_LIGHTNING');
  const invoice = maker.service.invoice(payment.invoice_id);
  invoice.passthrough = null;
  invoice.amount = {
    ...invoice.amount,
    requested: { amount: '0', currency: 'USD' },
    invoiced: { ...invoice.amount.invoiced, amount: '0' },
  };
  const bench = setUp({ fetch: maker.service.fetch });
  return {
    bench: {
      ...bench,
      service: maker.service,
      advance(seconds) {
        bench.clock.now += seconds * 1000;
        maker.service.advance(seconds);
      },
    },
    id: payment.invoice_id,
  };
}

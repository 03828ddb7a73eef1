import { describe, expect, it } from 'vitest';
import { choose, open, setUp, type Bench, type Json } from '../../../test/support/bench.ts';

describe('one code for bitcoin and lightning', () => {
  it('has the address, the amount and the request, and both proofs', async () => {
    const { payment, invoice } = await both();
    const request = invoice.lightning!.payment_request!;
    expect(payment).toMatchObject({
      kind: 'BTC',
      address: invoice.address,
      lightning: { payment_request: request, lnurl: null },
      proof: invoice.proof,
      lightning_proof: invoice.lightning_proof,
    });
    const address = invoice.address!.toUpperCase();
    expect(payment.strings.qr).toBe(
      `bitcoin:${address}?amount=0.001&lightning=${request.toUpperCase()}`,
    );
    expect(payment.strings.link).toBe(
      `bitcoin:${invoice.address}?amount=0.001&lightning=${request}`,
    );
  });

  it('is the address alone once a payment is seen on the chain', async () => {
    const { bench, id, invoice } = await both();
    const part = bench.service.pay(invoice.id, { amount: '0.0004' });
    await bench.call('transaction_pending', part.id);
    const { stage, payment } = (await bench.get(`/checkouts/${id}`)).body;
    expect([stage, payment.lightning, payment.lightning_proof]).toEqual(['underpaid', null, null]);
    expect(payment.strings.qr).toBe(
      `bitcoin:${invoice.address!.toUpperCase()}?amount=${payment.remaining}`,
    );
  });

  it('paid over lightning shows a payment over lightning, which is final', async () => {
    const { bench, id, invoice } = await both();
    const paid = bench.service.pay(invoice.id, { kind: 'BTC_LIGHTNING', confirmations: 1 });
    bench.service.confirm(paid, 1, 'complete');
    await bench.call('transaction_complete', paid.id);
    const { stage, payment, received } = (await bench.get(`/checkouts/${id}`)).body;
    expect(stage).toBe('complete');
    expect(payment.confirmations).toEqual({ have: 6, need: 1, final: 6 });
    expect(received).toMatchObject([
      { kind: 'BTC_LIGHTNING', network: 'Lightning', address: null },
    ]);
  });

  it('is the address alone when bitcoin is chosen without lightning, and both again', async () => {
    const { bench, id, payment } = await both();
    const alone = await pick(bench, id, { kind: 'BTC' });
    expect([alone.payment.invoice_id, alone.payment.lightning]).toEqual([payment.invoice_id, null]);
    expect(alone.payment.strings.qr).not.toContain('lightning');
    const again = await pick(bench, id, { kind: 'BTC', with_lightning: true });
    expect(again.payment).toEqual(payment);
  });

  it('follows lightning alone, whichever came first', async () => {
    const { bench, id, payment } = await both();
    const alone = await pick(bench, id, { kind: 'BTC_LIGHTNING' });
    expect([alone.payment.kind, alone.payment.address]).toEqual(['BTC_LIGHTNING', null]);
    const again = await pick(bench, id, { kind: 'BTC', with_lightning: true });
    expect(again.payment).toEqual(payment);
    const other = setUp();
    const { id: late } = await open(other);
    await pick(other, late, { kind: 'BTC_LIGHTNING', with_lightning: true });
    const joined = await pick(other, late, { kind: 'BTC', with_lightning: true });
    expect(joined.payment.strings.qr).toMatch(/^bitcoin:.*&lightning=LN/);
  });

  it('is the address alone for an exchange, and in an order without lightning', async () => {
    const { bench, id } = await both();
    const exchange = await pick(bench, id, { kind: 'BTC', with_lightning: true, from: 'exchange' });
    expect(exchange.payment.lightning).toBeNull();
    const other = setUp();
    const { id: narrow } = await open(other, { kinds: ['BTC'] });
    const { payment } = await pick(other, narrow, { kind: 'BTC', with_lightning: true });
    expect(payment.lightning).toBeNull();
    expect(other.service.invoices.map(({ lightning }) => lightning)).toEqual([null]);
  });

  it('is the address alone while lightning can receive nothing, which the service is not asked', async () => {
    const bench = setUp();
    bench.service.unavailable = ['BTC_LIGHTNING'];
    const { id } = await open(bench);
    const { payment } = await pick(bench, id, { kind: 'BTC', with_lightning: true });
    expect([payment.kind, payment.lightning]).toEqual(['BTC', null]);
    expect(bench.service.invoices.map(({ lightning }) => lightning)).toEqual([null]);
  });

  it('reaches the screen in one change, never the address alone before it', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const stream = await bench.bff.request(`/checkouts/${id}/events`);
    for (const choice of [
      { kind: 'BTC', with_lightning: true },
      { kind: 'BTC', from: 'exchange' },
      { kind: 'BTC', from: 'wallet', with_lightning: true },
    ])
      await pick(bench, id, choice);
    await bench.bff.close();
    const views = [...(await stream.text()).matchAll(/^data: (.*)$/gm)].map(([, data]): Json =>
      JSON.parse(data!),
    );
    expect(
      views.map(({ payment }) => payment && [payment.from, payment.lightning !== null]),
    ).toEqual([null, ['wallet', true], ['exchange', false], ['wallet', true]]);
  });

  it('is never part of another choice', async () => {
    const { payment } = await choose(setUp(), 'BTC');
    expect([payment.lightning, payment.lightning_proof]).toEqual([null, null]);
  });
});

async function pick(bench: Bench, id: string, choice: object): Promise<Json> {
  const { status, body } = await bench.post(`/checkouts/${id}/payment`, choice);
  expect([status, body.message]).toEqual([200, undefined]);
  return body;
}

async function both() {
  const bench = setUp();
  const { id } = await open(bench);
  const { payment } = await pick(bench, id, { kind: 'BTC', with_lightning: true });
  return { bench, id, payment, invoice: bench.service.invoices[0]! };
}

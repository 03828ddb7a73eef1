import { describe, expect, it } from 'vitest';
import { type Bench, type Json, choose, setUp } from '../../../test/support/bench.ts';

describe('on-chain and lightning invoices of one order', () => {
  it('are two invoices for any number of switches', async () => {
    const { bench, id, chain, lightning } = await both();
    for (let turn = 0; turn < 5; turn += 1)
      for (const [kind, invoiceId] of [
        ['BTC', chain],
        ['BTC_LIGHTNING', lightning],
      ] as const)
        expect((await pick(bench, id, kind)).payment.invoice_id).toBe(invoiceId);
    expect(bench.service.invoices).toHaveLength(2);
    expect(bench.service.count('POST', /invoices\/$/)).toBe(2);
  });

  it.each(['BTC', 'BTC_LIGHTNING'])(
    'are both polled: a payment by %s is found without a callback',
    async (kind) => {
      const { bench, id, chain, lightning } = await both();
      bench.service.pay(kind === 'BTC' ? chain : lightning, { confirmations: 1 });
      bench.advance(16);
      await bench.bff.tick();
      expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('paid');
      expect(bench.events.map(({ event, invoice_id }) => [event, invoice_id])).toContainEqual([
        'checkout.paid',
        kind === 'BTC' ? chain : lightning,
      ]);
    },
  );

  it.each([
    ['BTC', 'BTC_LIGHTNING'],
    ['BTC_LIGHTNING', 'BTC'],
  ])('paid by %s show "paid" on both pages and accept no more', async (paidKind) => {
    const { bench, id, chain, lightning } = await both();
    const [paidId, otherId] = paidKind === 'BTC' ? [chain, lightning] : [lightning, chain];
    const paid = bench.service.pay(paidId, { confirmations: 1 });
    await bench.call('transaction_confirmed', paid.id);
    for (const shown of [id, paidId, otherId]) {
      const { body } = await bench.get(`/checkouts/${shown}`);
      expect([
        body.stage,
        body.payment.remaining,
        body.payment.renewable,
        body.payment.extendable,
      ]).toEqual(['paid', '0', false, false]);
    }
    // The page of the order shows the address and the transaction of the payment.
    const { payment } = (await bench.get(`/checkouts/${id}`)).body;
    expect([payment.kind, payment.transactions.length]).toEqual([paidKind, 1]);
    for (const kind of ['BTC', 'BTC_LIGHTNING', 'LTC']) {
      const { status, body } = await bench.post(`/checkouts/${id}/payment`, { kind });
      expect([status, body.reason]).toEqual([409, 'InvalidState']);
    }
    expect(bench.service.invoices).toHaveLength(2);
  });

  it('paid twice show a note on every page and notify the shop once', async () => {
    const { bench, id, chain, lightning } = await both();
    for (const invoiceId of [lightning, chain]) {
      const paid = bench.service.pay(invoiceId, { confirmations: 1 });
      await bench.call('transaction_confirmed', paid.id);
      bench.advance(5);
    }
    for (const shown of [id, chain, lightning]) {
      const { body } = await bench.get(`/checkouts/${shown}`);
      expect([body.stage, body.notes]).toEqual([
        'paid',
        ['overpaid', 'paid_twice', 'test_network'],
      ]);
    }
    // The second payment is the excess.
    expect((await bench.get(`/checkouts/${chain}`)).body.payment.overpaid).toBe('0.001');
    expect((await bench.get(`/checkouts/${lightning}`)).body.payment.overpaid).toBeNull();
    expect(bench.events.filter(({ event }) => event === 'checkout.paid')).toHaveLength(1);
    const over = bench.events.filter(({ event }) => event === 'checkout.overpaid');
    expect(over.length).toBeGreaterThan(0);
    for (const event of over)
      expect(event).toMatchObject({
        paid: '100',
        notes: ['overpaid', 'paid_twice', 'test_network'],
      });
  });

  it.each(['0.0004', '0.001'])(
    'a payment of %s on-chain cancels the request for the whole, once',
    async (amount) => {
      const { bench, id, chain, lightning } = await both();
      const paid = bench.service.pay(chain, { amount });
      await bench.call('transaction_pending', paid.id);
      await bench.call('transaction_pending', paid.id);
      const cancelled = bench.service.requests.filter(({ path }) =>
        path.includes('cancel-request'),
      );
      expect(cancelled.map(({ path }) => path)).toEqual([
        `/v1/invoices/${lightning}/cancel-request/`,
      ]);
      // The request for the rest is not touched.
      if (amount === '0.001') return;
      const { payment } = await pick(bench, id, 'BTC_LIGHTNING');
      expect([payment.due, payment.remaining]).toEqual(['0.0006', '0.0006']);
      await bench.call('transaction_pending', paid.id);
      expect(bench.service.count('POST', /cancel-request/)).toBe(1);
    },
  );

  it('a request that could not be cancelled is cancelled with the next reading', async () => {
    const { bench, chain } = await both();
    bench.service.faults.push({ path: /cancel-request/, how: '500', times: 1 });
    const paid = bench.service.pay(chain);
    await bench.call('transaction_pending', paid.id);
    expect(bench.service.count('POST', /cancel-request/)).toBe(0);
    bench.advance(16);
    await bench.bff.tick();
    expect(bench.service.count('POST', /cancel-request/)).toBe(1);
    bench.advance(16);
    await bench.bff.tick();
    expect(bench.service.count('POST', /cancel-request/)).toBe(1);
  });

  it('a payment on-chain that is gone lets lightning be chosen anew', async () => {
    const { bench, id, chain, lightning } = await both();
    const paid = bench.service.pay(chain);
    await bench.call('transaction_pending', paid.id);
    bench.service.confirm(paid, 0, 'replaced');
    await bench.call('transaction_replaced', paid.id);
    const { payment } = await pick(bench, id, 'BTC_LIGHTNING');
    expect(payment.invoice_id).toBe(lightning);
    expect(bench.service.count('POST', /renew/)).toBe(1);
  });

  it('a payment over lightning cancels nothing: an address cannot be closed', async () => {
    const { bench, lightning } = await both();
    const paid = bench.service.pay(lightning, { confirmations: 1 });
    await bench.call('transaction_confirmed', paid.id);
    expect(bench.service.count('POST', /cancel-request/)).toBe(0);
  });

  it('ask for the rest after a part payment by the other', async () => {
    const { bench, id, chain } = await both();
    const part = bench.service.pay(chain, { amount: '0.0004' });
    await bench.call('transaction_pending', part.id);
    const { payment } = await pick(bench, id, 'BTC_LIGHTNING');
    expect([payment.due, payment.remaining]).toEqual(['0.0006', '0.0006']);
  });

  it('a lightning request for the whole amount is hidden after a part payment on-chain', async () => {
    const { bench, id, chain, lightning } = await both();
    const part = bench.service.pay(chain, { amount: '0.0004' });
    await bench.call('transaction_pending', part.id);
    for (const shown of [id, lightning]) {
      const { stage, payment, server_time } = (await bench.get(`/checkouts/${shown}`)).body;
      expect([stage, payment.invoice_id, payment.remaining, payment.renewable]).toEqual([
        'underpaid',
        lightning,
        '0.0006',
        true,
      ]);
      expect(Date.parse(payment.expires_at)).toBeLessThanOrEqual(Date.parse(server_time));
    }
    const { body } = await bench.post(`/checkouts/${id}/renew`, {});
    expect([body.payment.kind, body.payment.remaining, body.payment.renewable]).toEqual([
      'BTC_LIGHTNING',
      '0.0006',
      false,
    ]);
    expect(bench.service.invoices.map(({ amount }) => amount.requested?.amount)).toEqual([
      '50',
      '50',
      '30',
    ]);
  });

  it('a lightning request for the rest is shown with its exact amount', async () => {
    const { bench, id, chain } = await both();
    // Two thirds of a cent: the rest's price is the next whole one.
    const part = bench.service.pay(chain, { amount: '0.00033333' });
    await bench.call('transaction_pending', part.id);
    const { payment } = await pick(bench, id, 'BTC_LIGHTNING');
    expect([payment.remaining, payment.strings.amount]).toEqual([payment.due, payment.due]);
    expect(payment.due).toBe(bench.service.invoices.at(-1)?.amount.invoiced.amount);
  });
});

async function both(): Promise<{ bench: Bench; id: string; chain: string; lightning: string }> {
  const bench = setUp();
  const { id, payment } = await choose(bench, 'BTC');
  const lightning = (await pick(bench, id, 'BTC_LIGHTNING')).payment.invoice_id;
  return { bench, id, chain: payment.invoice_id, lightning };
}

async function pick(bench: Bench, id: string, kind: string): Promise<Json> {
  const { status, body } = await bench.post(`/checkouts/${id}/payment`, { kind });
  if (status !== 200) throw new Error(`not chosen: ${status} ${JSON.stringify(body)}`);
  return body;
}

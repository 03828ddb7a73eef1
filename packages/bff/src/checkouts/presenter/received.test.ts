import { describe, expect, it } from 'vitest';
import { type Bench, type Json, choose, setUp } from '../../../test/support/bench.ts';

const at = async (bench: Bench, id: string): Promise<Json> =>
  (await bench.get(`/checkouts/${id}`)).body;
const pick = async (bench: Bench, id: string, kind: string, from = 'wallet'): Promise<Json> =>
  (await bench.post(`/checkouts/${id}/payment`, { kind, from })).body;

/** Pays a part and sends the callback. */
async function pay(
  bench: Bench,
  invoiceId: string,
  amount: string,
  confirmations = 0,
  kind?: string,
) {
  const paid = bench.service.pay(invoiceId, { amount, confirmations, ...(kind && { kind }) });
  await bench.call('transaction_pending', paid.id);
  return paid;
}

async function confirm(
  bench: Bench,
  paid: Awaited<ReturnType<typeof pay>>,
  confirmations: number,
): Promise<void> {
  bench.service.confirm(paid, confirmations);
  await bench.call('transaction_confirmed', paid.id);
}

describe('the received payments', () => {
  it.each([
    ['another coin', 'LTC', 'wallet'],
    ['lightning', 'BTC_LIGHTNING', 'wallet'],
    ['an exchange', 'BTC', 'exchange'],
  ])('are complete after a change to %s', async (_, kind, from) => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const part = await pay(bench, payment.invoice_id, '0.0004');
    const first = {
      invoice_id: payment.invoice_id,
      address: payment.address,
      tag: null,
      kind: 'BTC',
      name: 'Bitcoin',
      network: 'Bitcoin',
      symbol: 'BTC',
      txid: part.txid,
      status: 'pending',
      confirmations: 0,
      created_at: part.created_at,
      explorer_url: null,
      amount: '0.0004',
      rate: '50000',
      value: '20.00',
      late: false,
      overpaid: null,
    };
    expect((await at(bench, id)).received).toEqual([first]);

    const other = await pick(bench, id, kind, from);
    expect(other).toMatchObject({
      stage: 'underpaid',
      payment: { paid: '0', kind },
      received: [first],
    });
    const rest = await pay(bench, other.payment.invoice_id, other.payment.remaining);
    for (const { id: paid } of [part, rest]) {
      bench.service.confirm(
        bench.service.transactions.find((one) => one.id === paid)!,
        6,
      );
      await bench.call('transaction_complete', paid);
    }
    const view = await at(bench, id);
    expect(view.stage).toBe('complete');
    expect(view.received.map(({ txid, value }: Json) => [txid, value])).toEqual([
      [part.txid, '20.00'],
      [rest.txid, '30.00'],
    ]);
    // The same for the id of either invoice.
    expect((await at(bench, payment.invoice_id)).received).toEqual(view.received);
  });

  it('are complete after a new quote, each at its own price', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    await pay(bench, payment.invoice_id, '0.0004');
    bench.advance(901);
    await bench.call('invoice_incomplete', payment.invoice_id);
    bench.service.rates['BTC'] = '60000';
    const { body } = await bench.post(`/checkouts/${id}/renew`, {});
    expect(body).toMatchObject({
      stage: 'underpaid',
      payment: { paid: '0', due: '0.0005', remaining: '0.0005' },
    });
    await pay(bench, body.payment.invoice_id, '0.0005');
    expect(
      (await at(bench, id)).received.map(({ amount, rate, value }: Json) => [amount, rate, value]),
    ).toEqual([
      ['0.0004', '50000', '20.00'],
      ['0.0005', '60000', '30.00'],
    ]);
  });

  it('name another coin correctly, and exclude replaced and held payments', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'ETH');
    await pay(bench, payment.invoice_id, '7', 0, 'ETH_USDT');
    bench.advance(1);
    const gone = await pay(bench, payment.invoice_id, '0.02');
    bench.service.confirm(gone, 0, 'replaced');
    await bench.call('transaction_pending', gone.id);
    const { received } = await at(bench, id);
    expect(received).toMatchObject([
      { symbol: 'USDT', name: 'Tether', amount: '7', value: null, rate: null, late: false },
      { symbol: 'ETH', status: 'replaced', value: null },
    ]);
  });

  it('keep the late note after another coin is chosen, and show the excess', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    bench.advance(901);
    await pay(bench, payment.invoice_id, '0.0007');
    const late = { amount: '0.0007', symbol: 'BTC', late: true, value: null };
    expect(await at(bench, id)).toMatchObject({ stage: 'late', received: [late] });
    const other = await pick(bench, id, 'LTC');
    expect(other).toMatchObject({ stage: 'pay', received: [late] });
    await pay(bench, other.payment.invoice_id, other.payment.due);
    const { notes, received } = await at(bench, id);
    expect(notes).toContain('overpaid');
    expect(received.map(({ symbol, overpaid }: Json) => [symbol, overpaid])).toEqual([
      ['BTC', '0.0007'],
      ['LTC', null],
    ]);
  });
});

describe('money in another coin', () => {
  it('names the coin that was asked for when it came, whatever is asked for now', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'ETH');
    await pay(bench, payment.invoice_id, '7', 0, 'ETH_USDT');
    const asked = { symbol: 'ETH', network: 'Ethereum (ERC20)' };
    expect((await at(bench, id)).received).toMatchObject([{ symbol: 'USDT', asked }]);
    const other = await pick(bench, id, 'BTC');
    expect([other.payment.symbol, other.received[0].asked]).toEqual(['BTC', asked]);
    await pay(bench, other.payment.invoice_id, other.payment.due);
    const [, right] = (await at(bench, id)).received;
    expect(right).not.toHaveProperty('asked');
  });
});

describe('the time of the current price', () => {
  it('is absent until money comes, and then after it once a new price was asked for', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'ETH');
    expect(payment).not.toHaveProperty('quoted_at');
    bench.advance(5);
    const wrong = await pay(bench, payment.invoice_id, '7', 0, 'ETH_USDT');
    const first = (await at(bench, id)).payment.quoted_at;
    expect(Date.parse(first)).toBeLessThan(Date.parse(wrong.created_at));
    bench.advance(901);
    await bench.call('invoice_expired', payment.invoice_id);
    const { body } = await bench.post(`/checkouts/${id}/renew`, {});
    expect(body).toMatchObject({ stage: 'pay', notes: expect.arrayContaining(['wrong_coin']) });
    expect(Date.parse(body.payment.quoted_at)).toBe(bench.clock.now);
  });

  it('ends the stage of a payment that failed before it', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'ETH');
    const failed = await pay(bench, payment.invoice_id, payment.due);
    bench.service.confirm(failed, 0, 'failed');
    await bench.call('transaction_pending', failed.id);
    expect((await at(bench, id)).stage).toBe('failed');
    bench.advance(901);
    await bench.call('invoice_expired', payment.invoice_id);
    const renewed = (await bench.post(`/checkouts/${id}/renew`, {})).body;
    expect(renewed).toMatchObject({ stage: 'pay', received: [{ status: 'failed' }] });
    const again = await pay(bench, renewed.payment.invoice_id, renewed.payment.due);
    bench.service.confirm(again, 0, 'failed');
    await bench.call('transaction_pending', again.id);
    expect((await at(bench, id)).stage).toBe('failed');
  });
});

describe('the awaited payment', () => {
  it('is the slower of two payments until the final stage', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const part = await pay(bench, payment.invoice_id, '0.0004');
    const { payment: lightning } = await pick(bench, id, 'BTC_LIGHTNING');
    const rest = await pay(bench, lightning.invoice_id, lightning.remaining);
    await confirm(bench, rest, 6);
    expect(await at(bench, id)).toMatchObject({
      stage: 'seen',
      payment: { kind: 'BTC', usual_seconds: 600, confirmations: { have: 0, need: 1 } },
    });
    await confirm(bench, part, 1);
    expect(await at(bench, id)).toMatchObject({
      stage: 'paid',
      payment: { kind: 'BTC', confirmations: { have: 1, final: 6 } },
    });
    await confirm(bench, part, 6);
    expect(await at(bench, id)).toMatchObject({
      stage: 'complete',
      payment: { kind: 'BTC_LIGHTNING' },
    });
  });
});

describe('the rest', () => {
  it('has the decimals of the coin’s price and never falls short', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    await pay(bench, payment.invoice_id, '0.00081233');
    const { payment: tether } = await pick(bench, id, 'ETH_USDT');
    // 9.3835 USD are left.
    expect([tether.due, tether.remaining, tether.strings.amount]).toEqual(['9.39', '9.39', '9.39']);
    await pay(bench, tether.invoice_id, '4.123456');
    expect((await at(bench, id)).payment.remaining).toBe('5.27');
  });
});

describe('the receipt link', () => {
  it.each(['', '?show=receipt'])(
    'is shown on the page of a paid order, once and in full: %j',
    async (query) => {
      const bench = setUp({ publicUrl: 'https://shop.test/pay-here' });
      const { id, payment } = await choose(bench);
      await pay(bench, payment.invoice_id, payment.due, 6);
      const { body } = await bench.get(`/pay/${id}/${query}`, {
        accept: 'text/html',
        'accept-language': 'de',
      });
      const text = (body as string).replaceAll(/<!--.*?-->|<[^>]*>/gs, '').replaceAll(/\s+/g, ' ');
      const link = `https://shop.test/pay-here/pay/${id}/?show=receipt`;
      expect(text.split(link)).toHaveLength(2);
      expect(text).toContain(`Speichere diesen Link, um diese Zahlung jederzeit zu sehen. ${link}`);
    },
  );
});

describe('the way back', () => {
  it('is the front page of the success URL without a `shop_url`', async () => {
    const bench = setUp();
    const success_url = 'https://shop.test/thanks?id={checkout_id}';
    const { shop_url, success_url: way } = await choose(bench, 'BTC', { success_url });
    expect([shop_url, way]).toEqual(['https://shop.test/', null]);
    const own = await choose(bench, 'BTC', {
      order_id: 'A-2',
      success_url,
      shop_url: 'https://shop.test/orders/2',
    });
    expect(own.shop_url).toBe('https://shop.test/orders/2');
  });

  it('is on the page of an unknown order if only one shop is possible', async () => {
    const bench = setUp({ supportUrl: 'mailto:help@shop.test' });
    const html = { accept: 'text/html', 'accept-language': 'de' };
    const { status, body } = await bench.get('/pay/unknown/', html);
    expect([status, body.includes('<a href="https://shop.test/">Zurück zum Shop</a>')]).toEqual([
      404,
      true,
    ]);
    expect(body).toContain('<a href="mailto:help@shop.test">');
    expect((await bench.get('/pay/unknown/', { 'user-agent': 'curl/8' })).body).toContain(
      'Back to the shop: https://shop.test/',
    );
    bench.restart({
      successOrigins: ['https://shop.test', 'https://two.test'],
      supportUrl: 'https://shop.test/help',
    });
    const several = (await bench.get('/pay/unknown/', html)).body;
    expect([several.includes('Zurück'), several.includes('https://shop.test/help')]).toEqual([
      false,
      true,
    ]);
    expect((await bench.get('/pay/unknown/?success_url=https://two.test/x', html)).body).toContain(
      '<a href="https://two.test/">',
    );
  });
});

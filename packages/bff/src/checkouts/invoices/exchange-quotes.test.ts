import { describe, expect, it } from 'vitest';
import {
  type Bench,
  type Json,
  choose,
  open,
  PUBLIC_URL,
  setUp,
  SHOP_ORIGIN,
} from '../../../test/support/bench.ts';

describe('paying from an exchange', () => {
  it('creates an invoice with a longer quote beside that for a wallet, and polls both', async () => {
    const bench = setUp();
    const wallet = await choose(bench, 'BTC');
    const exchange = await pick(bench, wallet.id, { kind: 'BTC', from: 'exchange' });
    expect(exchange.payment.from).toBe('exchange');
    expect(exchange.payment.invoice_id).not.toBe(wallet.payment.invoice_id);
    expect(seconds(exchange)).toBe(3600);
    expect(seconds(wallet)).toBe(900);
    expect([wallet.payment.other_address, exchange.payment.other_address]).toEqual([
      undefined,
      true,
    ]);
    expect(
      bench.service.requests.findLast(({ method }) => method === 'POST')?.payload,
    ).toMatchObject({ invoice_expiration: 3600 });
    // The first address is still polled.
    const paid = bench.service.pay(wallet.payment.invoice_id, { confirmations: 1 });
    await bench.call('transaction_confirmed', paid.id);
    expect((await bench.get(`/checkouts/${wallet.id}`)).body.stage).toBe('paid');
  });

  it('returns each invoice again when the buyer switches', async () => {
    const bench = setUp();
    const first = await choose(bench, 'BTC');
    const second = await pick(bench, first.id, { kind: 'BTC', from: 'exchange' });
    const back = await pick(bench, first.id, { kind: 'BTC', from: 'wallet' });
    const again = await pick(bench, first.id, { kind: 'BTC', from: 'exchange' });
    expect([back.payment.invoice_id, back.payment.from, back.expires_at]).toEqual([
      first.payment.invoice_id,
      'wallet',
      first.expires_at,
    ]);
    expect([again.payment.invoice_id, again.payment.from]).toEqual([
      second.payment.invoice_id,
      'exchange',
    ]);
    expect(bench.service.invoices).toHaveLength(2);
  });

  it('creates one invoice for fifty concurrent choices', async () => {
    const bench = setUp();
    const { id } = await choose(bench, 'BTC');
    await Promise.all(
      Array.from({ length: 50 }, () => pick(bench, id, { kind: 'BTC', from: 'exchange' })),
    );
    expect(bench.service.invoices).toHaveLength(2);
  });

  it('uses one invoice if the quote of the profile is as long, or without the extensions', async () => {
    for (const changed of [
      { exchangeExpiration: 900 },
      { exchangeExpiration: 60 },
      { extensions: false },
    ] as const) {
      const bench = setUp(changed);
      const wallet = await choose(bench, 'BTC');
      const exchange = await pick(bench, wallet.id, { kind: 'BTC', from: 'exchange' });
      expect([exchange.payment.invoice_id, exchange.payment.from]).toEqual([
        wallet.payment.invoice_id,
        'exchange',
      ]);
      expect(bench.service.invoices).toHaveLength(1);
    }
  });

  it('uses one LNURL, which never expires', async () => {
    const bench = setUp();
    bench.service.kinds.push('BTC_LIGHTNING_LNURL');
    const wallet = await choose(bench, 'BTC_LIGHTNING_LNURL');
    expect([wallet.expires_at, wallet.payment.extendable]).toEqual([null, false]);
    const exchange = await pick(bench, wallet.id, {
      kind: 'BTC_LIGHTNING_LNURL',
      from: 'exchange',
    });
    expect([exchange.payment.invoice_id, exchange.payment.from]).toEqual([
      wallet.payment.invoice_id,
      'exchange',
    ]);
    expect(exchange.payment.strings.qr).toBe(wallet.payment.strings.qr);
  });

  it('uses the longer quote for a wallet too while it is valid', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const exchange = await pick(bench, id, { kind: 'BTC', from: 'exchange' });
    const wallet = await pick(bench, id, { kind: 'BTC', from: 'wallet' });
    expect([wallet.payment.invoice_id, wallet.payment.from]).toEqual([
      exchange.payment.invoice_id,
      'wallet',
    ]);
    bench.advance(3601);
    const later = await pick(bench, id, { kind: 'BTC', from: 'wallet' });
    expect([later.stage, seconds(later)]).toEqual(['pay', 900]);
  });

  it('is remembered for the next coin and after a restart', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    await pick(bench, id, { kind: 'BTC', from: 'exchange' });
    bench.restart();
    const next = await pick(bench, id, { kind: 'LTC' });
    expect([next.payment.from, seconds(next)]).toEqual(['exchange', 3600]);
  });

  it('counts as one of the eight coins', async () => {
    const bench = setUp();
    const { id } = await choose(bench, 'BTC');
    for (const kind of ['LTC', 'ETH', 'ETH_USDT', 'DOGE', 'XRP', 'BTC_BECH32'])
      await pick(bench, id, { kind });
    await pick(bench, id, { kind: 'BTC', from: 'exchange' });
    const { status } = await bench.post(`/checkouts/${id}/payment`, {
      kind: 'LTC',
      from: 'exchange',
    });
    expect(status).toBe(409);
    expect(bench.service.invoices).toHaveLength(8);
    // Existing invoices can still be chosen, and the failed choice is not stored.
    expect((await pick(bench, id, { kind: 'LTC', from: 'wallet' })).payment).toMatchObject({
      kind: 'LTC',
      from: 'wallet',
    });
  });

  it('keeps the longer quote after a renewal', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const { payment } = await pick(bench, id, { kind: 'BTC', from: 'exchange' });
    bench.advance(3601);
    const { body } = await bench.post(`/checkouts/${id}/renew`, {});
    expect([body.payment.invoice_id, seconds(body, bench.clock.now)]).toEqual([
      payment.invoice_id,
      3600,
    ]);
  });

  it('recovers an invoice for an exchange after a lost answer', async () => {
    const bench = setUp();
    const { id } = await choose(bench, 'BTC');
    bench.service.faults.push({
      method: 'POST',
      path: /invoices\/$/,
      how: 'truncated',
      after: true,
      times: 1,
    });
    const found = await pick(bench, id, { kind: 'BTC', from: 'exchange' });
    expect([found.payment.from, seconds(found)]).toEqual(['exchange', 3600]);
    expect((await pick(bench, id, { kind: 'BTC', from: 'wallet' })).expires_at).not.toBe(
      found.expires_at,
    );
    expect(bench.service.invoices).toHaveLength(2);
  });

  it('by an invoice id shows that invoice and creates no other', async () => {
    const bench = setUp();
    const { payment } = await choose(bench, 'BTC');
    const { body } = await bench.post(`/checkouts/${payment.invoice_id}/payment`, {
      kind: 'BTC',
      from: 'exchange',
    });
    expect(body.payment).toMatchObject({ invoice_id: payment.invoice_id, from: 'exchange' });
    expect(body.payment.strings.qr).toBe(payment.address);
    expect(bench.service.invoices).toHaveLength(1);
  });

  it('rejects any other source', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    for (const from of ['bank', '', 1, null, ['exchange']])
      expect((await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC', from })).status).toBe(
        400,
      );
    expect(bench.service.invoices).toHaveLength(0);
  });

  it('can be chosen with a form of our own page', async () => {
    const bench = setUp();
    const { id } = await choose(bench, 'BTC');
    const answer = await bench.bff.request(`/checkouts/${id}/payment`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: PUBLIC_URL,
        'sec-fetch-site': 'same-origin',
      },
      body: 'kind=BTC&from=exchange',
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/pay/${id}/`]);
    expect((await bench.get(`/checkouts/${id}`)).body.payment).toMatchObject({
      kind: 'BTC',
      from: 'exchange',
    });
  });

  it('redirects a form inside a frame to the page that allows framing', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'BTC');
    for (const shown of [id, payment.invoice_id]) {
      const answer = await bench.bff.request(`/checkouts/${shown}/payment`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: PUBLIC_URL,
          'sec-fetch-site': 'same-origin',
          'sec-fetch-dest': 'iframe',
        },
        body: 'kind=BTC&from=wallet',
      });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `/frame/${shown}/`]);
    }
  });
});

describe('the QR code for an exchange', () => {
  it.each([
    ['BTC', (payment: Json) => payment.address],
    ['LTC', (payment: Json) => payment.address],
    ['ETH_USDT', (payment: Json) => payment.address],
    [
      'BTC_LIGHTNING',
      (payment: Json) => `lightning:${payment.lightning.payment_request.toUpperCase()}`,
    ],
  ])('of %s contains only the address', async (kind, expected) => {
    const bench = setUp();
    const { id } = await open(bench);
    const { payment } = await pick(bench, id, { kind, from: 'exchange' });
    expect(payment.strings.qr).toBe(expected(payment));
    const wallet = (await pick(bench, id, { kind, from: 'wallet' })).payment;
    expect(wallet.strings.address).toBe(payment.strings.address);
    expect(payment.qr.path === wallet.qr.path).toBe(payment.strings.qr === wallet.strings.qr);
  });

  it('of XRP contains the tag', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const { payment } = await pick(bench, id, { kind: 'XRP', from: 'exchange' });
    expect(payment.strings).toMatchObject({ address: payment.address, tag: payment.tag });
    expect(payment.strings.qr).toContain(`dt=${payment.tag}`);
  });
});

describe('the minimum withdrawal', () => {
  it('is shown only if the amount due is smaller', async () => {
    const bench = setUp();
    const { id } = await open(bench, { amount: '5' });
    expect((await pick(bench, id, { kind: 'BTC', from: 'exchange' })).payment).toMatchObject({
      due: '0.0001',
      minimum_withdrawal: '0.0002',
    });
    expect(
      (await pick(bench, id, { kind: 'BTC', from: 'wallet' })).payment.minimum_withdrawal,
    ).toBeNull();
    expect(
      (await pick(bench, id, { kind: 'LTC', from: 'exchange' })).payment.minimum_withdrawal,
    ).toBeNull();
  });

  it('is compared with the rest after a part payment', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'BTC');
    const part = bench.service.pay(payment.invoice_id, { amount: '0.0009' });
    await bench.call('transaction_pending', part.id);
    const { payment: rest } = await pick(bench, id, { kind: 'BTC', from: 'exchange' });
    expect(rest).toMatchObject({ due: '0.0001', minimum_withdrawal: '0.0002' });
  });
});

describe('an extension', () => {
  it('is offered once while the quote is valid and without a payment', async () => {
    const bench = setUp();
    const { id, payment, expires_at } = await choose(bench);
    expect(payment.extendable).toBe(true);
    const { body } = await bench.post(`/checkouts/${id}/renew`, { extend: true });
    expect(body.payment).toMatchObject({
      invoice_id: payment.invoice_id,
      due: payment.due,
      extendable: false,
      renewable: false,
    });
    expect(Date.parse(body.expires_at) - Date.parse(expires_at)).toBe(900_000);
    const again = await bench.post(`/checkouts/${id}/renew`, { extend: true });
    expect([again.status, again.body.reason]).toEqual([409, 'InvalidState']);
    expect(bench.service.count('POST', /renew/)).toBe(1);
  });

  it('is offered again for a new quote', async () => {
    const bench = setUp();
    const { id } = await choose(bench);
    await bench.post(`/checkouts/${id}/renew`, { extend: true });
    bench.advance(1801);
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({
      stage: 'expired',
      payment: { extendable: false, renewable: true },
    });
    const { body } = await bench.post(`/checkouts/${id}/renew`, {});
    expect(body.payment.extendable).toBe(true);
  });

  it('is not offered with a payment, and again when that is replaced', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const part = bench.service.pay(payment.invoice_id, { amount: '0.0001' });
    await bench.call('transaction_pending', part.id);
    expect((await bench.get(`/checkouts/${id}`)).body.payment.extendable).toBe(false);
    bench.service.confirm(part, 0, 'replaced');
    await bench.call('transaction_replaced', part.id);
    expect((await bench.get(`/checkouts/${id}`)).body.payment.extendable).toBe(true);
  });

  it('is not offered by a service that cannot renew', async () => {
    const bench = setUp({ extensions: false });
    expect((await choose(bench)).payment.extendable).toBe(false);
  });

  it('is not offered after another client used it', async () => {
    const bench = setUp();
    const { id } = await choose(bench);
    bench.service.faults.push({ method: 'POST', path: /renew/, how: '409', times: 1 });
    expect((await bench.post(`/checkouts/${id}/renew`, { extend: true })).status).toBe(409);
    expect((await bench.get(`/checkouts/${id}`)).body.payment.extendable).toBe(false);
  });

  it('works with a form', async () => {
    const bench = setUp();
    const { id, expires_at } = await choose(bench);
    const answer = await bench.bff.request(`/checkouts/${id}/renew`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: PUBLIC_URL,
        'sec-fetch-site': 'same-origin',
      },
      body: 'extend=true',
    });
    expect(answer.status).toBe(303);
    const { body } = await bench.get(`/checkouts/${id}`, { origin: SHOP_ORIGIN });
    expect(Date.parse(body.expires_at) - Date.parse(expires_at)).toBe(900_000);
  });
});

async function pick(
  bench: Bench,
  id: string,
  choice: { kind: string; from?: string },
): Promise<Json> {
  const { status, body } = await bench.post(`/checkouts/${id}/payment`, choice);
  if (status !== 200) throw new Error(`not chosen: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Seconds that the quote is valid. */
function seconds(view: Json, from = Date.parse(view.server_time)): number {
  return Math.round((Date.parse(view.expires_at) - from) / 1000);
}

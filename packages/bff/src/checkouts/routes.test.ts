import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { checkout as CheckoutSchema } from '@crypto-checkout/protocol/schema/checkout';
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { base32 } from '../orders/ids.ts';
import {
  ORDER_SECRET,
  PUBLIC_URL,
  SHOP_SECRET,
  choose,
  open,
  setUp,
  token,
} from '../../test/support/bench.ts';

describe('a checkout', () => {
  it('opens from an order token without an invoice', async () => {
    const bench = setUp();
    const { status, body, headers } = await bench.post('/checkouts', {
      order: token({ description: 'Mug', shop_url: 'https://shop.test/' }),
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      stage: 'choose',
      network: 'testnet',
      notes: ['test_network'],
      merchant: { name: 'Test Shop', contact: null },
      order: { order_id: 'A-1', description: 'Mug', amount: { amount: '50.00', currency: 'USD' } },
      payment: null,
      shop_url: 'https://shop.test/',
      success_url: null,
    });
    expect(body.coins.find((coin: { kind: string }) => coin.kind === 'BTC')).toEqual({
      kind: 'BTC',
      name: 'Bitcoin',
      network: 'Bitcoin',
      symbol: 'BTC',
      approx: '0.001',
      fee_usd: '2.1',
      seconds: 600,
      gas: null,
    });
    expect(headers.get('location')).toBe(`${PUBLIC_URL}/pay/${body.id}/`);
    expect(bench.service.invoices).toHaveLength(0);
  });

  it('has an id of 128 bits of HMAC(order_secret, order_id)', async () => {
    const { id } = await open(setUp());
    expect(id).toBe(
      base32(createHmac('sha256', ORDER_SECRET).update('A-1').digest().subarray(0, 16)),
    );
  });

  it('contains only the listed members in every stage', async () => {
    const bench = setUp();
    const views = [await open(bench, { order_id: 'A-0' })];
    const chosen = await choose(bench);
    views.push(chosen);
    const payment = bench.service.pay(chosen.payment.invoice_id);
    for (const confirmations of [0, 1, 6]) {
      bench.service.confirm(payment, confirmations);
      await bench.call('transaction_pending', payment.id);
      views.push((await bench.get(`/checkouts/${chosen.id}`)).body);
    }
    expect(views.map(({ stage }) => stage)).toEqual(['choose', 'pay', 'seen', 'paid', 'complete']);
    for (const view of views) expect(CheckoutSchema.safeParse(view).error).toBeUndefined();
    const keys = new Set<string>();
    JSON.stringify(views, (key, value: unknown) => {
      if (key !== '' && !/^\d+$/.test(key)) keys.add(key);
      return value;
    });
    expect([...keys].toSorted()).toEqual(
      // All keys of the view. Add only keys that may be public.
      'address amount approx coins confirmations contact created_at currency description due expires_at explorer_url extendable fee_usd final from gas have id invoice_id invoiced kid kind late legal lightning lightning_proof link logo merchant minimum_withdrawal name need network notes onramp order order_id overpaid paid path payment proof public_address qr quoted_at rate received remaining renewable seconds server_time shop_url signature signed_terms size stage status strings success_url symbol tag transactions txid usual_seconds value version x_address'.split(
        ' ',
      ),
    );
  });

  it('has the proof of the service and the texts that it signs', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const invoice = bench.service.invoice(payment.invoice_id);
    expect(invoice.order_id).toBe('A-1');
    expect(payment).toMatchObject({
      proof: { kid: 'test-key', signature: `signature of ${invoice.id}` },
      lightning_proof: null,
      signed_terms: {
        order_id: 'A-1',
        ...invoice.amount.requested,
        invoiced: invoice.amount.invoiced.amount,
        expires_at: invoice.expires_at,
      },
    });
    invoice.proof = null;
    bench.advance(60);
    const { body } = await bench.get(`/checkouts/${id}`);
    expect([body.payment.proof, body.payment.signed_terms]).toEqual([null, null]);
  });

  it('is the same when an order is opened again', async () => {
    const bench = setUp();
    const first = await open(bench);
    const again = await open(bench, { exp: Date.parse('2026-11-21T08:30:00Z') / 1000 });
    expect(again.id).toBe(first.id);
    const { status, body } = await bench.post('/checkouts', { order: token({ amount: '50.00' }) });
    expect([status, body.id]).toEqual([201, first.id]);
  });

  it('rejects other terms for the same order, unless the shop replaces them', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const { status, body } = await bench.post('/checkouts', { order: token({ amount: '0.01' }) });
    expect([status, body.reason]).toEqual([409, 'DuplicateReference']);
    expect((await bench.get(`/checkouts/${id}`)).body.order.amount.amount).toBe('50.00');

    const shop = { authorization: `Bearer ${SHOP_SECRET}` };
    const replaced = await bench.post(
      '/checkouts',
      { order: { order_id: 'A-1', amount: '40', currency: 'USD' } },
      shop,
    );
    expect([replaced.status, replaced.body.id, replaced.body.order.amount.amount]).toEqual([
      201,
      id,
      '40.00',
    ]);
  });

  it('shows the amount with the decimals of the currency, and reports it as the shop wrote it', async () => {
    const bench = setUp();
    const { order, payment } = await choose(bench, 'BTC', { amount: '18.5' });
    expect(order.amount).toEqual({ amount: '18.50', currency: 'USD' });
    bench.service.pay(payment.invoice_id);
    await bench.call('invoice_pending', payment.invoice_id);
    expect(bench.events[0]).toMatchObject({ amount: '18.5' });
    const yen = await open(bench, { order_id: 'A-2', amount: '1500', currency: 'JPY' });
    expect(yen.order.amount).toEqual({ amount: '1500', currency: 'JPY' });
  });

  it('keeps its terms after a payment', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    const paid = bench.service.pay(payment.invoice_id, { amount: '0.0001' });
    await bench.call('transaction_pending', paid.id);
    const shop = { authorization: `Bearer ${SHOP_SECRET}` };
    const { status } = await bench.post(
      '/checkouts',
      { order: { order_id: 'A-1', amount: '1', currency: 'USD' } },
      shop,
    );
    expect(status).toBe(409);
  });

  it('opens a new order for each item of the catalogue', async () => {
    const bench = setUp({
      catalogue: { mug: { description: 'Mug', amount: '18.50', currency: 'USD', max_quantity: 5 } },
    });
    const one = await bench.post('/checkouts', { item: 'mug' });
    const three = await bench.post('/checkouts', { item: 'mug', quantity: 3 });
    expect([one.status, one.body.order.amount.amount]).toEqual([201, '18.50']);
    expect(three.body.order).toMatchObject({ amount: { amount: '55.50' }, description: '3 × Mug' });
    expect(one.body.id).not.toBe(three.body.id);
    for (const request of [
      { item: 'mug', quantity: 6 },
      { item: 'mug', quantity: 0 },
      { item: '__proto__' },
      { item: 'hat' },
      { item: 'mug', amount: '0.01', quantity: -1 },
    ])
      expect((await bench.post('/checkouts', request)).status).toBe(400);
  });

  it('rejects a price from a browser', async () => {
    const bench = setUp();
    for (const body of [
      { order_id: 'x', amount: '1', currency: 'USD' },
      { order: { order_id: 'x', amount: '1', currency: 'USD' } },
      { amount: '1' },
      {},
      [],
      'x',
      null,
    ])
      expect((await bench.post('/checkouts', JSON.stringify(body))).status).toBeGreaterThanOrEqual(
        400,
      );
    const priced = await bench.post('/checkouts', { order: token(), amount: '0.01' });
    expect(priced.body.order.amount.amount).toBe('50.00');
  });

  it('answers 304 without a change, and a greater version after one', async () => {
    const bench = setUp();
    const { id, version } = await choose(bench);
    const first = await bench.get(`/checkouts/${id}`);
    const etag = first.headers.get('etag') ?? '';
    const second = await bench.get(`/checkouts/${id}`, { 'if-none-match': etag });
    expect([second.status, second.body, second.headers.get('etag')]).toEqual([304, '', etag]);
    bench.service.pay(first.body.payment.invoice_id);
    await bench.call('invoice_pending', first.body.payment.invoice_id);
    const third = await bench.get(`/checkouts/${id}`, { 'if-none-match': etag });
    expect(third.status).toBe(200);
    expect(third.body.stage).toBe('seen');
    expect(third.body.version).toBeGreaterThan(version);
  });

  it('compares If-None-Match weakly, as proxies that compress need it', async () => {
    const bench = setUp();
    const { id } = await choose(bench);
    const path = `/checkouts/${id}`;
    const etag = (await bench.get(path)).headers.get('etag') ?? '';
    const statusFor = async (tags: string, method = 'GET'): Promise<number> =>
      (await bench.bff.request(path, { method, headers: { 'if-none-match': tags } })).status;
    for (const tags of [etag, `W/${etag}`, `"other", W/${etag}`, `${etag},"other"`, ' * '])
      expect([tags, await statusFor(tags), await statusFor(tags, 'HEAD')]).toEqual([
        tags,
        304,
        304,
      ]);
    const bare = etag.replaceAll('"', '');
    for (const tags of ['"other"', bare, `w/${etag}`, `W/"other", "x"`, `"${bare}x"`, '', '"*"'])
      expect([tags, await statusFor(tags)]).toEqual([tags, 200]);
  });

  it.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ])(
    'is compressed for %s, with a weak tag that a poll sends back',
    async (accepted, coding, read) => {
      const bench = setUp();
      const { id } = await choose(bench);
      const get = async (headers: Record<string, string> = {}): Promise<Response> =>
        bench.bff.request(`/checkouts/${id}`, { headers });
      const [plain, small] = [await get(), await get({ 'accept-encoding': accepted })];
      expect(small.headers.get('content-encoding')).toBe(coding);
      expect(small.headers.get('vary')).toBe('Origin, Accept-Encoding');
      expect(small.headers.get('etag')).toBe(`W/${plain.headers.get('etag')}`);
      const bytes = new Uint8Array(await small.arrayBuffer());
      const text = await plain.text();
      expect(read(bytes).toString()).toBe(text);
      expect(bytes.length).toBeLessThan(text.length / 2);
      const poll = await get({
        'accept-encoding': accepted,
        'if-none-match': small.headers.get('etag') ?? '',
      });
      expect([poll.status, (await poll.arrayBuffer()).byteLength]).toEqual([304, 0]);
      expect(poll.headers.has('content-encoding')).toBe(false);
    },
  );

  it('reports the time of the service', async () => {
    const bench = setUp();
    bench.service.time = Date.parse('2026-12-24T12:00:00Z');
    const { id } = await choose(bench);
    const { body, headers } = await bench.get(`/checkouts/${id}`);
    expect(Math.abs(Date.parse(body.server_time) - bench.service.time)).toBeLessThan(1500);
    expect(Math.abs(Date.parse(headers.get('date') ?? '') - bench.service.time)).toBeLessThan(2500);
  });

  it('survives a restart, without the service', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    bench.restart();
    bench.service.faults.push({ path: /./, how: 'down', times: 99 });
    const { status, body } = await bench.get(`/checkouts/${id}`);
    expect([status, body.stage, body.payment.address]).toEqual([200, 'pay', payment.address]);
  });
});

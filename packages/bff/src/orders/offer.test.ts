import { describe, expect, it } from 'vitest';
import { type Json, PUBLIC_URL, setUp, SHOP_ORIGIN } from '../../test/support/bench.ts';

const catalogue = {
  mug: { description: 'Mug', amount: '18.50', currency: 'USD', max_quantity: 5, kinds: ['BTC'] },
};
const page = { origin: SHOP_ORIGIN };

describe('an offer for an item of the catalogue', () => {
  it('has the price of the catalogue', async () => {
    const bench = setUp({ catalogue });
    for (const offer of [
      { product: 'mug' },
      { product: 'mug', amount: '18.5', currency: 'USD' },
      { product: 'mug', amount: '18.50' },
      { product: 'mug', currency: 'USD' },
    ]) {
      const { status, body } = await bench.post('/checkouts', { offer }, page);
      expect([status, body.order.amount, body.order.description]).toEqual([
        201,
        { amount: '18.50', currency: 'USD' },
        'Mug',
      ]);
    }
  });

  it.each([
    [{ amount: '1' }],
    [{ amount: '18.51', currency: 'USD' }],
    [{ currency: 'EUR' }],
    [{ amount: '-18.5' }],
    [{ amount: '1e3' }],
    [{ amount: '' }],
  ])('is rejected with another price: %j', async (more) => {
    const bench = setUp({ catalogue, allowClientPrices: true });
    const { status, body } = await bench.post(
      '/checkouts',
      { offer: { product: 'mug', ...more } },
      page,
    );
    expect([status, body.reason]).toEqual([400, 'ValidationError']);
    expect(body.message).toBe(
      'The catalogue\'s price of "mug" is 18.50 USD; leave it out, or name the same.',
    );
  });

  it('has a verified price, and its passthrough is returned', async () => {
    const { bench, body } = await paid({ product: 'mug', passthrough: 'cart 7' }, { catalogue });
    expect(body.coins.map(({ kind }: Json) => kind)).toEqual(['BTC']);
    expect(bench.events[0]).toMatchObject({
      event: 'checkout.seen',
      passthrough: 'cart 7',
      amount: '18.50',
    });
    expect(bench.events[0]).not.toHaveProperty('unverified_price');
  });

  it('reaches a shop that polls the status, as published plugins do, without any callback', async () => {
    const bench = setUp({ catalogue });
    const offer = { product: 'mug', passthrough: '{"order_id":65}' };
    const { id } = (await bench.post('/checkouts', { offer }, page)).body;
    const chosen = await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' }, page);
    const { invoice_id } = chosen.body.payment;
    const poll = async (): Promise<string> => {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const path = '/sdk/v1/invoices/status/';
      return (await bench.post(path, `id=${invoice_id}`, form)).body.invoice.status;
    };
    expect(await poll()).toBe('new');
    const payment = bench.service.pay(invoice_id);
    bench.advance(60);
    expect(await poll()).toBe('pending');
    bench.service.confirm(payment, 6);
    bench.advance(60);
    expect(await poll()).toMatch(/^(?:paid|complete)$/);
    // The buyer comes back to the pay page, which names the invoice now.
    const again = await bench.get(`/invoice/${invoice_id}/`, { accept: 'application/json' });
    expect([again.status, again.body.payment.invoice_id]).toEqual([200, invoice_id]);
  });
});

describe('a price that a page sets itself', () => {
  it('is rejected by default, with the name of the setting', async () => {
    const bench = setUp({ catalogue });
    const { status, body } = await bench.post(
      '/checkouts',
      { offer: { product: 'hat', amount: '5', currency: 'USD' } },
      page,
    );
    expect([status, body.reason]).toEqual([403, 'PermissionDenied']);
    expect(body.message).toContain('ALLOW_CLIENT_PRICES=true');
    expect(body.message).toContain('CATALOGUE');
  });

  it('is accepted with ALLOW_CLIENT_PRICES, and marked in all webhooks', async () => {
    const { bench, body } = await paid(
      { product: 'Donation', amount: '50', currency: 'USD', passthrough: { cart: 7 } },
      { allowClientPrices: true },
    );
    expect(body.order).toMatchObject({
      amount: { amount: '50.00', currency: 'USD' },
      description: 'Donation',
    });
    expect(body.shop_url).toBe(`${SHOP_ORIGIN}/`);
    expect(bench.events.length).toBeGreaterThan(1);
    for (const event of bench.events)
      expect(event).toMatchObject({
        unverified_price: true,
        passthrough: '{"cart":7}',
        amount: '50',
      });
  });

  it('is a new order each time', async () => {
    const bench = setUp({ allowClientPrices: true });
    const ids = [];
    for (let time = 0; time < 3; time += 1)
      ids.push(
        (await bench.post('/checkouts', { offer: { amount: '5', currency: 'USD' } }, page)).body.id,
      );
    expect(new Set(ids).size).toBe(3);
  });

  it('is accepted only from pages of EMBED_ORIGINS', async () => {
    const bench = setUp({ allowClientPrices: true });
    const offer = { amount: '5', currency: 'USD' };
    const from = async (headers: Record<string, string>) =>
      (await bench.post('/checkouts', { offer }, headers)).status;
    expect(await from(page)).toBe(201);
    expect(await from({ origin: PUBLIC_URL })).toBe(201);
    expect(await from({})).toBe(403);
    for (const origin of [
      'https://evil.test',
      'null',
      `${SHOP_ORIGIN}.evil.test`,
      `${SHOP_ORIGIN}:444`,
      SHOP_ORIGIN.replace('https', 'http'),
    ])
      expect([origin, await from({ origin })]).toEqual([origin, 403]);
  });

  it.each([
    ['no amount', { currency: 'USD' }],
    ['no currency', { amount: '5' }],
    ['nothing', {}],
    ['zero', { amount: '0', currency: 'USD' }],
    ['less than nothing', { amount: '-5', currency: 'USD' }],
    ['an exponent', { amount: '1e9', currency: 'USD' }],
    ['a number', { amount: 5, currency: 'USD' }],
    ['more decimals than the currency has', { amount: '5.001', currency: 'USD' }],
    ['more than anything costs', { amount: '1000000000', currency: 'USD' }],
    ['a currency that is none', { amount: '5', currency: 'XXX' }],
    ['a currency of a prototype', { amount: '5', currency: 'toString' }],
    ['a name that is too long', { product: 'x'.repeat(201), amount: '5', currency: 'USD' }],
    [
      'a passthrough that is too long',
      { amount: '5', currency: 'USD', passthrough: 'x'.repeat(4097) },
    ],
    ['a passthrough with NUL', { amount: '5', currency: 'USD', passthrough: 'a\0b' }],
    ['a passthrough that is a number', { amount: '5', currency: 'USD', passthrough: 1 }],
  ])('is rejected with %s', async (_, offer) => {
    const bench = setUp({ allowClientPrices: true });
    const { status, body } = await bench.post('/checkouts', { offer }, page);
    expect([status, body.reason, body.errors?.length]).toEqual([400, 'ValidationError', 1]);
  });

  it('keeps the longest passthrough, which does not fit into the envelope', async () => {
    const passthrough = 'ü'.repeat(4096);
    const { bench } = await paid(
      { amount: '50', currency: 'USD', passthrough },
      { allowClientPrices: true },
    );
    expect(bench.events[0]?.passthrough).toBe(passthrough);
    for (const invoice of bench.service.invoices)
      expect(invoice.passthrough!.length).toBeLessThanOrEqual(4096);
  });

  it('is restored from the invoice alone, still marked', async () => {
    const { bench, body } = await paid(
      { amount: '50', currency: 'USD', passthrough: 'cart 7' },
      { allowClientPrices: true },
    );
    const events: Json[] = [];
    const other = setUp({
      fetch: bench.service.fetch,
      onEvent: async (event) => void events.push(event),
    });
    await other.get(`/checkouts/${body.payment.invoice_id}`);
    await other.bff.tick();
    expect(events[0]).toMatchObject({ unverified_price: true, passthrough: 'cart 7' });
  });

  it('has no success link outside SUCCESS_ORIGINS', async () => {
    const bench = setUp({ allowClientPrices: true });
    const offer = { amount: '50', currency: 'USD' };
    const ask = async (success_url: string) => {
      const { body } = await bench.post('/checkouts', { offer, success_url }, page);
      const { payment } = (await bench.post(`/checkouts/${body.id}/payment`, { kind: 'BTC' })).body;
      await bench.call(
        'transaction_confirmed',
        bench.service.pay(payment.invoice_id, { confirmations: 1 }).id,
      );
      return (await bench.get(`/checkouts/${body.id}`)).body.success_url;
    };
    expect(await ask(`${SHOP_ORIGIN}/thanks`)).toBe(`${SHOP_ORIGIN}/thanks`);
    expect(await ask('https://evil.test/thanks')).toBeNull();
  });

  it('has the rate limits of every order', async () => {
    const bench = setUp({ allowClientPrices: true, rateLimit: { perSecond: 20, burst: 60 } });
    const statuses = [];
    for (let time = 0; time < 40; time += 1)
      statuses.push(
        (await bench.post('/checkouts', { offer: { amount: '5', currency: 'USD' } }, page)).status,
      );
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(30);
    expect(statuses.at(-1)).toBe(429);
  });
});

async function paid(offer: object, options: Parameters<typeof setUp>[0]) {
  const bench = setUp(options);
  const { id } = (await bench.post('/checkouts', { offer }, page)).body;
  const { body } = await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' });
  const transaction = bench.service.pay(body.payment.invoice_id, { confirmations: 1 });
  await bench.call('transaction_confirmed', transaction.id);
  return { bench, body };
}

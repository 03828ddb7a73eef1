import { checkout as CheckoutSchema } from '@crypto-checkout/protocol/schema/checkout';
import { describe, expect, it } from 'vitest';
import { HOSTILE_LINKS, HOSTILE_TEXTS } from '../../test/support/hostile-input.ts';
import {
  type Bench,
  type Json,
  choose,
  open,
  setUp,
  SHOP_ORIGIN,
} from '../../test/support/bench.ts';

describe('a hostile text', () => {
  it('has more than 40 texts and 30 links as cases', () => {
    expect(new Set(HOSTILE_TEXTS).size).toBeGreaterThanOrEqual(40);
    expect(new Set(HOSTILE_LINKS).size).toBeGreaterThanOrEqual(30);
  });

  it.each(HOSTILE_TEXTS)('in an order stays text in the view and on the page: %j', async (text) => {
    const bench = setUp({ merchantName: text });
    const view = await choose(bench, 'BTC', { order_id: `A-1 ${text}`, description: text });
    await expectData(bench, view.id, (shown) => {
      expect([shown.merchant.name, shown.order.description, shown.order.order_id]).toEqual([
        text,
        text,
        `A-1 ${text}`,
      ]);
    });
  });

  it.each(HOSTILE_TEXTS)('in the notes of an invoice stays text: %j', async (text) => {
    const bench = setUp();
    const { payment } = await choose(bench);
    const invoice = bench.service.invoice(payment.invoice_id);
    Object.assign(invoice, { notes: text, passthrough: text });
    const other = setUp({ fetch: bench.service.fetch });
    await expectData(other, payment.invoice_id, (shown) =>
      expect(shown.order.description).toBe(text),
    );
  });

  it.each(HOSTILE_TEXTS)('in an offer stays text, also in the webhook: %j', async (text) => {
    const bench = setUp({ allowClientPrices: true });
    const offer = { product: text, amount: '50', currency: 'USD', passthrough: text };
    const { id } = (await bench.post('/checkouts', { offer }, { origin: SHOP_ORIGIN })).body;
    const { payment } = (await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })).body;
    await expectData(bench, id, (shown) => expect(shown.order.description).toBe(text));
    await bench.call('transaction_pending', bench.service.pay(payment.invoice_id).id);
    expect(bench.events[0]?.passthrough).toBe(text);
  });

  it.each(HOSTILE_TEXTS)(
    'from the service instead of a status, an address or a txid stays text: %j',
    async (text) => {
      const bench = setUp();
      const { id, payment } = await choose(bench, 'ETH');
      const paid = bench.service.pay(payment.invoice_id, { amount: '0.001' });
      Object.assign(paid, { txid: text, status: text });
      Object.assign(bench.service.invoice(payment.invoice_id), { address: text });
      await bench.call('transaction_pending', paid.id);
      await expectData(bench, id, (shown) => {
        const { payment, received } = shown;
        expect(
          [payment.transactions, received].map((all) => all.map((one: Json) => one.txid)),
        ).toEqual([[text], [text]]);
        for (const one of [...payment.transactions, ...received])
          expect(one.explorer_url).toBeNull();
      });
    },
  );

  it.each(HOSTILE_TEXTS)(
    'as an id, a coin or a source is rejected in JSON and not repeated as markup: %j',
    async (text) => {
      const bench = setUp();
      const { id } = await open(bench);
      for (const answer of [
        await bench.get(`/checkouts/${encodeURIComponent(text)}`),
        await bench.post(`/checkouts/${id}/payment`, { kind: text }),
        await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC', from: text }),
        await bench.post('/checkouts', { item: text }),
        await bench.post('/checkouts', { offer: { product: text } }, { origin: SHOP_ORIGIN }),
      ]) {
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
        expect(answer.headers.get('content-type')).toBe('application/json');
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      }
    },
  );
});

describe('a hostile link', () => {
  it.each(HOSTILE_LINKS)('requested with a checkout is not followed: %j', async (link) => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    await bench.get(`/checkouts/${id}?success_url=${encodeURIComponent(link)}`);
    await bench.get(`/pay/${id}/?success_url=${encodeURIComponent(link)}`);
    await bench.bff.request(`/checkouts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    await settle(bench, payment.invoice_id);
    await expectNoLink(bench, id, link);
  });

  it.each(HOSTILE_LINKS)(
    'in a signed order is not followed, nor as a way back: %j',
    async (link) => {
      const bench = setUp();
      if (link.includes('\0')) {
        await expect(open(bench, { success_url: link })).rejects.toThrow(
          'success_url must be a text of up to 2000 characters, without U+0000',
        );
        return;
      }
      const { id, payment } = await choose(bench, 'BTC', { success_url: link, shop_url: link });
      await settle(bench, payment.invoice_id);
      await expectNoLink(bench, id, link);
    },
  );

  it.each(HOSTILE_LINKS)('in an offer is not followed: %j', async (link) => {
    const bench = setUp({ allowClientPrices: true });
    const offer = { amount: '50', currency: 'USD' };
    const { id } = (
      await bench.post(
        '/checkouts',
        { offer, success_url: link, shop_url: link },
        { origin: SHOP_ORIGIN },
      )
    ).body;
    const { payment } = (await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })).body;
    await settle(bench, payment.invoice_id);
    const { body } = await bench.get(`/checkouts/${id}`);
    expect([body.stage, body.success_url, body.shop_url]).toEqual([
      'paid',
      null,
      `${SHOP_ORIGIN}/`,
    ]);
  });

  it('differs from a valid one', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'BTC', {
      success_url: 'https://any.example/{checkout_id}',
      shop_url: 'https://any.example/',
    });
    await settle(bench, payment.invoice_id);
    const { body } = await bench.get(`/checkouts/${id}`);
    expect([body.success_url, body.shop_url]).toEqual([
      `https://any.example/${id}`,
      'https://any.example/',
    ]);
  });
});

/**
 * The view contains the text unchanged, in JSON that no browser renders; the page and the stream
 * contain it as text.
 */
async function expectData(bench: Bench, id: string, look: (view: Json) => void): Promise<void> {
  const { body, headers } = await bench.get(`/checkouts/${id}`);
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(CheckoutSchema.safeParse(body).error).toBeUndefined();
  look(body);

  const stream = (await bench.bff.request(`/checkouts/${id}/events`)).body!.getReader();
  let text = '';
  while (!/(?:^|\n)data:[^\n]*\n\n/.test(text))
    text += new TextDecoder().decode((await stream.read()).value);
  await stream.cancel();
  const data = text.split(/\r\n|\r|\n/).filter((line) => line.startsWith('data:'));
  expect(data).toHaveLength(1);
  look(JSON.parse(data[0]!.slice('data:'.length)));

  const page = await bench.get(id.includes('-') ? `/invoice/${id}/` : `/pay/${id}/`, {
    accept: 'text/html',
  });
  expect(page.status).toBe(200);
  for (const markup of HOSTILE_TEXTS.filter((one) => one.includes('<')))
    expect(page.body.includes(markup)).toBe(false);
  const withoutValues = page.body.replaceAll(/=("[^"]*"|'[^']*')/g, '=""');
  expect(withoutValues).not.toMatch(/<[a-z][^<>]*\son\w+\s*=/i);

  const terminal = await bench.get(id.includes('-') ? `/invoice/${id}/` : `/pay/${id}/`, {
    accept: 'text/plain',
    'user-agent': 'curl/8.7.1',
  });
  if (terminal.headers.get('content-type')?.startsWith('text/plain'))
    expect(terminal.body).not.toMatch(/[^\P{Cc}\n]/u);
}

async function settle(bench: Bench, invoiceId: string): Promise<void> {
  const paid = bench.service.pay(invoiceId, { confirmations: 1 });
  await bench.call('transaction_confirmed', paid.id);
}

async function expectNoLink(bench: Bench, id: string, link: string): Promise<void> {
  const { body } = await bench.get(`/checkouts/${id}`);
  expect([body.stage, body.success_url, body.shop_url]).toEqual(['paid', null, null]);
  expect(JSON.stringify(body)).not.toContain(JSON.stringify(link));
}

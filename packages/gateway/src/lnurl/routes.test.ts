import { createHash } from 'node:crypto';
import type { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeBolt11 } from '@crypto-checkout/chains/lightning/bolt11';
import { decodeLnurl } from '@crypto-checkout/chains/lightning/lnurl';
import { createApp } from '../app.ts';
import type { Env } from '../http/env.ts';
import { testShop, type ShownInvoice, type TestShop } from '../../test/support/shop.ts';
import { testConfig } from '../../test/support/call.ts';

let shop: TestShop;
let app: Hono<Env>;
beforeAll(async () => {
  const config = testConfig({ LNURL_BASE_URL: 'https://pay.example' });
  shop = await testShop({ chains: ['lightning', 'bitcoin'], overrides: { config } });
  app = createApp(shop.context);
});
afterAll(() => shop.close());

interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read arbitrary answers
  body: any;
}

/** Requests the LNURL's address at the test host, as a wallet does. */
async function ask(url: string): Promise<Answer> {
  const { pathname, search } = new URL(url);
  const answer = await app.request(pathname + search);
  return { status: answer.status, body: await answer.json() };
}

const codeOf = (invoice: ShownInvoice): string => decodeLnurl(invoice.lightning?.lnurl ?? '');
const create = (payload: Record<string, unknown> = {}): Promise<ShownInvoice> =>
  shop.create({ kind: 'BTC_LIGHTNING_LNURL', ...payload });

/** The child invoice of a payment request. */
async function childOf(request: string): Promise<ShownInvoice> {
  const { id } = await shop.context.db
    .selectFrom('deposit_target as d')
    .innerJoin('invoice as i', 'i.id', 'd.invoice_id')
    .select('i.id')
    .where('d.watch_key', '=', `ln:${decodeBolt11(request).paymentHash}`)
    .executeTakeFirstOrThrow();
  return shop.get(id);
}

describe('LNURL invoice', () => {
  it('has a code but no request or hash, and never expires', async () => {
    const invoice = await create();
    expect(invoice).toMatchObject({
      address: null,
      expires_at: null,
      lightning: {
        payment_request: null,
        payment_hash: null,
        lnurl: expect.stringMatching(/^lnurl1/),
        lnurl_invoice_id: null,
      },
    });
    expect(codeOf(invoice)).toBe(`https://pay.example/lnurl/${invoice.id}`);
    await shop.advance(30 * 86_400);
    expect((await shop.get(invoice.id)).status).toBe('new');
  });

  it('answers the accepted range around the amount at the current rate', async () => {
    const invoice = await create();
    const { status, body } = await ask(codeOf(invoice));
    expect(status).toBe(200);
    // 100 USD at 50,000 are 200,000 satoshi; half a percent either way.
    expect(body).toEqual({
      tag: 'payRequest',
      callback: `https://pay.example/lnurl/${invoice.id}/callback`,
      minSendable: 199_000_000,
      maxSendable: 201_000_000,
      metadata: JSON.stringify([['text/plain', `Invoice ${invoice.id}`]]),
    });
  });

  it('adds the custom fee, which is deducted from the payment', async () => {
    const invoice = await create({ fee_amount: '0.0005' });
    const { body } = await ask(codeOf(invoice));
    // 250,000 satoshi with the fee; half a percent either way.
    expect(body).toMatchObject({ minSendable: 248_750_000, maxSendable: 251_250_000 });
    const child = await childOf((await ask(`${body.callback}?amount=250000000`)).body.pr);
    expect(child).toMatchObject({
      custom_fee: { amount: '0.0005', currency: 'BTC' },
      amount: { invoiced: { amount: '0.0025' } },
    });
    await shop.pay(child.id);
    for (const { id } of [child, invoice])
      expect(await shop.get(id)).toMatchObject({
        status: 'complete',
        amount: { paid: { amount: '0.002' }, paid_total: { amount: '0.0025' } },
      });
  });

  it('answers whole satoshis and rejects fractions, which cannot be paid out', async () => {
    // 10,420 satoshi; half a percent either way is 10,367.9 to 10,472.1.
    const invoice = await create({ amount: '5.21' });
    const { body } = await ask(codeOf(invoice));
    expect(body).toMatchObject({ minSendable: 10_368_000, maxSendable: 10_472_000 });
    expect((await ask(`${body.callback}?amount=10400001`)).body).toEqual({
      status: 'ERROR',
      reason: 'The amount must be a whole number of satoshis: a multiple of 1000 millisatoshi.',
    });
    for (const bound of [body.minSendable, body.maxSendable])
      expect((await ask(`${body.callback}?amount=${bound}`)).body.pr).toMatch(/^lntb/);
  });

  it('without an amount accepts one satoshi up to the limit', async () => {
    const { body } = await ask(
      codeOf(await create({ amount: undefined, notes: 'thank you "all"' })),
    );
    expect(body).toMatchObject({ minSendable: 1_000, maxSendable: 1_000_000_000_000 });
    expect(JSON.parse(body.metadata)).toEqual([['text/plain', 'thank you "all"']]);
  });

  it('is rejected if its minimum exceeds the limit of one payment', async () => {
    const refused = (amount: string) => ({
      reason: 'ValidationError',
      errors: [{ field: 'amount', message: expect.stringContaining(amount) }],
    });
    await expect(create({ currency: 'BTC', amount: '1000' })).rejects.toMatchObject(
      refused('1000 BTC'),
    );
    await expect(create({ currency: 'BTC', amount: '10.1' })).rejects.toMatchObject(
      refused('at most 10 BTC'),
    );
    await expect(create({ currency: 'USD', amount: '600000' })).rejects.toMatchObject(
      refused('12 BTC'),
    );
    await expect(create({ currency: 'BTC', amount: '10', fee_amount: '1' })).rejects.toMatchObject(
      refused('11 BTC'),
    );
    // Half a percent less is within the limit.
    const { body } = await ask(codeOf(await create({ currency: 'BTC', amount: '10.05' })));
    expect(body).toMatchObject({ minSendable: 999_975_000_000, maxSendable: 1_000_000_000_000 });
  });

  it('answers an error if its amount has risen above the limit', async () => {
    const invoice = await create({ currency: 'BTC', amount: '1' });
    await shop.context.db
      .updateTable('invoice')
      .set({ requested_text: '1000' })
      .where('id', '=', invoice.id)
      .execute();
    expect((await ask(codeOf(invoice))).body).toEqual({
      status: 'ERROR',
      reason: 'The amount exceeds the limit of one payment to this wallet.',
    });
  });

  it('creates a child invoice; its payment completes and reports both', async () => {
    const invoice = await create({ passthrough: 'order 7' });
    const offer = (await ask(codeOf(invoice))).body;
    const { body } = await ask(`${offer.callback}?amount=200001000`);
    expect(body).toEqual({ pr: expect.stringMatching(/^lntb/), routes: [] });
    const request = decodeBolt11(body.pr);
    expect(request.amountMsat).toBe(200_001_000n);
    expect(request.descriptionHash).toBe(createHash('sha256').update(offer.metadata).digest('hex'));

    const child = await childOf(body.pr);
    expect(child).toMatchObject({
      kind: 'BTC_LIGHTNING',
      address: null,
      status: 'new',
      passthrough: 'order 7',
      lightning: { payment_request: body.pr, lnurl_invoice_id: invoice.id },
      amount: { requested: { amount: '0.00200001', currency: 'BTC' } },
    });
    expect(child.notes).toContain(invoice.id);
    expect(Date.parse(child.expires_at ?? '') / 1000).toBe(
      request.timestamp + request.expirySeconds,
    );

    await shop.pay(child.id);
    expect((await shop.get(child.id)).status).toBe('complete');
    const parent = await shop.get(invoice.id);
    expect(parent).toMatchObject({
      status: 'complete',
      amount: { paid: { amount: '0.00200001' } },
    });
    expect(parent.transactions).toHaveLength(1);
    const events = ['invoice_pending', 'invoice_confirmed', 'invoice_complete'];
    expect(await shop.events(child.id)).toEqual(events);
    expect(await shop.events(invoice.id)).toEqual(events);
    expect((await ask(codeOf(invoice))).body).toEqual({
      status: 'ERROR',
      reason: 'This invoice is already paid.',
    });
  });

  it('reuses the open request of an amount, and allows twenty open requests', async () => {
    const { callback } = (await ask(codeOf(await create({ amount: undefined })))).body;
    const first = (await ask(`${callback}?amount=5000`)).body.pr;
    expect((await ask(`${callback}?amount=5000`)).body.pr).toBe(first);
    for (let extra = 1; extra < 20; extra += 1)
      expect((await ask(`${callback}?amount=${5000 + 1000 * extra}`)).body.pr).toMatch(/^lntb/);
    expect((await ask(`${callback}?amount=90000`)).body).toEqual({
      status: 'ERROR',
      reason: expect.stringContaining('Too many'),
    });
    await shop.advance(901);
    expect((await ask(`${callback}?amount=90000`)).body.pr).toMatch(/^lntb/);
  });

  it('does so under concurrency', async () => {
    const { callback } = (await ask(codeOf(await create({ amount: undefined })))).body;
    const same = await Promise.all(
      Array.from({ length: 20 }, () => ask(`${callback}?amount=5000`)),
    );
    expect(new Set(same.map(({ body }) => body.pr)).size).toBe(1);
    const others = await Promise.all(
      Array.from({ length: 30 }, (_, extra) => ask(`${callback}?amount=${6000 + 1000 * extra}`)),
    );
    expect(others.filter(({ body }) => body.pr !== undefined)).toHaveLength(19);
  });

  it('without an amount accepts further payments', async () => {
    const invoice = await create({ amount: undefined });
    for (const amount of [5_000, 6_000]) {
      const { callback } = (await ask(codeOf(invoice))).body;
      await shop.pay((await childOf((await ask(`${callback}?amount=${amount}`)).body.pr)).id);
    }
    expect(await shop.get(invoice.id)).toMatchObject({
      status: 'complete',
      amount: { paid: { amount: '0.00000011' } },
    });
    expect(await shop.events(invoice.id)).toEqual([]);
  });

  it.each([
    '',
    '?amount=',
    '?amount=abc',
    '?amount=-1',
    '?amount=1.5',
    '?amount=1e9',
    '?amount=99999999999999999999',
  ])('answers as LUD-06 says to %j', async (query) => {
    const { status, body } = await ask(`${codeOf(await create())}/callback${query}`);
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'ERROR', reason: expect.stringContaining('millisatoshi') });
  });

  it.each([198_999_999, 201_000_001, 0])(
    'rejects %i millisatoshi, out of range',
    async (amount) => {
      const { body } = await ask(`${codeOf(await create())}/callback?amount=${amount}`);
      expect(body).toEqual({
        status: 'ERROR',
        reason: 'The amount must be 199000000 to 201000000 millisatoshi.',
      });
    },
  );

  it.each(['x', '00000000-0000-4000-8000-000000000000', '%00'])(
    'answers NotFound for %s',
    async (id) => {
      for (const path of [`/lnurl/${id}`, `/lnurl/${id}/callback?amount=1000`]) {
        const { status, body } = await ask(`https://pay.example${path}`);
        expect(status).toBe(404);
        expect(body).toEqual({ status: 'ERROR', reason: expect.any(String) });
      }
    },
  );

  it('does not exist for invoices of other kinds', async () => {
    const { id } = await shop.create();
    expect((await ask(`https://pay.example/lnurl/${id}`)).status).toBe(404);
  });

  it('cannot be paid directly', async () => {
    const { id } = await create();
    await expect(shop.pay(id)).rejects.toThrow('LNURL');
  });
});

import { createHmac, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ShopEventName, verifyWebhook } from '@crypto-checkout/client';
import { SHOP_EVENTS } from '@crypto-checkout/protocol/shop-event';
import { CALLBACK_TOKEN, PROFILE_ID } from '../../test/support/fake-service.ts';
import {
  ORDER_SECRET,
  WEBHOOK_SECRET,
  choose,
  open,
  setUp,
  token,
} from '../../test/support/bench.ts';

describe('a callback', () => {
  it('updates the checkout and notifies the shop before the response', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const paid = bench.service.pay(payment.invoice_id);
    expect(await bench.call('invoice_pending', payment.invoice_id)).toBe(200);
    bench.service.confirm(paid, 1);
    expect(await bench.call('invoice_confirmed', payment.invoice_id)).toBe(200);
    bench.service.confirm(paid, 6);
    expect(await bench.call('invoice_complete', payment.invoice_id)).toBe(200);
    expect(bench.events).toEqual(
      (['seen', 'paid', 'complete'] as const).map((stage) => ({
        event: `checkout.${stage}`,
        checkout_id: id,
        order_id: 'A-1',
        amount: '50',
        currency: 'USD',
        network: 'testnet',
        stage,
        notes: ['test_network'],
        invoice_id: payment.invoice_id,
        kind: 'BTC',
        paid: '50',
        payment: { transaction_id: paid.id, txid: paid.txid, kind: 'BTC', amount: '0.001' },
      })),
    );
  });

  it('reports `paid` with the decimals of the order', async () => {
    const bench = setUp();
    const { payment } = await choose(bench, 'BTC', { amount: '50.00' });
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await bench.call('invoice_confirmed', payment.invoice_id);
    expect(bench.events.at(-1)).toMatchObject({
      event: 'checkout.paid',
      amount: '50.00',
      paid: '50.00',
    });
  });

  it('is not trusted: the invoice is read again', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const lie = { ...bench.service.invoice(payment.invoice_id), status: 'complete' };
    expect(await bench.call('invoice_complete', payment.invoice_id, { result: lie })).toBe(200);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('pay');
    expect(bench.events).toEqual([]);
  });

  it('changes nothing when it is reordered, repeated or late', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const paid = bench.service.pay(payment.invoice_id, { confirmations: 6 });
    const callbackId = randomUUID();
    for (const event of [
      'invoice_complete',
      'invoice_pending',
      'invoice_confirmed',
      'invoice_complete',
    ])
      expect(await bench.call(event, payment.invoice_id)).toBe(200);
    expect(await bench.call('transaction_complete', paid.id, { callbackId })).toBe(200);
    const reads = bench.service.requests.length;
    expect(await bench.call('transaction_complete', paid.id, { callbackId })).toBe(200);
    expect(bench.service.requests.length).toBe(reads);
    expect(bench.events.map(({ event }) => event)).toEqual([
      'checkout.seen',
      'checkout.paid',
      'checkout.complete',
    ]);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('complete');
  });

  it('about another resource gets 200 and changes nothing', async () => {
    const bench = setUp();
    const unknown = { id: randomUUID(), status: 'complete' };
    expect(await bench.call('payout_complete', '', { result: unknown })).toBe(200);
    expect(await bench.call('invoice_complete', '', { result: unknown })).toBe(200);
    expect(await bench.call('invoice_invented', '', { result: { id: '../../etc/passwd' } })).toBe(
      200,
    );
    expect(
      await bench.call('transaction_complete', '', { result: { id: 'x', invoice: null } }),
    ).toBe(200);
    expect(bench.events).toEqual([]);
  });

  describe('with an invalid signature', () => {
    const bench = setUp();
    const prepared = choose(bench).then(({ payment }) =>
      bench.service.pay(payment.invoice_id, { confirmations: 6 }),
    );
    const forgeries: Record<string, () => Promise<Request>> = {
      'signed with another token': async () =>
        bench.service.callback('transaction_complete', (await prepared).id, {
          at: bench.clock.now,
          token: 'x'.repeat(30),
        }),
      'signed with an empty token': async () =>
        bench.service.callback('transaction_complete', (await prepared).id, {
          at: bench.clock.now,
          token: '',
        }),
      'without webhook headers': async () =>
        bench.service.callback('transaction_complete', (await prepared).id, {
          at: bench.clock.now,
          headers: false,
        }),
      'from ten minutes ago': async () =>
        bench.service.callback('transaction_complete', (await prepared).id, {
          at: bench.clock.now - 600_000,
        }),
      'from ten minutes ahead': async () =>
        bench.service.callback('transaction_complete', (await prepared).id, {
          at: bench.clock.now + 600_000,
        }),
      'with another body under its signature': async () => {
        const request = bench.service.callback('transaction_complete', (await prepared).id, {
          at: bench.clock.now,
        });
        return new Request(request.url, {
          method: 'POST',
          headers: request.headers,
          body: (await request.text()).replace('"confirmations":6', '"confirmations":7'),
        });
      },
      'with another id in the body': async () => {
        const request = bench.service.callback('transaction_complete', (await prepared).id, {
          at: bench.clock.now,
        });
        const body = JSON.stringify({
          ...(JSON.parse(await request.text()) as object),
          callback_id: randomUUID(),
        });
        return new Request(request.url, { method: 'POST', headers: request.headers, body });
      },
      'without a signature': async () =>
        new Request('http://pay.test/callbacks', {
          method: 'POST',
          body: JSON.stringify({
            callback_id: 'x',
            callback_status: 'invoice_complete',
            result: {},
          }),
        }),
      'that is no JSON': async () =>
        new Request('http://pay.test/callbacks', { method: 'POST', body: 'paid=1' }),
      'that is empty': async () => new Request('http://pay.test/callbacks', { method: 'POST' }),
      'with an array for a result': async () => {
        const id = randomUUID();
        const signature = createHmac('sha256', CALLBACK_TOKEN).update(id).digest('hex');
        return new Request('http://pay.test/callbacks', {
          method: 'POST',
          body: JSON.stringify({
            callback_id: id,
            callback_status: 'invoice_complete',
            signature,
            result: [],
          }),
        });
      },
    };
    for (const [name, forge] of Object.entries(forgeries))
      it(`${name} gets 401 and changes nothing`, async () => {
        const answer = await bench.bff.request(await forge());
        expect([answer.status, ((await answer.json()) as { reason: string }).reason]).toEqual([
          401,
          'InvalidApiKey',
        ]);
        expect(bench.events).toEqual([]);
      });

    it('is rejected and logged within a limit that does not affect valid callbacks or checkouts', async () => {
      const warned: string[] = [];
      const log = {
        info: () => undefined,
        warn: (_: object, text: string) => void warned.push(text),
        error: () => undefined,
      };
      const besieged = setUp({ rateLimit: { perSecond: 20, burst: 60 }, log });
      const { payment } = await choose(besieged);
      // Any web page can make its visitors send this request.
      const forge = () =>
        besieged.bff.request('/callbacks', {
          method: 'POST',
          headers: { origin: 'https://elsewhere.test' },
          body: 'x',
        });
      const answers = [];
      for (let times = 0; times < 60; times += 1) answers.push((await forge()).status);
      expect(new Set(answers)).toEqual(new Set([401, 429]));
      expect(warned).toHaveLength(answers.filter((status) => status === 401).length);
      besieged.service.pay(payment.invoice_id, { confirmations: 1 });
      expect(await besieged.call('invoice_confirmed', payment.invoice_id)).toBe(200);
      expect(besieged.events.map(({ event }) => event)).toContain('checkout.paid');
      expect(
        (await besieged.post('/checkouts', { order: token({ order_id: 'A-2' }) })).status,
      ).toBe(201);
    });

    it('with a large body gets 413', async () => {
      const body = 'x'.repeat(1_100_000);
      expect((await bench.bff.request('/callbacks', { method: 'POST', body })).status).toBe(413);
    });
  });

  it('from a service without the extensions triggers a read', async () => {
    const bench = setUp({ extensions: false });
    bench.service.extensions = false;
    const { id, payment } = await choose(bench);
    const lie = { ...bench.service.invoice(payment.invoice_id), status: 'complete' };
    expect(await bench.call('invoice_complete', payment.invoice_id, { result: lie })).toBe(200);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('pay');
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    expect(await bench.call('invoice_confirmed', payment.invoice_id)).toBe(200);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('paid');
    expect(
      await bench.call('invoice_confirmed', payment.invoice_id, { token: 'x'.repeat(30) }),
    ).toBe(401);
  });
});

it('the events have the names of the client', () => {
  const same: (names: readonly ShopEventName[]) => readonly (typeof SHOP_EVENTS)[number][] = (
    names,
  ) => names;
  expect(same(SHOP_EVENTS)).toHaveLength(11);
});

describe('an envelope', () => {
  const unknownStore = async () => ({
    store: (await import('../store/memory.ts')).createMemoryStore(),
  });

  it('restores an order that the store has lost', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    bench.restart(await unknownStore());
    expect(await bench.call('invoice_confirmed', payment.invoice_id)).toBe(200);
    expect(bench.events.at(-1)).toMatchObject({
      event: 'checkout.paid',
      checkout_id: id,
      order_id: 'A-1',
    });
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('paid');
  });

  const sealed = async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    return { bench, invoice: bench.service.invoice(payment.invoice_id) };
  };
  type Sealed = {
    crypto_checkout: { requested: string; terms: Record<string, unknown>; [name: string]: unknown };
    mac: string;
  };
  const forgeries: Record<string, (passthrough: Sealed) => unknown> = {
    'with another amount': (seal) => ({
      ...seal,
      crypto_checkout: {
        ...seal.crypto_checkout,
        terms: { ...seal.crypto_checkout.terms, amount: '0.01' },
      },
    }),
    'with another order': (seal) => ({
      ...seal,
      crypto_checkout: {
        ...seal.crypto_checkout,
        terms: { ...seal.crypto_checkout.terms, order_id: 'B-7' },
      },
    }),
    'with another checkout': (seal) => ({
      ...seal,
      crypto_checkout: { ...seal.crypto_checkout, checkout: 'a'.repeat(26) },
    }),
    'with a made up MAC': (seal) => ({ ...seal, mac: '0'.repeat(64) }),
    'with a MAC of the order secret': (seal) => ({
      ...seal,
      mac: createHmac('sha256', ORDER_SECRET)
        .update(JSON.stringify(seal.crypto_checkout))
        .digest('hex'),
    }),
    'without a MAC': ({ crypto_checkout }) => ({ crypto_checkout }),
    'that is a list': (seal) => [seal],
  };
  for (const [name, forge] of Object.entries(forgeries))
    it(`${name} restores no order`, async () => {
      const { bench, invoice } = await sealed();
      invoice.passthrough = JSON.stringify(forge(JSON.parse(invoice.passthrough ?? '') as Sealed));
      bench.service.pay(invoice.id, { confirmations: 1 });
      bench.restart(await unknownStore());
      await bench.call('invoice_confirmed', invoice.id);
      for (const event of bench.events)
        expect(event).toMatchObject({
          order_id: null,
          unverified_price: true,
          checkout_id: invoice.id,
        });
      expect((await bench.get(`/checkouts/${invoice.id}`)).body.order.order_id).toBeNull();
    });

  const misfits: Record<string, (invoice: Awaited<ReturnType<typeof sealed>>['invoice']) => void> =
    {
      'of a cheaper invoice': (invoice) => (invoice.amount.requested.amount = '0.01'),
      'of an invoice in another currency': (invoice) => (invoice.amount.requested.currency = 'EUR'),
      'of another coin': (invoice) => (invoice.kind = 'BTC_BECH32'),
      'of another network': (invoice) => (invoice.network = 'mainnet'),
      'of another profile': (invoice) => (invoice.profile_id = PROFILE_ID.replace('5', '6')),
    };
  for (const [name, change] of Object.entries(misfits))
    it(`${name} restores no order`, async () => {
      const { bench, invoice } = await sealed();
      change(invoice);
      bench.service.pay(invoice.id, { confirmations: 1 });
      bench.restart(await unknownStore());
      await bench.call('invoice_confirmed', invoice.id);
      for (const event of bench.events) expect(event.order_id).toBeNull();
      if (name.endsWith('profile')) expect(bench.events).toEqual([]);
    });
});

const isShop = (input: Parameters<typeof fetch>[0]): boolean =>
  (input instanceof Request ? input.url : input.toString()).startsWith('https://shop.test/');

describe('the shop', () => {
  it('gets retries until it accepts, and only then the service gets 200', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    bench.shopAccepts.value = false;
    expect(await bench.call('invoice_confirmed', payment.invoice_id)).toBe(503);
    expect(await bench.call('invoice_confirmed', payment.invoice_id)).toBe(503);
    bench.shopAccepts.value = true;
    // The retry delay of the service.
    bench.advance(5);
    expect(await bench.call('invoice_confirmed', payment.invoice_id)).toBe(200);
    expect(bench.events.map(({ event }) => event)).toEqual(['checkout.seen', 'checkout.paid']);
  });

  it('gets pending events from the next process', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    bench.shopAccepts.value = false;
    await bench.call('invoice_confirmed', payment.invoice_id);
    bench.shopAccepts.value = true;
    bench.advance(10);
    const bff = bench.restart();
    await bff.start();
    await bff.tick();
    expect(bench.events.map(({ event }) => event)).toEqual(['checkout.seen', 'checkout.paid']);
    await bff.close();
  });

  it('gets a Standard Webhook with a stable id', async () => {
    const received: { headers: Headers; body: string }[] = [];
    const warned: unknown[][] = [];
    let status = 500;
    const bench = setUp({
      log: {
        info: () => undefined,
        warn: (...line) => void warned.push(line),
        error: () => undefined,
      },
    });
    const request: typeof fetch = async (input, init) => {
      if (!isShop(input)) return bench.service.fetch(input, init);
      received.push({ headers: new Headers(init?.headers), body: init?.body as string });
      expect([init?.method, init?.redirect]).toEqual(['POST', 'manual']);
      const answer = status === 500 ? 'Could not\u001b[2J connect\n to the database' : null;
      return new Response(answer, { status });
    };
    const { onEvent: _, ...options } = bench.options;
    const { createBff } = await import('../app.ts');
    bench.bff = createBff({
      ...options,
      fetch: request,
      shopWebhook: { url: 'https://shop.test/hook', secret: WEBHOOK_SECRET },
    });
    const { id, payment } = await choose(bench);
    bench.service.pay(payment.invoice_id);
    expect(await bench.call('invoice_pending', payment.invoice_id)).toBe(503);
    bench.advance(5);
    status = 302;
    expect(await bench.call('invoice_pending', payment.invoice_id)).toBe(503);
    status = 204;
    bench.advance(60);
    expect(await bench.call('invoice_pending', payment.invoice_id)).toBe(200);
    expect(received).toHaveLength(3);
    // One log line names the URL, the order, the failure and the next attempt.
    const lines = warned.filter(([about]) => 'next_attempt_by' in (about as object));
    expect(lines.map(([, text]) => text)).toEqual(
      ['500: "Could not?[2J connect to the database"', '302 (redirects are not followed)'].map(
        (answer) =>
          `SHOP_WEBHOOK_URL (https://shop.test/hook) did not accept checkout.seen of order A-1: it answered ${answer}`,
      ),
    );
    expect(lines[1]?.[0]).toEqual({
      event: 'webhook_failed',
      shop_event: 'checkout.seen',
      checkout_id: id,
      order_id: 'A-1',
      attempts: 2,
      next_attempt_by: new Date(bench.clock.now - 60_000 + 30_000).toISOString(),
    });
    expect(JSON.stringify(warned)).not.toContain('stack');
    const sent = await Promise.all(
      received.map(({ headers, body }, index) =>
        verifyWebhook(
          { headers, body, now: bench.clock.now - (index < 2 ? 60_000 : 0) },
          WEBHOOK_SECRET,
        ),
      ),
    );
    expect(new Set(sent.map((one) => one.id))).toEqual(new Set([`${id}.seen`]));
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(received[0]?.headers.get('webhook-timestamp')).not.toBe(
      received[2]?.headers.get('webhook-timestamp'),
    );
    expect(sent[0]?.event).toMatchObject({
      event: 'checkout.seen',
      order_id: 'A-1',
      network: 'testnet',
    });
  });

  it('gets one attempt for several callbacks of one payment while it is down', async () => {
    let calls = 0;
    const warned: string[] = [];
    const bench = setUp({
      log: {
        info: () => undefined,
        warn: (_, text) => void warned.push(text),
        error: () => undefined,
      },
    });
    const request: typeof fetch = async (input, init) => {
      if (!isShop(input)) return bench.service.fetch(input, init);
      calls += 1;
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') });
    };
    const { onEvent: _, ...options } = bench.options;
    const { createBff } = await import('../app.ts');
    bench.bff = createBff({
      ...options,
      fetch: request,
      shopWebhook: { url: 'https://shop.test/hook', secret: WEBHOOK_SECRET },
    });
    const { payment } = await choose(bench);
    const paid = bench.service.pay(payment.invoice_id);
    const callbacks = async () => {
      const answers = [
        bench.call('transaction_pending', paid.id),
        bench.call('invoice_pending', payment.invoice_id),
      ];
      bench.advance(0.2);
      return Promise.all([...answers, bench.call('invoice_pending', payment.invoice_id)]);
    };
    // Nothing is lost: 503 makes the service retry all of them.
    expect([await callbacks(), calls]).toEqual([[503, 503, 503], 1]);
    bench.advance(5);
    expect([await callbacks(), calls]).toEqual([[503, 503, 503], 2]);
    expect(warned.filter((text) => text.includes('did not accept checkout.seen'))).toHaveLength(2);
    expect(warned).toContainEqual(
      expect.stringMatching(/of order A-1: connect ECONNREFUSED 127\.0\.0\.1:9$/),
    );
  });

  describe('that is down', () => {
    /** A shop that rejects every delivery from now on, and the logged attempts. */
    const down = async () => {
      const attempts: { at: number; fields: { attempts: number; next_attempt_by: string } }[] = [];
      const warn = (about: object) =>
        void (
          'next_attempt_by' in about &&
          attempts.push({ at: bench.clock.now, fields: about as never })
        );
      const bench = setUp({ log: { info: () => undefined, warn, error: () => undefined } });
      const { payment } = await choose(bench);
      const paid = bench.service.pay(payment.invoice_id);
      bench.shopAccepts.value = false;
      const began = bench.clock.now;
      const secondsOf = () => attempts.map(({ at }) => (at - began) / 1000);
      return { bench, payment, paid, attempts, secondsOf };
    };
    const waits = [
      5,
      30,
      300,
      1800,
      2 * 3600,
      5 * 3600,
      10 * 3600,
      14 * 3600,
      20 * 3600,
      20 * 3600,
      20 * 3600,
    ];

    it('for four minutes gets attempts on schedule for any number of callbacks, as logged', async () => {
      const { bench, payment, paid, attempts, secondsOf } = await down();
      for (let second = 0; second < 240; second += 1) {
        // Each payment has several callbacks with retries: some arrive every second.
        if (second % 3 === 0) await bench.call('transaction_pending', paid.id);
        if (second % 7 === 0) await bench.call('invoice_pending', payment.invoice_id);
        await bench.bff.tick();
        bench.advance(1);
      }
      expect(secondsOf().slice(0, 3)).toEqual([0, 5, 35]);
      for (const [index, second] of secondsOf().slice(3).entries())
        expect(second - secondsOf()[index + 2]!).toBeGreaterThanOrEqual(30);
      for (const [index, { fields }] of attempts.slice(0, -1).entries())
        expect(attempts[index + 1]!.at).toBeLessThanOrEqual(Date.parse(fields.next_attempt_by));
      // Each attempt counts; early ones do not move the schedule.
      expect(attempts.map(({ fields }) => fields.attempts)).toEqual(
        attempts.map((_, index) => index + 1),
      );
      const planned = attempts[2]!.fields.next_attempt_by;
      for (const { fields } of attempts.slice(3)) expect(fields.next_attempt_by).toBe(planned);
      bench.shopAccepts.value = true;
      bench.advance(96);
      await bench.bff.tick();
      expect(bench.events.map(({ event }) => event)).toEqual(['checkout.seen']);
    });

    it('for days still gets all events in order', async () => {
      const { bench, payment, paid, attempts, secondsOf } = await down();
      await bench.call('invoice_pending', payment.invoice_id);
      bench.service.confirm(paid, 6);
      for (const wait of waits) {
        const before = attempts.length;
        bench.advance(wait - 1);
        await bench.bff.tick();
        bench.advance(1);
        await bench.bff.tick();
        expect(attempts.length).toBeGreaterThan(before);
      }
      expect(secondsOf().at(-1)).toBe(waits.reduce((sum, wait) => sum + wait, 0));
      bench.shopAccepts.value = true;
      bench.advance(20 * 3600);
      await bench.bff.tick();
      expect(bench.events.map(({ event }) => event)).toEqual([
        'checkout.seen',
        'checkout.paid',
        'checkout.complete',
      ]);
    });

    it('gets one early attempt for a new event, and one for a callback that is sent again', async () => {
      const { bench, payment, paid, secondsOf } = await down();
      await bench.call('invoice_pending', payment.invoice_id);
      for (const wait of waits.slice(0, 4)) {
        bench.advance(wait);
        await bench.bff.tick();
      }
      const asked = secondsOf().length;
      bench.advance(600);
      bench.service.confirm(paid, 1);
      bench.advance(15);
      for (let second = 0; second < 120; second += 1) {
        await bench.bff.tick();
        bench.advance(1);
      }
      expect(secondsOf()).toHaveLength(asked + 1);
      bench.shopAccepts.value = true;
      expect(await bench.call('invoice_pending', payment.invoice_id)).toBe(200);
      expect(bench.events.map(({ event }) => event)).toEqual(['checkout.seen', 'checkout.paid']);
    });
  });

  it('that answers 410 does not get this event again', async () => {
    const bench = setUp();
    let calls = 0;
    const request: typeof fetch = async (input, init) => {
      if (!isShop(input)) return bench.service.fetch(input, init);
      calls += 1;
      return new Response('', { status: 410 });
    };
    const { onEvent: _, ...options } = bench.options;
    const { createBff } = await import('../app.ts');
    bench.bff = createBff({
      ...options,
      fetch: request,
      shopWebhook: { url: 'https://shop.test/hook', secret: WEBHOOK_SECRET },
    });
    const { payment } = await choose(bench);
    bench.service.pay(payment.invoice_id);
    for (let times = 0; times < 3; times += 1)
      expect(await bench.call('invoice_pending', payment.invoice_id)).toBe(200);
    expect(calls).toBe(1);
  });

  it('gets `reversed` for a lost payment, and `paid` when it returns', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const notes = async () => (await bench.get(`/checkouts/${id}`)).body.notes;
    const paid = bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await bench.call('invoice_confirmed', payment.invoice_id);
    expect(await notes()).not.toContain('reversed');
    bench.service.confirm(paid, 0);
    await bench.call('transaction_pending', paid.id);
    // The buyer, who saw "paid", sees the reason of the reversal.
    expect(await notes()).toContain('reversed');
    bench.service.confirm(paid, 1);
    await bench.call('transaction_confirmed', paid.id);
    expect(await notes()).not.toContain('reversed');
    bench.service.confirm(paid, 0, 'replaced');
    await bench.call('transaction_replaced', paid.id);
    expect(await notes()).toEqual(expect.arrayContaining(['replaced']));
    expect(await notes()).not.toContain('reversed');
    expect(bench.events.map(({ event }) => event)).toEqual([
      'checkout.seen',
      'checkout.paid',
      'checkout.reversed',
      'checkout.paid',
      'checkout.reversed',
    ]);
    expect(bench.events.map(({ stage }) => stage)).toEqual(['paid', 'paid', 'seen', 'paid', 'pay']);
  });

  it('gets one event for an underpayment and one for an overpayment', async () => {
    const bench = setUp();
    const less = (await choose(bench)).payment;
    bench.service.pay(less.invoice_id, { amount: '0.0004', confirmations: 1 });
    await bench.call('transaction_confirmed', bench.service.transactions.at(-1)?.id ?? '');
    expect(bench.events.map(({ event }) => event)).toEqual(['checkout.seen']);
    bench.advance(901);
    for (let times = 0; times < 2; times += 1)
      await bench.call('invoice_incomplete', less.invoice_id);
    expect(bench.events.map(({ event }) => event)).toEqual(['checkout.seen', 'checkout.underpaid']);
    expect(bench.events[1]).toMatchObject({ paid: '20', amount: '50' });

    bench.events.length = 0;
    const more = (await choose(bench, 'LTC', { order_id: 'A-2', exp: 2e9 })).payment;
    bench.service.pay(more.invoice_id, { amount: '0.6', confirmations: 1 });
    for (let times = 0; times < 2; times += 1)
      await bench.call('invoice_confirmed', more.invoice_id);
    expect(bench.events.map(({ event }) => event)).toEqual([
      'checkout.seen',
      'checkout.paid',
      'checkout.overpaid',
    ]);
  });

  it('gets another `overpaid` for a second payment', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    bench.service.pay(payment.invoice_id, { amount: '0.0015', confirmations: 1 });
    await bench.call('invoice_confirmed', payment.invoice_id);
    bench.advance(5);
    const again = bench.service.pay(payment.invoice_id, { confirmations: 1 });
    for (let times = 0; times < 2; times += 1) await bench.call('transaction_confirmed', again.id);
    const sent = bench.events.map(({ event, notes, paid }) => [
      event,
      notes.includes('paid_twice'),
      paid,
    ]);
    expect(sent).toEqual([
      ['checkout.seen', false, '75'],
      ['checkout.paid', false, '75'],
      ['checkout.overpaid', false, '75'],
      ['checkout.overpaid', true, '125'],
    ]);
  });

  it('gets `overpaid` only after all payments have their confirmations', async () => {
    const bench = setUp();
    const paid = (await choose(bench)).payment;
    bench.service.pay(paid.invoice_id, { confirmations: 1 });
    await bench.call('invoice_confirmed', paid.invoice_id);
    const names = () => bench.events.map(({ event }) => event);
    bench.advance(5);
    const lost = bench.service.pay(paid.invoice_id);
    await bench.call('transaction_pending', lost.id);
    expect(names()).toEqual(['checkout.seen', 'checkout.paid']);
    bench.service.confirm(lost, 0, 'failed');
    await bench.call('transaction_failed', lost.id);
    bench.advance(5);
    const again = bench.service.pay(paid.invoice_id, { confirmations: 1 });
    await bench.call('transaction_confirmed', again.id);
    expect(names()).toEqual(['checkout.seen', 'checkout.paid', 'checkout.overpaid']);
    expect(bench.events.at(-1)).toMatchObject({ paid: '100' });
  });

  it('gets the coin that paid, not that of a lost payment', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const other = (await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' })).body.payment;
    const paid = bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await bench.call('transaction_confirmed', paid.id);
    bench.advance(5);
    const lost = bench.service.pay(other.invoice_id);
    await bench.call('transaction_pending', lost.id);
    bench.service.confirm(lost, 0, 'failed');
    await bench.call('transaction_failed', lost.id);
    bench.service.confirm(paid, 6);
    await bench.call('transaction_complete', paid.id);
    const { invoice_id } = payment;
    expect(bench.events.at(-1)).toMatchObject({
      event: 'checkout.complete',
      kind: 'BTC',
      invoice_id,
      paid: '50',
    });
  });

  it('gets one `overpaid` for two payments in one reading, and another for a third', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    const again = (): void => {
      bench.service.pay(payment.invoice_id, { confirmations: 1 });
      bench.advance(5);
    };
    for (let times = 0; times < 2; times += 1) again();
    for (let times = 0; times < 2; times += 1)
      await bench.call('invoice_confirmed', payment.invoice_id);
    again();
    for (let times = 0; times < 2; times += 1)
      await bench.call('invoice_confirmed', payment.invoice_id);
    const sent = bench.events.filter(({ event }) => event === 'checkout.overpaid');
    expect(sent.map(({ paid }) => paid)).toEqual(['100', '150']);
    for (const { notes } of sent)
      expect(notes).toEqual(expect.arrayContaining(['overpaid', 'paid_twice']));
  });

  it('gets `unverified_price` for an invoice without an order', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    const invoice = bench.service.invoice(payment.invoice_id);
    invoice.passthrough = null;
    bench.restart({ store: (await import('../store/memory.ts')).createMemoryStore() });
    bench.service.pay(invoice.id, { confirmations: 1 });
    await bench.call('invoice_confirmed', invoice.id);
    expect(bench.events.at(-1)).toMatchObject({
      event: 'checkout.paid',
      order_id: null,
      unverified_price: true,
    });
  });

  it('is optional: without one, callbacks get 200 at once', async () => {
    const bench = setUp();
    const { onEvent: _, ...options } = bench.options;
    const { createBff } = await import('../app.ts');
    bench.bff = createBff(options);
    const { payment } = await open(bench).then(() => choose(bench));
    bench.service.pay(payment.invoice_id, { confirmations: 6 });
    expect(await bench.call('invoice_complete', payment.invoice_id)).toBe(200);
  });
});

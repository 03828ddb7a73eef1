import { applyChange } from '@crypto-checkout/protocol/change';
import { describe, expect, it } from 'vitest';
import {
  type Bench,
  SHOP_ORIGIN,
  choose,
  open,
  setUp,
  token,
} from '../../../test/support/bench.ts';

/** Reads an event stream like a browser, one view after another. */
async function listen(bench: Bench, path: string, headers: Record<string, string> = {}) {
  const answer = await bench.bff.request(path, { headers });
  const reader = answer.body!.getReader();
  const decoder = new TextDecoder();
  let text = '';
  // oxlint-disable-next-line typescript/no-explicit-any -- views are looked at piece by piece
  const views: any[] = [];
  const done = (async () => {
    for (;;) {
      const { done: ended, value } = await reader.read();
      if (ended) return;
      text += decoder.decode(value, { stream: true });
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
        if (data) views.push(JSON.parse(data));
        text = text.slice(end + 2);
      }
    }
  })();
  return {
    answer,
    views,
    done,
    leave: () => reader.cancel(),
    settle: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

describe('an event stream', () => {
  it('sends the view at once and after each change, and ends at a final stage', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const stream = await listen(bench, `/checkouts/${id}/events`, { origin: SHOP_ORIGIN });
    expect(stream.answer.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.answer.headers.get('cache-control')).toContain('no-transform');
    expect(stream.answer.headers.get('x-accel-buffering')).toBe('no');
    expect(stream.answer.headers.get('access-control-allow-origin')).toBe(SHOP_ORIGIN);
    const paid = bench.service.pay(payment.invoice_id);
    for (const confirmations of [0, 1, 6]) {
      bench.service.confirm(paid, confirmations);
      await bench.call('transaction_pending', paid.id);
    }
    await stream.done;
    expect(stream.views.map(({ stage }) => stage)).toEqual(['pay', 'seen', 'paid', 'complete']);
    const versions = stream.views.map(({ version }) => version);
    expect(versions.toSorted((a, b) => a - b)).toEqual(versions);

    const last = stream.views.at(-1);
    const again = await bench.bff.request(`/checkouts/${id}/events`, {
      headers: { 'last-event-id': String(last.version) },
    });
    expect(again.status).toBe(204);
  });

  it('sends only the changes to a client that has the view', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const { body: view } = await bench.get(`/checkouts/${id}`);
    const stream = await listen(bench, `/checkouts/${id}/events?version=${view.version}`);
    const paid = bench.service.pay(payment.invoice_id);
    for (const confirmations of [0, 1, 6]) {
      bench.service.confirm(paid, confirmations);
      await bench.call('transaction_pending', paid.id);
    }
    await stream.done;
    const [current, ...changes] = stream.views;
    expect(current).toBe(view.version);
    expect(changes.map(({ stage }) => stage)).toEqual(['seen', 'paid', 'complete']);
    expect(changes.map(({ order }) => order)).toEqual([undefined, undefined, undefined]);
    expect(changes.map(({ payment: part }) => part.address)).toEqual(Array(3).fill(undefined));
    const last = changes.reduce(applyChange, view);
    const { body: now } = await bench.get(`/checkouts/${id}`);
    expect({ ...last, server_time: '' }).toEqual({ ...now, server_time: '' });
  });

  it('leaves out of changes what the client does without, and nothing for earlier clients', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const { body: view } = await bench.get(`/checkouts/${id}`);
    const path = `/checkouts/${id}/events?version=${view.version}`;
    const queries = ['', '&omit=qr', '&omit=qr,proof', '&omit=nothing'];
    const streams = await Promise.all(queries.map((query) => listen(bench, path + query)));
    const { body: now } = await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' });
    const [whole, withoutText, short, same] = await Promise.all(
      streams.map(async (stream) => {
        await stream.settle();
        await stream.leave();
        return stream.views[1];
      }),
    );
    expect(now.payment.proof).toMatchObject({ kid: expect.any(String) });
    expect(whole.payment).toMatchObject({ strings: now.payment.strings, proof: now.payment.proof });
    expect(same).toEqual(whole);
    expect(withoutText.payment.strings).not.toHaveProperty('qr');
    expect(withoutText.payment.proof).toEqual(now.payment.proof);
    const read = (change: object): object => applyChange(view, change);
    for (const change of [whole, withoutText])
      expect(read(change)).toMatchObject({ payment: now.payment });
    const noProof = { proof: null, lightning_proof: null, signed_terms: null };
    expect(read(short)).toMatchObject({ payment: { ...now.payment, ...noProof } });
  });

  it('reports expiry by time, and nothing to other viewers', async () => {
    const bench = setUp();
    bench.service.expiresSeconds = 60;
    const { id } = await choose(bench);
    bench.service.expiresSeconds = 900;
    const other = await choose(bench, 'LTC', { order_id: 'A-2' });
    const [mine, theirs] = [
      await listen(bench, `/checkouts/${id}/events`),
      await listen(bench, `/checkouts/${other.id}/events`),
    ];
    await theirs.settle();
    const before = theirs.views.length;
    bench.advance(61);
    await bench.bff.tick();
    await mine.settle();
    expect(mine.views.at(-1).stage).toBe('expired');
    expect(theirs.views).toHaveLength(before);
    await Promise.all([mine.leave(), theirs.leave()]);
  });

  it('keeps its connection alive every 15 seconds', async () => {
    const bench = setUp();
    const { id } = await choose(bench);
    const answer = await bench.bff.request(`/checkouts/${id}/events`);
    const reader = answer.body!.getReader();
    const texts: string[] = [];
    const reading = (async () => {
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
        texts.push(new TextDecoder().decode(chunk.value));
    })();
    for (let seconds = 0; seconds < 31; seconds += 1) {
      bench.advance(1);
      await bench.bff.tick();
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(texts.filter((text) => text.startsWith(': '))).toHaveLength(2);
    await reader.cancel();
    await reading;
  });

  it('is limited per address', async () => {
    const bench = setUp({
      rateLimit: { perSecond: 1000, burst: 1 },
      socketAddress: (c) => c.req.header('x-test-address') ?? null,
    });
    const { id } = await open(bench);
    const from = (address: string) =>
      bench.bff.request(`/checkouts/${id}/events`, { headers: { 'x-test-address': address } });
    const held = [];
    for (let count = 0; count < 4; count += 1) {
      held.push(await from('192.0.2.1'));
      bench.advance(1);
    }
    expect(held.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const refused = await from('192.0.2.1');
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    expect((await from('192.0.2.2')).status).toBe(200);
    await held[0]?.body?.cancel();
    bench.advance(1);
    expect((await from('192.0.2.1')).status).toBe(200);
    await bench.bff.close();
  });

  it('ends for a client that does not read', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const answer = await bench.bff.request(`/checkouts/${id}/events`);
    for (let times = 0; times < 40; times += 1) {
      bench.service.pay(payment.invoice_id, { amount: '0.00000001' });
      await bench.call('transaction_pending', bench.service.transactions.at(-1)?.id ?? '');
      bench.advance(1);
    }
    let bytes = 0;
    for await (const chunk of answer.body!) bytes += chunk.byteLength;
    expect(bytes).toBeLessThan(200_000);
  });
});

describe('polling', () => {
  /**
   * Advances time with one poll cycle per second.
   * @returns the number of reads from the service
   */
  async function pass(
    bench: Bench,
    seconds: number,
    each: () => Promise<unknown> = async () => undefined,
  ): Promise<number> {
    const before = bench.service.count('GET', /invoices\/[\w-]+\/$/);
    for (let second = 0; second < seconds; second += 1) {
      bench.advance(1);
      await bench.bff.tick();
      await each();
    }
    return bench.service.count('GET', /invoices\/[\w-]+\/$/) - before;
  }

  it('reads every 15 seconds, and every 5 after a payment, without callbacks', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    await pass(bench, 1);
    expect(await pass(bench, 60)).toBe(4);
    bench.service.pay(payment.invoice_id, { amount: '0.0001' });
    await pass(bench, 15);
    expect(await pass(bench, 60)).toBe(12);
  });

  it('costs the same for one and a thousand viewers', async () => {
    const counts = [];
    for (const watchers of [1, 1000]) {
      const bench = setUp();
      const { id } = await choose(bench);
      await pass(bench, 1);
      const streams = await Promise.all(
        Array.from({ length: watchers }, () => listen(bench, `/checkouts/${id}/events`)),
      );
      const poll = () =>
        Promise.all(Array.from({ length: watchers / 10 + 1 }, () => bench.get(`/checkouts/${id}`)));
      counts.push(await pass(bench, 60, poll));
      await Promise.all(streams.map(({ leave }) => leave()));
    }
    expect(counts).toEqual([4, 4]);
  });

  it('continues without viewers until a final stage, so that the shop is notified', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const paid = bench.service.pay(payment.invoice_id);
    await pass(bench, 40);
    bench.service.confirm(paid, 1);
    await pass(bench, 6);
    bench.service.confirm(paid, 6);
    await pass(bench, 6);
    expect(bench.events.map(({ event }) => event)).toEqual([
      'checkout.seen',
      'checkout.paid',
      'checkout.complete',
    ]);
    expect(await pass(bench, 120)).toBe(0);
    expect(await bench.store.list('open/', '', 10)).toEqual([]);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('complete');
  });

  it('reads a refund of a settled order every minute while a page is open, and then no more', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const paid = bench.service.pay(payment.invoice_id, { confirmations: 6 });
    bench.service.refundable.push({
      transaction_id: paid.id,
      kind: 'BTC',
      cause: 'offered',
      amount: { amount: '0.0004', currency: 'BTC' },
      is_ready: true,
    });
    await bench.call('transaction_complete', paid.id);
    await pass(bench, 60);
    expect(await pass(bench, 120)).toBe(0);
    const address = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
    await bench.post(`/checkouts/${id}/refund`, { transaction: paid.txid, address });
    const stream = await listen(bench, `/checkouts/${id}/events`);
    await pass(bench, 1);
    expect(await pass(bench, 300)).toBe(5);
    // No callback reports an approval.
    Object.assign(bench.service.refunds[0]!, { status: 'approved' });
    await pass(bench, 61);
    await stream.settle();
    expect(stream.views.at(-1).refunds).toMatchObject([{ status: 'approved' }]);
    await stream.leave();
    await pass(bench, 61);
    expect(await pass(bench, 300)).toBe(0);
    expect(await bench.store.list('open/', '', 10)).toEqual([]);
    // A page without a stream asks again and again.
    expect(await pass(bench, 300, () => bench.get(`/checkouts/${id}`))).toBe(5);
    Object.assign(bench.service.refunds[0]!, { status: 'paid', txid: 'f00d' });
    await pass(bench, 61, () => bench.get(`/checkouts/${id}`));
    expect(await pass(bench, 300, () => bench.get(`/checkouts/${id}`))).toBe(0);
  });

  it('stays within its budget and reads watched checkouts first', async () => {
    const bench = setUp({
      rateLimit: { perSecond: 20, burst: 60 },
      socketAddress: (c) => c.req.header('x-test-address') ?? null,
    });
    const ids: string[] = [];
    for (let count = 0; count < 300; count += 1) {
      const headers = { 'x-test-address': `2001:db8:0:${count.toString(16)}::1` };
      const { body } = await bench.post(
        '/checkouts',
        { order: token({ order_id: `N-${count}` }) },
        headers,
      );
      await bench.post(`/checkouts/${body.id}/payment`, { kind: 'BTC' }, headers);
      ids.push(body.id);
      bench.advance(0.2);
    }
    const watched = await listen(bench, `/checkouts/${ids.at(-1)}/events`);
    await pass(bench, 30);
    const before = bench.service.requests.length;
    await pass(bench, 60);
    // Half of the key's 20 a second.
    expect((bench.service.requests.length - before) / 60).toBeLessThanOrEqual(11);
    const invoice = bench.service.invoices.at(-1)?.id ?? '';
    const reads = bench.service.count('GET', new RegExp(invoice));
    await pass(bench, 60);
    expect(bench.service.count('GET', new RegExp(invoice)) - reads).toBeGreaterThanOrEqual(3);
    await watched.leave();
  });

  it('continues after an outage of the service', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    bench.service.faults.push({ how: 'down', path: /./, times: 30 });
    await pass(bench, 60);
    bench.service.faults.length = 0;
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await pass(bench, 70);
    expect(bench.events.map(({ event }) => event)).toEqual(['checkout.seen', 'checkout.paid']);
  }, 60_000);

  it('retries webhooks without callbacks', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    bench.service.pay(payment.invoice_id, { confirmations: 6 });
    bench.shopAccepts.value = false;
    await pass(bench, 20);
    bench.shopAccepts.value = true;
    await pass(bench, 40);
    expect(bench.events.map(({ event }) => event)).toEqual([
      'checkout.seen',
      'checkout.paid',
      'checkout.complete',
    ]);
  });

  it('a shop that is back gets all that it refused at once, whatever their schedule', async () => {
    const refusesForEver = new Set<string>();
    let attempts = 0;
    const received: string[] = [];
    const bench = setUp({
      onEvent: async ({ order_id: order }) => {
        attempts += 1;
        if (!bench.shopAccepts.value || refusesForEver.has(String(order)))
          throw new Error('the shop is away');
        received.push(String(order));
      },
    });
    bench.shopAccepts.value = false;
    const orders = Array.from({ length: 20 }, (_, at) => `order-${at}`);
    for (const order_id of orders) {
      const { payment } = await choose(bench, 'BTC', { order_id });
      bench.service.pay(payment.invoice_id, { confirmations: 0 });
      await bench.call('invoice_pending', payment.invoice_id);
    }
    // Some minutes: the next attempts are far away.
    await pass(bench, 45);
    expect(received).toEqual([]);
    bench.shopAccepts.value = true;
    refusesForEver.add('order-3');
    const { payment } = await choose(bench, 'BTC', { order_id: 'new' });
    bench.service.pay(payment.invoice_id, { confirmations: 0 });
    expect(await bench.call('invoice_pending', payment.invoice_id)).toBe(200);
    await expect
      .poll(() => received.toSorted())
      .toEqual(['new', ...orders].filter((order) => order !== 'order-3').toSorted());
    // The refused one is tried once more, and not with each event of others.
    const before = attempts;
    for (const order_id of ['a', 'b', 'c']) {
      const next = await choose(bench, 'BTC', { order_id });
      bench.service.pay(next.payment.invoice_id, { confirmations: 0 });
      await bench.call('invoice_pending', next.payment.invoice_id);
    }
    expect(attempts).toBe(before + 3);
  }, 30_000);

  it('detects a clock change on a test network', async () => {
    const bench = setUp();
    const { id } = await choose(bench);
    await pass(bench, 2);
    bench.service.advance(901);
    await pass(bench, 3);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('expired');
  });

  /** A checkout whose quote expired a minute ago, and another one with an open quote. */
  async function expiredAndOpen(bench: Bench): Promise<{ expired: string; other: string }> {
    bench.service.expiresSeconds = 60;
    const { id, payment } = await choose(bench);
    bench.service.expiresSeconds = 86_400;
    const other = await choose(bench, 'LTC', { order_id: 'A-2' });
    await pass(bench, 120);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('expired');
    await pass(bench, 5);
    expect(bench.events).toEqual([]);
    return { expired: payment.invoice_id, other: other.payment.invoice_id };
  }

  const EXPIRED_ONCE = [expect.objectContaining({ event: 'checkout.expired' })];

  it('detects a clock change that the reading of another checkout has met before', async () => {
    const bench = setUp();
    const { other } = await expiredAndOpen(bench);
    bench.service.advance(3600);
    await bench.call('invoice_pending', other);
    await pass(bench, 4);
    expect(bench.events).toEqual(EXPIRED_ONCE);
  });

  it('reads a checkout again whose reading began before a clock change', async () => {
    let held: Promise<void> | undefined;
    let release = (): void => undefined;
    const bench = setUp({
      fetch: async (input, init) => {
        const answer = await bench.service.fetch(input, init);
        if (new Request(input).url.includes('/transactions/')) await held;
        return answer;
      },
      serviceTimeoutMs: 10_000,
    });
    const { expired } = await expiredAndOpen(bench);
    held = new Promise((resolve) => (release = resolve));
    const before = bench.service.requests.length;
    const ticks: Promise<unknown>[] = [bench.call('invoice_pending', expired)];
    await expect.poll(() => bench.service.requests.length).toBeGreaterThan(before);
    bench.service.advance(3600);
    for (let seconds = 0; seconds < 4; seconds += 1) {
      bench.advance(1);
      ticks.push(bench.bff.tick());
      await new Promise((resolve) => setImmediate(resolve));
    }
    release();
    await Promise.all(ticks);
    await pass(bench, 1);
    expect(bench.events).toEqual(EXPIRED_ONCE);
  });
});

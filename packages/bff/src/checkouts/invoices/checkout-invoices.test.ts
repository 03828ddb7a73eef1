import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../store/memory.ts';
import { choose, open, setUp, token } from '../../../test/support/bench.ts';

describe('choosing a coin', () => {
  it('creates one invoice, and returns it when the coin is chosen again', async () => {
    const bench = setUp();
    const first = await choose(bench);
    expect(first).toMatchObject({
      stage: 'pay',
      payment: { kind: 'BTC', due: '0.001', remaining: '0.001', paid: '0', rate: '50000' },
    });
    expect(first.payment.qr.path).toMatch(/^M/);
    const again = await bench.post(`/checkouts/${first.id}/payment`, { kind: 'BTC' });
    expect(again.body.payment.invoice_id).toBe(first.payment.invoice_id);
    expect(bench.service.count('POST', /invoices\/$/)).toBe(1);
    const request = bench.service.requests.find(({ method }) => method === 'POST')?.payload;
    expect(request).toMatchObject({ amount: '50', currency: 'USD', kind: 'BTC' });
  });

  it('creates one invoice for fifty concurrent choices', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.payment.invoice_id)).size).toBe(1);
    expect(bench.service.invoices).toHaveLength(1);
  });

  it('creates one invoice for concurrent choices in two processes', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const first = bench.bff;
    const second = bench.restart();
    const ask = (bff: typeof first) =>
      bff.request(`/checkouts/${id}/payment`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"kind":"BTC"}',
      });
    const statuses = (await Promise.all([ask(first), ask(second)])).map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(bench.service.invoices).toHaveLength(1);
    for (const bff of [first, second]) expect((await ask(bff)).status).toBe(200);
    expect(bench.service.invoices).toHaveLength(1);
  });

  it('creates one invoice when a slow process begins after a fast one has finished', async () => {
    const store = createMemoryStore();
    let holdBack: Promise<void> | null = null;
    let letGo = (): void => {};
    let reach = (): void => {};
    const held = new Promise<void>((resolve) => (reach = resolve));
    const bench = setUp({
      store: {
        ...store,
        async write(key, value, revision) {
          if (holdBack !== null && value.includes('"attempts":[{')) {
            reach();
            await holdBack;
          }
          return store.write(key, value, revision);
        },
      },
    });
    const { id } = await open(bench);
    const slow = bench.bff;
    const fast = bench.restart();
    const ask = (bff: typeof slow) =>
      bff.request(`/checkouts/${id}/payment`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"kind":"BTC"}',
      });
    holdBack = new Promise((resolve) => (letGo = resolve));
    const slowAnswer = ask(slow);
    await held;
    holdBack = null;
    expect((await ask(fast)).status).toBe(200);
    letGo();
    // It sees the invoice of the other process when it is asked again.
    expect((await slowAnswer).status).toBe(503);
    expect((await ask(slow)).status).toBe(200);
    expect(bench.service.invoices).toHaveLength(1);
  });

  it('keeps the invoices of at most eight coins', async () => {
    const bench = setUp();
    bench.service.kinds.push('SOL');
    const { id } = await choose(bench, 'BTC');
    for (const kind of ['LTC', 'ETH', 'ETH_USDT', 'DOGE', 'XRP', 'BTC_BECH32', 'BTC_LIGHTNING'])
      expect((await bench.post(`/checkouts/${id}/payment`, { kind })).status).toBe(200);
    const { status, body } = await bench.post(`/checkouts/${id}/payment`, { kind: 'SOL' });
    expect([status, body.reason]).toEqual([409, 'InvalidState']);
    expect(bench.service.invoices).toHaveLength(8);
    expect((await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })).body.payment.kind).toBe(
      'BTC',
    );
    expect(bench.service.invoices).toHaveLength(8);
  });

  it('rejects a coin that the profile does not have', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const { status, body } = await bench.post(`/checkouts/${id}/payment`, { kind: 'TRX' });
    expect([status, body.reason]).toEqual([400, 'CurrencyNotEnabled']);
    expect(body.message).toContain("doesn't support selected payment currency");
  });

  it('leaves out a coin that the service refuses, for a minute', async () => {
    const bench = setUp();
    const offered = async (order_id: string): Promise<string[]> =>
      (await open(bench, { order_id })).coins.map(({ kind }: { kind: string }) => kind);
    const { id, coins } = await open(bench, { order_id: 'refused' });
    const all: string[] = coins.map(({ kind }: { kind: string }) => kind);
    expect(all).toContain('BTC');
    const own = bench.service.kinds;
    bench.service.kinds = own.filter((kind) => !kind.startsWith('BTC') || kind.includes('LIGHT'));
    const { status } = await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' });
    expect(status).toBe(400);
    expect(await offered('next')).toEqual(all.filter((kind) => kind !== 'BTC'));
    bench.service.kinds = own;
    bench.advance(61);
    expect(await offered('later')).toEqual(all);
  });

  it('leaves out a coin that the service marks as unavailable, before a buyer chooses it', async () => {
    const bench = setUp();
    const offered = async (order_id: string): Promise<string[]> =>
      (await open(bench, { order_id })).coins.map(({ kind }: { kind: string }) => kind);
    bench.service.unavailable = ['LTC'];
    let orders = 0;
    const left = await offered('first');
    expect(left).toContain('BTC');
    expect(left).not.toContain('LTC');
    bench.service.unavailable = [];
    bench.advance(61);
    expect(await offered('later')).toContain('LTC');
    bench.service.unavailable = ['LTC'];
    bench.advance(61);
    await offered('the cached list');
    await expect.poll(() => offered(`later ${(orders += 1)}`)).not.toContain('LTC');
    // The old marks are shown at once while the service fails, and asked for every two seconds.
    bench.service.faults.push({ how: '500', method: 'GET', path: /profiles/, times: 2 });
    bench.advance(61);
    expect(await offered('in an outage')).toContain('BTC');
    expect(await offered('right after it')).not.toContain('LTC');
    bench.service.unavailable = [];
    bench.service.faults.length = 0;
    bench.advance(3);
    expect(await offered('after the outage')).toContain('LTC');
  });

  it('makes no invoice in a coin that is marked as unavailable', async () => {
    const bench = setUp();
    bench.service.unavailable = ['LTC'];
    const { id } = await open(bench);
    const choose = () => bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' });
    const { status, body } = await choose();
    expect([status, body.reason]).toEqual([400, 'CurrencyNotEnabled']);
    expect(body.message).toContain('Choose another coin.');
    expect(bench.service.invoices).toEqual([]);
    bench.service.unavailable = [];
    bench.advance(61);
    await bench.get(`/checkouts/${id}`);
    expect((await choose()).status).toBe(200);
  });

  it('keeps the address of a coin that became unavailable', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const choose = () => bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' });
    const { address } = (await choose()).body.payment;
    bench.service.unavailable = ['LTC'];
    bench.advance(61);
    let orders = 0;
    await expect
      .poll(async () => (await open(bench, { order_id: `later ${(orders += 1)}` })).coins)
      .not.toContainEqual(expect.objectContaining({ kind: 'LTC' }));
    expect((await choose()).body.payment.address).toBe(address);
  });

  it('neither offers nor accepts an amount below the dust limit', async () => {
    const bench = setUp();
    // 0.0000054 BTC and 0.0027 LTC.
    const { id, coins } = await open(bench, { order_id: 'dust', amount: '0.27' });
    const kinds = coins.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['BTC_LIGHTNING', 'LTC', 'ETH', 'DOGE']));
    expect(kinds).not.toContain('BTC');
    const { status, body } = await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' });
    expect([status, body.reason]).toEqual([400, 'CurrencyNotEnabled']);
    expect(body.message).toBe(
      "This order doesn't support selected payment currency BTC: about 0.0000054 BTC are due, and Bitcoin passes on 0.00000546 or more.",
    );
    expect(bench.service.invoices).toEqual([]);
    expect((await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC_LIGHTNING' })).status).toBe(
      200,
    );
    const enough = await open(bench, { order_id: 'no dust', amount: '0.28' });
    expect(
      (await bench.post(`/checkouts/${enough.id}/payment`, { kind: 'BTC' })).body.payment.due,
    ).toBe('0.0000056');
  });

  it('reuses an address that was created for a smaller amount', async () => {
    const bench = setUp();
    const { id } = await open(bench, { order_id: 'was enough', amount: '0.28' });
    const first = (await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })).body;
    bench.service.rates['BTC'] = '60000';
    bench.advance(6 * 60);
    await bench.get(`/checkouts/${id}`);
    const again = await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' });
    expect([again.status, again.body.payment.invoice_id]).toEqual([200, first.payment.invoice_id]);
  });

  it('splits the XRP address from its tag', async () => {
    const { payment } = await choose(setUp(), 'XRP');
    expect(payment.address).toMatch(/^rTest\w+$/);
    expect(payment.tag).toMatch(/^\d+$/);
    expect(payment.strings).toMatchObject({ address: payment.address, tag: payment.tag });
  });
});

describe('the amount due', () => {
  it('is computed across coins in the order’s currency, each payment at its own quote', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'BTC');
    const half = bench.service.pay(payment.invoice_id, { amount: '0.0006' });
    await bench.call('transaction_pending', half.id);
    const ltc = (await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' })).body;
    // 20 of 50 USD are left, at 100 USD per coin.
    expect(ltc).toMatchObject({ stage: 'underpaid', payment: { due: '0.2', remaining: '0.2' } });
    bench.service.rates['BTC'] = '1';
    const rest = bench.service.pay(ltc.payment.invoice_id, { confirmations: 1 });
    bench.service.confirm(half, 1);
    await bench.call('transaction_confirmed', rest.id);
    await bench.call('transaction_confirmed', half.id);
    const { body } = await bench.get(`/checkouts/${id}`);
    expect([body.stage, body.notes]).toEqual(['paid', ['test_network']]);
  });

  it('is the rest on the old invoice of a coin', async () => {
    const bench = setUp();
    const { id } = await choose(bench, 'LTC');
    const btc = (await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })).body.payment;
    const part = bench.service.pay(btc.invoice_id, { amount: '0.0006' });
    await bench.call('transaction_pending', part.id);
    const ltc = (await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' })).body.payment;
    expect(ltc).toMatchObject({ due: '0.5', remaining: '0.2' });
    expect(ltc.strings.amount).toBe('0.2');
  });

  it('gets a new lightning request, because its amount is fixed', async () => {
    const bench = setUp();
    const first = await choose(bench, 'BTC_LIGHTNING');
    const ltc = (await bench.post(`/checkouts/${first.id}/payment`, { kind: 'LTC' })).body.payment;
    const part = bench.service.pay(ltc.invoice_id, { amount: '0.3' });
    await bench.call('transaction_pending', part.id);
    const second = (await bench.post(`/checkouts/${first.id}/payment`, { kind: 'BTC_LIGHTNING' }))
      .body.payment;
    expect(second.invoice_id).not.toBe(first.payment.invoice_id);
    expect(second.due).toBe('0.0004');
  });

  it('adds a note for a double payment and notifies the shop', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'BTC');
    const ltc = (await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' })).body.payment;
    const one = bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await bench.call('transaction_confirmed', one.id);
    bench.advance(5);
    const two = bench.service.pay(ltc.invoice_id, { confirmations: 1 });
    await bench.call('transaction_confirmed', two.id);
    expect((await bench.get(`/checkouts/${id}`)).body.notes).toEqual(
      expect.arrayContaining(['overpaid', 'paid_twice']),
    );
    expect(bench.events.find(({ notes }) => notes.includes('paid_twice'))).toMatchObject({
      event: 'checkout.overpaid',
      paid: '100',
    });
    expect((await bench.post(`/checkouts/${id}/payment`, { kind: 'ETH' })).status).toBe(409);
  });

  it('ignores a second payment within the tolerance', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    // Half a percent of 0.001 is within the tolerance, the next payment is not.
    for (const [amount, twice] of [
      ['0.001', false],
      ['0.000005', false],
      ['0.00000001', true],
    ] as const) {
      const part = bench.service.pay(payment.invoice_id, { amount, confirmations: 1 });
      await bench.call('transaction_confirmed', part.id);
      const { notes } = (await bench.get(`/checkouts/${id}`)).body;
      expect([amount, notes.includes('paid_twice')]).toEqual([amount, twice]);
      bench.advance(5);
    }
  });

  it('adds a note for a wrong coin and does not count it', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'ETH');
    const wrong = bench.service.pay(payment.invoice_id, {
      kind: 'ETH_USDT',
      amount: '50',
      confirmations: 6,
    });
    await bench.call('transaction_complete', wrong.id);
    const { body } = await bench.get(`/checkouts/${id}`);
    expect([body.stage, body.payment.paid, body.notes.includes('wrong_coin')]).toEqual([
      'pay',
      '0',
      true,
    ]);
    expect(bench.events.map(({ event, paid }) => [event, paid])).toEqual([
      ['checkout.wrong_coin', '0'],
    ]);
  });
});

describe('an expired quote', () => {
  it('expires by the service’s time, and is renewed at the same address', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    bench.advance(901);
    const expired = (await bench.get(`/checkouts/${id}`)).body;
    expect(expired).toMatchObject({ stage: 'expired', payment: { renewable: true } });
    bench.service.rates['BTC'] = '25000';
    const { status, body } = await bench.post(`/checkouts/${id}/renew`, {});
    expect([status, body.stage, body.payment.invoice_id]).toEqual([200, 'pay', payment.invoice_id]);
    expect(body.payment).toMatchObject({
      due: '0.002',
      renewable: false,
      address: payment.address,
    });
    expect((await bench.post(`/checkouts/${id}/renew`, {})).status).toBe(409);
  });

  it('counts a payment at the quote of its first sighting', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    bench.advance(901);
    await bench.get(`/checkouts/${id}`);
    bench.service.rates['BTC'] = '25000';
    await bench.post(`/checkouts/${id}/renew`, {});
    bench.advance(5);
    const paid = bench.service.pay(payment.invoice_id, { amount: '0.002', confirmations: 1 });
    await bench.call('transaction_confirmed', paid.id);
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({
      stage: 'paid',
      notes: ['test_network'],
    });
  });

  it('is renewed when its coin is chosen again', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    bench.advance(901);
    const { body } = await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' });
    expect([body.stage, body.payment.invoice_id]).toEqual(['pay', payment.invoice_id]);
  });

  it('is extended once while it is valid', async () => {
    const bench = setUp();
    const { id, expires_at } = await choose(bench);
    const { status, body } = await bench.post(`/checkouts/${id}/renew`, { extend: true });
    expect(status).toBe(200);
    expect(Date.parse(body.expires_at) - Date.parse(expires_at)).toBe(900_000);
  });

  it('is renewed beside other invoices of its order', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const choice = async (kind: string): Promise<string> =>
      (await bench.post(`/checkouts/${id}/payment`, { kind })).body.payment.invoice_id;
    const renew = (invoiceId: string, extend = false) =>
      bench.post(`/checkouts/${invoiceId}/renew`, { extend });
    const ltc = await choice('LTC');
    bench.advance(901);
    const eth = await choice('ETH');
    const asked = [payment.invoice_id, ltc, eth];
    const [one, two, prolonged] = await Promise.all([
      renew(asked[0]),
      renew(asked[1]),
      renew(asked[2], true),
    ]);
    const end = bench.clock.now + 900_000;
    for (const [answer, ends] of [
      [one, end],
      [two, end],
      [prolonged, end + 900_000],
    ] as const) {
      expect([answer.status, answer.body.stage]).toEqual([200, 'pay']);
      expect(Date.parse(answer.body.expires_at)).toBe(ends);
    }
    expect([one, two, prolonged].map(({ body }) => body.payment.invoice_id)).toEqual(asked);
  });

  it('is renewed once for twenty concurrent requests', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    bench.advance(901);
    const asking = Array.from({ length: 20 }, (_, at) =>
      bench.post(`/checkouts/${at % 2 ? id : payment.invoice_id}/renew`, {}),
    );
    expect(new Set((await Promise.all(asking)).map(({ status }) => status))).toEqual(
      new Set([200]),
    );
    expect(bench.service.count('POST', /renew/)).toBe(1);
  });

  it('gets a new invoice for the rest after a part payment', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const part = bench.service.pay(payment.invoice_id, { amount: '0.0006', confirmations: 1 });
    await bench.call('transaction_confirmed', part.id);
    bench.advance(901);
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({
      stage: 'underpaid',
      payment: { renewable: true },
    });
    const { body } = await bench.post(`/checkouts/${id}/renew`, {});
    expect(body).toMatchObject({
      stage: 'underpaid',
      payment: { due: '0.0004', remaining: '0.0004' },
    });
    expect(body.payment.invoice_id).not.toBe(payment.invoice_id);
  });

  it('is renewed for any rest: only a new choice must be above the dust limit', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const part = bench.service.pay(payment.invoice_id, { amount: '0.00099496', confirmations: 1 });
    await bench.call('transaction_confirmed', part.id);
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({
      stage: 'underpaid',
      payment: { remaining: '0.00000504' },
    });
    bench.advance(901);
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({
      stage: 'underpaid',
      payment: { renewable: true },
    });
    const { status, body } = await bench.post(`/checkouts/${id}/renew`, {});
    expect([status, body.payment?.remaining]).toEqual([200, '0.0000052']);
    expect(body.coins.map(({ kind }: { kind: string }) => kind)).not.toContain('BTC');
  });

  it('expires on time even if the service has not updated its status', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const part = bench.service.pay(payment.invoice_id, { amount: '0.0006', confirmations: 6 });
    await bench.call('transaction_complete', part.id);
    bench.advance(899);
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({
      stage: 'underpaid',
      payment: { renewable: false },
    });
    bench.advance(1);
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({
      stage: 'underpaid',
      payment: { renewable: true },
    });
    const { body } = await bench.post(`/checkouts/${id}/renew`, {});
    expect(body).toMatchObject({
      stage: 'underpaid',
      payment: { due: '0.0004', remaining: '0.0004', renewable: false },
    });
  });

  it.each([
    ['a second before its end is paid in time', 899, 'seen'],
    ['at its very end is paid late', 900, 'late'],
  ])('paid %s', async (_, seconds, stage) => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    bench.advance(seconds);
    const paid = bench.service.pay(payment.invoice_id);
    expect(Date.parse(payment.expires_at) - Date.parse(paid.created_at)).toBe(
      (900 - seconds) * 1000,
    );
    await bench.call('transaction_pending', paid.id);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe(stage);
  });

  it('paid late shows a note and notifies the shop', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    bench.advance(901);
    const late = bench.service.pay(payment.invoice_id);
    await bench.call('transaction_pending', late.id);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('late');
    expect(bench.events.map(({ event }) => event)).toEqual(['checkout.late']);
  });
});

describe('a service without the extensions', () => {
  it('gets a new invoice in place of an expired one', async () => {
    const bench = setUp({ extensions: false });
    bench.service.extensions = false;
    const { id, payment } = await choose(bench);
    bench.advance(901);
    const { status, body } = await bench.post(`/checkouts/${id}/renew`, {});
    expect([status, body.stage]).toEqual([200, 'pay']);
    expect(body.payment.invoice_id).not.toBe(payment.invoice_id);
    expect(bench.service.count('POST', /renew/)).toBe(0);
    const paid = bench.service.pay(body.payment.invoice_id, { confirmations: 1 });
    expect(await bench.call('transaction_confirmed', paid.id)).toBe(200);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('paid');
  });

  it('creates at most six invoices of a coin per hour, so that a buyer cannot wait for the best price', async () => {
    const bench = setUp({ extensions: false });
    bench.service.extensions = false;
    bench.service.expiresSeconds = 60;
    const { id } = await choose(bench);
    const anew = async (kind = 'BTC') => {
      bench.advance(61);
      return (await bench.post(`/checkouts/${id}/payment`, { kind })).status;
    };
    for (let times = 1; times < 6; times += 1) expect(await anew()).toBe(200);
    expect([await anew(), bench.service.count('POST', /^\/v1\/invoices\/$/)]).toEqual([409, 6]);
    // Another coin does not reset the limit, and has its own.
    expect([await anew('LTC'), await anew()]).toEqual([200, 409]);
    expect((await bench.post(`/checkouts/${id}/renew`, {})).status).toBe(409);
    // An hour after the first one.
    bench.advance(3600 - 9 * 61);
    expect(await anew()).toBe(200);
  });

  it('is detected without the setting', async () => {
    const bench = setUp();
    bench.service.extensions = false;
    const { id } = await choose(bench);
    bench.advance(901);
    expect((await bench.post(`/checkouts/${id}/renew`, {})).body.stage).toBe('pay');
    expect(bench.service.invoices).toHaveLength(2);
  });

  it('renews an invoice without an order with a copy', async () => {
    const bench = setUp({ extensions: false });
    bench.service.extensions = false;
    const { payment } = await choose(bench);
    const old = bench.service.invoice(payment.invoice_id);
    old.passthrough = 'merchant data';
    bench.restart({ store: (await import('../../store/memory.ts')).createMemoryStore() });
    bench.advance(901);
    const { body } = await bench.post(`/checkouts/${old.id}/renew`, {});
    expect([body.id, body.stage]).toEqual([old.id, 'pay']);
    expect(body.payment.invoice_id).not.toBe(old.id);
    expect(bench.service.invoices.at(-1)).toMatchObject({
      passthrough: 'merchant data',
      kind: 'BTC',
    });
    expect((await bench.get(`/checkouts/${old.id}`)).body.payment.invoice_id).toBe(
      body.payment.invoice_id,
    );
  });
});

describe('a lost answer', () => {
  const faults = [
    { how: 'down', after: true },
    { how: 'hang', after: true },
    { how: '500', after: true },
    { how: '504', after: true },
    { how: 'html', after: true },
    { how: 'truncated', after: true },
    { how: 'down' },
    { how: '500' },
    { how: '504' },
    { how: 'html' },
    { how: '429' },
  ] as const;
  for (const fault of faults)
    it(`creates no second invoice: ${fault.how}${'after' in fault ? ' after the work was done' : ''}`, async () => {
      const bench = setUp();
      const { id } = await open(bench);
      bench.service.faults.push({ ...fault, method: 'POST', path: /invoices\/$/, times: 1 });
      const statuses: number[] = [];
      let view;
      for (let tries = 0; tries < 6 && view === undefined; tries += 1) {
        const { status, body, headers } = await bench.post(`/checkouts/${id}/payment`, {
          kind: 'BTC',
        });
        statuses.push(status);
        expect(JSON.stringify(body)).not.toContain('SECRET-DETAIL');
        if (status === 200) view = body;
        else
          expect([status, body.reason, Number(headers.get('retry-after')) > 0]).toEqual([
            503,
            undefined,
            true,
          ]);
        bench.advance(8);
      }
      expect(view).toMatchObject({ stage: 'pay', payment: { kind: 'BTC' } });
      expect(bench.service.invoices).toHaveLength(1);
      expect(bench.service.invoices[0]?.id).toBe(view.payment.invoice_id);
    });

  it('of a killed process is recovered by the next one', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    // The invoice is created, and the process never gets the answer.
    bench.service.faults.push({
      how: 'hang',
      after: true,
      method: 'POST',
      path: /invoices\/$/,
      times: 1,
    });
    const lost = bench.bff.request(`/checkouts/${id}/payment`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"kind":"LTC"}',
    });
    while (bench.service.invoices.length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    const bff = bench.restart();
    await bff.start();
    await bff.tick();
    await bff.close();
    expect((await bench.get(`/checkouts/${id}`)).body.payment.invoice_id).toBe(
      bench.service.invoices[0]?.id,
    );
    expect((await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' })).status).toBe(200);
    expect(bench.service.invoices).toHaveLength(1);
    await lost;
  });

  it('is none when the service accepts no connection: the coin can be chosen once it is back', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    bench.service.faults.push({ how: 'closed', path: /./, times: 5 });
    const again = () => bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' });
    expect((await again()).status).toBe(503);
    bench.service.faults.length = 0;
    expect((await again()).status).toBe(200);
    expect(bench.service.invoices).toHaveLength(1);
  });

  it('of a service that made a thousand other invoices meanwhile is over in ten seconds', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const again = () => bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' });
    bench.service.faults.push({ how: 'down', method: 'POST', path: /invoices\/$/, times: 1 });
    expect((await again()).status).toBe(503);
    const other = await choose(bench, 'BTC', { order_id: 'A-2' });
    const template = bench.service.invoice(other.payment.invoice_id);
    for (let count = 0; count < 1_100; count += 1)
      bench.service.invoices.push({ ...template, id: randomUUID() });
    const listings = () => bench.service.count('GET', /^\/v1\/invoices\/$/);
    const before = listings();
    bench.advance(11);
    expect((await again()).status).toBe(200);
    expect(listings()).toBe(before + 1);
  });

  it('is a rejection if the service returns one, and another choice works', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    bench.service.faults.push({ how: 'refuse', method: 'POST', path: /invoices\/$/, times: 1 });
    const { status, body } = await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' });
    expect([status, body.reason]).toEqual([409, 'InvalidState']);
    expect((await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })).status).toBe(200);
  });

  it('never makes anything paid', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    for (const how of ['down', '500', '504', 'html', 'truncated', '429', 'refuse'] as const) {
      bench.service.faults.push({ how, path: /./, times: 50 });
      bench.advance(20);
      const { status, body } = await bench.get(`/checkouts/${id}`);
      expect([how, status, body.stage]).toEqual([how, 200, 'pay']);
      expect(await bench.call('invoice_complete', payment.invoice_id)).toBe(503);
      bench.service.faults.length = 0;
    }
    expect(bench.events).toEqual([]);
  });

  it('gives 503 while the profile was never read', async () => {
    const bench = setUp();
    bench.service.faults.push({ how: 'down', path: /./, times: 99 });
    const { status, body } = await bench.post('/checkouts', { order: token() });
    expect([status, body.reason]).toEqual([503, undefined]);
    expect(JSON.stringify(body)).not.toContain('SECRET');
  });
});

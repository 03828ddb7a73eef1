import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type Bench,
  type Json,
  choose,
  SHOP_SECRET,
  setUp,
  token,
} from '../../test/support/bench.ts';
import { createMemoryStore } from '../store/memory.ts';
import { decimal } from '../../test/support/fake-service-data.ts';

const FORM = {
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
};
/** The entries and the amount that were checked, as the page sends them along. */
const checkedIn = (html: string): string => /name="checked" value="([^"]*)"/.exec(html)?.[1] ?? '';

const ADDRESS = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';

const askFor =
  (bench: Bench, id: string, transaction: string) =>
  (more: Record<string, unknown> = {}) =>
    bench.post(`/checkouts/${id}/refund`, { transaction, address: ADDRESS, ...more });

/** A checkout with a payment that came too late. */
async function payLate(bench: Bench) {
  const { id, payment, order } = await choose(bench);
  bench.advance(901);
  const late = bench.service.pay(payment.invoice_id, { confirmations: 6 });
  offer(bench, late);
  await bench.call('transaction_complete', late.id);
  const ask = askFor(bench, id, late.txid);
  return { id, late, order, ask };
}

/** A checkout whose price expired with a half paid. */
async function payHalf(bench: Bench) {
  const { id, payment } = await choose(bench);
  const late = bench.service.pay(payment.invoice_id, { amount: '0.0005', confirmations: 6 });
  bench.advance(901);
  offer(bench, late, { cause: 'expired' });
  await bench.call('transaction_complete', late.id);
  const ask = askFor(bench, id, late.txid);
  return { id, late, ask };
}

/** The service returns all of a payment, by default a late one. */
const offer = (
  { service }: Bench,
  { id, amount }: { id: string; amount: bigint },
  more: { cause?: string; is_ready?: boolean } = {},
): void =>
  void service.refundable.push({
    transaction_id: id,
    kind: 'BTC',
    cause: 'late',
    amount: { amount: decimal(amount), currency: 'BTC' },
    is_ready: true,
    ...more,
  });

const sent = ({ service }: Bench) =>
  service.requests.findLast(({ method, path }) => method === 'POST' && path === '/v1/refunds/');

describe('a request for a refund', () => {
  it('by a link is passed on without proof', async () => {
    const bench = setUp();
    const { ask, late, id } = await payLate(bench);
    const { status, body } = await ask({ amount: '100' });
    expect([status, body.refund]).toEqual([
      200,
      {
        transaction: late.txid,
        kind: 'BTC',
        amount: '0.001',
        received: '0.001',
        address: ADDRESS,
        tag: null,
        status: 'requested',
        txid: null,
      },
    ]);
    expect(sent(bench)?.payload).toMatchObject({ transaction_id: late.id, is_proven: false });
    expect(sent(bench)?.payload).not.toHaveProperty('amount');
    await bench.call('refund_requested', '', {
      result: { id: 'refund', invoice_id: late.invoiceId },
    });
    expect((await bench.get(`/checkouts/${id}`)).body).toMatchObject({
      stage: 'expired',
      // Still money that came late, also while another price is asked for.
      received: [{ late: true, value: null, refunded: '0.001' }],
    });
    expect((await ask()).body).toEqual(body);
    expect((await ask({ address: 'tb1qother' })).body.reason).toBe('AlreadyExists');
  });

  it('is shown in the view and sent to the shop, and so is the payment', async () => {
    const bench = setUp();
    const { ask, late, id } = await payLate(bench);
    await ask();
    const call = (event: string) =>
      bench.call(event, '', { result: { id: 'refund', invoice_id: late.invoiceId } });
    await call('refund_requested');
    const shown = {
      transaction: late.txid,
      amount: '0.001',
      received: '0.001',
      kind: 'BTC',
      address: ADDRESS,
      tag: null,
    };
    expect((await bench.get(`/checkouts/${id}`)).body.refunds).toEqual([
      { ...shown, status: 'requested', txid: null, explorer_url: null },
    ]);
    Object.assign(bench.service.refunds[0]!, { status: 'paid', txid: 'f00d' });
    await call('refund_paid');
    await call('refund_paid');
    expect((await bench.get(`/checkouts/${id}`)).body.refunds).toEqual([
      { ...shown, status: 'paid', txid: 'f00d', explorer_url: null },
    ]);
    const events = bench.events.filter(({ event }) => event.includes('refund'));
    expect(events.map(({ event, refund }) => [event, refund?.txid, refund?.is_proven])).toEqual([
      ['checkout.refund_requested', null, false],
      ['checkout.refunded', 'f00d', false],
    ]);
  });

  it('names the destination tag in its answer and in the view', async () => {
    const bench = setUp();
    const { ask, id } = await payLate(bench);
    const { body } = await ask({ address: 'rBuyer', tag: '77' });
    expect(body.refund).toMatchObject({ address: 'rBuyer', tag: '77' });
    expect((await bench.get(`/checkouts/${id}`)).body.refunds).toMatchObject([
      { address: 'rBuyer', tag: '77' },
    ]);
  });

  it('is possible at the link of every invoice of the order, and only of this order', async () => {
    const bench = setUp();
    const { id, late } = await payLate(bench);
    const { body } = await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' });
    const newer = body.payment.invoice_id;
    const other = bench.service.pay(
      (await choose(bench, 'BTC', { order_id: 'B-2' })).payment.invoice_id,
      { confirmations: 6 },
    );
    offer(bench, other);
    await bench.call('transaction_complete', other.id);
    const ask = (transaction: string) =>
      bench.post(`/checkouts/${newer}/refund`, { transaction, address: ADDRESS });
    expect((await bench.get(`/checkouts/${newer}`)).body.refundable).toMatchObject([
      { transaction: late.txid, cause: 'late' },
    ]);
    expect((await ask(other.txid)).status).toBe(404);
    expect((await ask(other.id)).status).toBe(404);
    const asked = await ask(late.txid);
    expect([asked.status, sent(bench)?.payload]).toMatchObject([
      200,
      { transaction_id: late.id, is_proven: false },
    ]);
    for (const link of [newer, late.invoiceId, id]) {
      const { refunds, refundable } = (await bench.get(`/checkouts/${link}`)).body;
      expect([refunds, refundable], link).toMatchObject([
        [{ transaction: late.txid, status: 'requested' }],
        undefined,
      ]);
    }
  });

  it('is possible for an invoice without an order', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    const invoice = bench.service.invoice(payment.invoice_id);
    invoice.passthrough = null;
    bench.restart({ store: createMemoryStore() });
    const paid = bench.service.pay(invoice.id, { confirmations: 6 });
    offer(bench, paid);
    await bench.call('transaction_complete', paid.id);
    const { refundable } = (await bench.get(`/checkouts/${invoice.id}`)).body;
    expect(refundable).toMatchObject([{ transaction: paid.txid }]);
    const ask = (transaction: string) =>
      bench.post(`/checkouts/${invoice.id}/refund`, { transaction, address: ADDRESS });
    expect((await ask('unknown')).status).toBe(404);
    expect((await ask(paid.txid)).status).toBe(200);
    expect(sent(bench)?.payload).toMatchObject({ is_proven: false });
  });

  it('of too much is promised while the payment is only detected', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const first = bench.service.pay(payment.invoice_id);
    await bench.call('transaction_pending', first.id);
    const asks = () => bench.service.requests.filter(({ path }) => path.endsWith('/refundable/'));
    expect(asks()).toEqual([]);
    const more = bench.service.pay(payment.invoice_id, { amount: '0.0003' });
    offer(bench, more, { cause: 'excess', is_ready: false });
    await bench.call('transaction_pending', more.id);
    const { stage, notes, refundable } = (await bench.get(`/checkouts/${id}`)).body;
    expect([stage, notes]).toEqual(['seen', expect.arrayContaining(['overpaid'])]);
    expect(refundable).toMatchObject([
      { transaction: more.txid, cause: 'excess', amount: '0.0003', ready: false },
    ]);
  });

  it('with a fresh order token is proven, and with an expired one is not', async () => {
    const bench = setUp();
    const { ask, order } = await payLate(bench);
    const claims = { order_id: order.order_id };
    await ask({
      order: token({ ...claims, exp: Math.floor(bench.service.time / 1000) - 60 }),
      estimate: true,
    });
    expect(sent(bench)?.payload).toMatchObject({ is_proven: false, estimate_only: true });
    const { status } = await ask({
      order: token({ ...claims, exp: Math.floor(bench.service.time / 1000) + 600 }),
    });
    expect([status, sent(bench)?.payload]).toEqual([
      200,
      expect.objectContaining({ is_proven: true }),
    ]);
  });

  it('with a token of another order or secret is refused', async () => {
    const bench = setUp();
    const { ask } = await payLate(bench);
    const exp = Math.floor(bench.service.time / 1000) + 600;
    const other = await ask({ order: token({ order_id: 'another', exp }) });
    expect([other.status, other.body.reason]).toEqual([400, 'ValidationError']);
    const forged = await ask({ order: token({ exp }, { secret: 'x'.repeat(40) }) });
    expect(forged.status).toBe(401);
    expect(sent(bench)).toBeUndefined();
  });

  it('is refused for a payment of another order, and for a wrong address', async () => {
    const bench = setUp();
    const { ask } = await payLate(bench);
    expect((await ask({ transaction: 'unknown' })).status).toBe(404);
    const { status, body } = await ask({ address: 'nowhere' });
    expect([status, body.reason]).toEqual([400, 'InvalidAddress']);
    const shop = await ask({ address: 'shop' });
    expect([shop.status, shop.body.reason]).toEqual([400, 'ShopAddress']);
  });

  it('says which entry is wrong: a tag, or an amount that is too small to send', async () => {
    const bench = setUp();
    const { ask } = await payLate(bench);
    for (const [field, own] of [
      ['amount', 'amount'],
      ['destination_tag', 'tag'],
    ] as const) {
      bench.service.refusedField = field;
      const { status, body } = await ask();
      expect([status, body.reason, body.errors?.[0].field]).toEqual([400, 'ValidationError', own]);
    }
  });

  it('of another amount than the buyer was shown is refused with the new one', async () => {
    const bench = setUp();
    const { ask, late } = await payLate(bench);
    Object.assign(bench.service.refundable[0]!, { amount: { amount: '0.0004', currency: 'BTC' } });
    const refused = await ask({ expected_amount: '0.001' });
    expect([refused.status, refused.body.reason, refused.body.errors]).toEqual([
      409,
      'InvalidState',
      [{ field: 'expected_amount', message: 'is 0.0004 now' }],
    ]);
    expect([sent(bench), bench.service.refunds]).toEqual([undefined, []]);
    const asked = await ask({ expected_amount: '0.0004' });
    expect([asked.status, bench.service.refunds.length]).toEqual([200, 1]);
    expect(late.txid).toBe(asked.body.refund.transaction);
  });

  it('is refused for a payment that the shop accepted', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { ask } = await payLate(bench);
    const { status, body } = await ask();
    expect([status, body.reason]).toEqual([409, 'InvalidState']);
    expect(sent(bench)).toBeUndefined();
  });

  it('is refused for a part of an order that another coin completed', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const half = bench.service.pay(payment.invoice_id, { amount: '0.0005', confirmations: 6 });
    await bench.call('transaction_complete', half.id);
    const { body } = await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' });
    const rest = bench.service.pay(body.payment.invoice_id, { confirmations: 6 });
    await bench.call('transaction_complete', rest.id);
    bench.service.refundable.push({
      transaction_id: half.id,
      kind: 'BTC',
      cause: 'expired',
      amount: { amount: '0.0005', currency: 'BTC' },
      is_ready: true,
    });
    const refused = await bench.post(`/checkouts/${id}/refund`, {
      transaction: half.txid,
      address: ADDRESS,
    });
    expect([refused.status, refused.body.reason]).toEqual([409, 'InvalidState']);
    expect(sent(bench)).toBeUndefined();
  });
});

describe('money that a stranger asked for first', () => {
  const OWN = 'tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy';

  /** A late payment whose refund another holder of the link has requested. */
  async function askFirst({ isHalf = false } = {}) {
    const bench = setUp();
    const exp = Math.floor(bench.service.time / 1000) + 600;
    const order = token({ exp });
    const opened = await bench.post('/checkouts', `order=${order}`, FORM);
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
    const { id, ask, late } = await (isHalf ? payHalf : payLate)(bench);
    expect((await ask()).status).toBe(200);
    const asOwner = (more: Record<string, unknown> = {}) =>
      bench.post(
        `/checkouts/${id}/refund`,
        { transaction: late.txid, address: OWN, ...more },
        { cookie, 'sec-fetch-site': 'same-origin' },
      );
    const fields = (more: Record<string, string>, headers: Record<string, string> = {}) =>
      bench.post(
        `/checkouts/${id}/refund`,
        new URLSearchParams({ transaction: late.txid, address: OWN, ...more }).toString(),
        { ...FORM, origin: 'https://pay.test', accept: 'text/html', ...headers },
      );
    const view = async () => (await bench.get(`/checkouts/${id}`)).body;
    return { bench, id, ask, asOwner, fields, cookie, view };
  }

  it('is listed apart, and its buyer takes the place of the request', async () => {
    const { asOwner, view } = await askFirst();
    const before = await view();
    expect([before.refundable, before.refunds[0].address]).toEqual([undefined, ADDRESS]);
    expect(before.replaceable).toMatchObject([{ amount: '0.001', cause: 'late', ready: true }]);
    const estimate = await asOwner({ estimate: true, expected_amount: '0.001' });
    expect([estimate.status, estimate.body.refund.received]).toEqual([200, '0.001']);
    expect((await asOwner({ expected_amount: '0.001' })).status).toBe(200);
    const { replaceable, refunds } = await view();
    expect(replaceable).toBeUndefined();
    expect(refunds.map((one: Json) => [one.address, one.status])).toEqual([
      [ADDRESS, 'rejected'],
      [OWN, 'requested'],
    ]);
  });

  it('is listed also when another coin has paid the order meanwhile', async () => {
    const { bench, id, asOwner, view } = await askFirst({ isHalf: true });
    const { body } = await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' });
    const rest = bench.service.pay(body.payment.invoice_id, { confirmations: 6 });
    await bench.call('transaction_complete', rest.id);
    const { stage, replaceable } = await view();
    expect([stage, replaceable]).toMatchObject(['complete', [{ amount: '0.0005' }]]);
    expect((await asOwner({ expected_amount: '0.0005' })).status).toBe(200);
    expect((await view()).refunds.at(-1)).toMatchObject({ address: OWN, status: 'requested' });
  });

  it('is not listed where no request can be proven: at the link of an invoice', async () => {
    const { bench, view } = await askFirst();
    const invoiceId = bench.service.invoices[0]!.id;
    expect((await view()).replaceable).toHaveLength(1);
    expect((await bench.get(`/checkouts/${invoiceId}`)).body.replaceable).toBeUndefined();
    expect((await bench.get(`/pay/${invoiceId}/refund`)).status).toBe(303);
  });

  it('is not listed any more after a refusal shows that the shop approved the request', async () => {
    const { bench, ask, fields, cookie, id, view } = await askFirst();
    Object.assign(bench.service.refunds[0]!, { status: 'approved' });
    const refused = await ask({ address: OWN });
    expect([refused.body.reason, (await view()).replaceable]).toEqual(['AlreadyExists', undefined]);
    const form = await fields({}, { cookie });
    expect([form.status, form.headers.get('location')]).toEqual([303, `/pay/${id}/`]);
  });

  it('stays in its own form without a script, beside another payment that can come back', async () => {
    const { bench, id, fields } = await askFirst();
    const other = bench.service.pay(bench.service.invoices[0]!.id, {
      amount: '0.0007',
      confirmations: 6,
    });
    offer(bench, other);
    await bench.call('transaction_complete', other.id);
    Object.assign(bench.service.refunds[0]!, { status: 'approved' });
    const form = await fields({});
    expect([form.status, form.headers.get('location')]).toEqual([303, `/pay/${id}/`]);
  });

  it('is not replaced by another holder of the link', async () => {
    const { ask, view } = await askFirst();
    for (const estimate of [true, false]) {
      const refused = await ask({ address: OWN, estimate });
      expect([refused.status, refused.body.reason]).toEqual([409, 'AlreadyExists']);
    }
    expect((await view()).refunds).toMatchObject([{ address: ADDRESS, status: 'requested' }]);
  });

  it('has a form without a script, which says that another request came first', async () => {
    const { bench, id, fields, cookie, view } = await askFirst();
    const form = await bench.get(`/pay/${id}/refund`);
    expect([form.status, form.body]).toEqual([200, expect.stringContaining('name="address"')]);
    const stranger = await fields({});
    expect([stranger.status, stranger.body]).toEqual([
      409,
      expect.stringContaining('already requested to another address'),
    ]);
    const checked = await fields({}, { cookie });
    const asked = await fields({ checked: checkedIn(checked.body) }, { cookie });
    expect([asked.status, asked.headers.get('location')]).toEqual([303, `/pay/${id}/`]);
    expect((await view()).refunds.at(-1)).toMatchObject({ address: OWN, status: 'requested' });
    expect((await bench.get(`/pay/${id}/refund`)).status).toBe(303);
  });
});

describe('money that can be asked back', () => {
  it('is in the view with its coin, its fee and what will arrive', async () => {
    const bench = setUp();
    const { id, late, ask } = await payLate(bench);
    expect((await bench.get(`/checkouts/${id}`)).body.refundable).toEqual([
      {
        transaction: late.txid,
        cause: 'late',
        kind: 'BTC',
        name: 'Bitcoin',
        network: 'Bitcoin',
        symbol: 'BTC',
        amount: '0.001',
        // 2.10 USD at 50,000 USD
        fee: '0.000042',
        received: '0.000958',
        ready: true,
        tagged: false,
      },
    ]);
    await ask();
    const { refundable, refunds } = (await bench.get(`/checkouts/${id}`)).body;
    expect([refundable, refunds[0].status]).toEqual([undefined, 'requested']);
  });

  it('is listed before it is final, and with an unknown fee', async () => {
    const bench = setUp();
    bench.service.networkFees = {};
    const { id, late } = await payLate(bench);
    Object.assign(bench.service.refundable[0]!, { is_ready: false });
    await bench.call('transaction_complete', late.id);
    expect((await bench.get(`/checkouts/${id}`)).body.refundable).toMatchObject([
      { fee: null, received: null, ready: false },
    ]);
  });

  it('leaves out money of which the fee leaves nothing, and says so', async () => {
    const bench = setUp();
    const { id, late } = await payLate(bench);
    const offered = async (amount: string): Promise<Json> => {
      Object.assign(bench.service.refundable[0]!, { amount: { amount, currency: 'BTC' } });
      await bench.call('transaction_complete', late.id);
      const { notes, refundable } = (await bench.get(`/checkouts/${id}`)).body;
      return [notes.includes('small_refund'), refundable?.[0].received];
    };
    expect(await offered('0.000043')).toEqual([false, '0.000001']);
    expect(await offered('0.000042')).toEqual([true, undefined]);
  });

  it('includes the sweep that the service counts', async () => {
    const bench = setUp();
    const { id, late } = await payLate(bench);
    const network_fee = { amount: '0.0000900000001', currency: 'BTC' };
    Object.assign(bench.service.refundable[0]!, {
      amount: { amount: '0.0004', currency: 'BTC' },
      network_fee,
    });
    await bench.call('transaction_complete', late.id);
    const { refundable } = (await bench.get(`/checkouts/${id}`)).body;
    expect(refundable).toMatchObject([{ fee: '0.00009001', received: '0.00030999' }]);
  });

  it('leaves out a part of an order that is paid, and a late payment that counts', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { id } = await payLate(bench);
    expect((await bench.get(`/checkouts/${id}`)).body.refundable).toBeUndefined();
  });

  it('is listed while a payment in another coin is not final', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const wrong = bench.service.pay(payment.invoice_id, { amount: '60', kind: 'USDC-ETH' });
    bench.service.refundable.push({
      transaction_id: wrong.id,
      kind: 'USDC-ETH',
      cause: 'wrong_coin',
      amount: { amount: '60', currency: 'USDC' },
      is_ready: false,
    });
    await bench.call('transaction_pending', wrong.id);
    const { notes, refundable } = (await bench.get(`/checkouts/${id}`)).body;
    expect([notes, refundable]).toMatchObject([
      expect.arrayContaining(['wrong_coin']),
      [{ cause: 'wrong_coin', amount: '60', symbol: 'USDC', ready: false }],
    ]);
  });

  it('costs no request while nothing can come back', async () => {
    const bench = setUp();
    const { payment } = await choose(bench);
    const paid = bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await bench.call('transaction_confirmed', paid.id);
    expect(bench.service.count('GET', /refundable/)).toBe(0);
  });
});

describe('the claim secret', () => {
  const OWN = { origin: 'https://pay.test', 'sec-fetch-site': 'same-origin' };
  const cookieOf = (headers: Headers): string => headers.get('set-cookie')?.split(';')[0] ?? '';

  it('proves the browser that opened the checkout in a page of the shop', async () => {
    const bench = setUp();
    const exp = Math.floor(bench.service.time / 1000) + 600;
    const opened = await bench.post(
      '/checkouts',
      { order: token({ exp }) },
      { origin: 'https://shop.test' },
    );
    const claim = opened.headers.get('checkout-claim');
    expect(claim).toMatch(/^[\w-]{43}$/);
    expect(opened.headers.get('access-control-expose-headers')).toContain('Checkout-Claim');
    expect(opened.headers.get('set-cookie')).toBeNull();
    const { ask } = await payLate(bench);
    expect((await ask({ claim: 'x'.repeat(43), estimate: true })).status).toBe(200);
    expect(sent(bench)?.payload).toMatchObject({ is_proven: false });
    await ask({ claim });
    expect(sent(bench)?.payload).toMatchObject({ is_proven: true });
  });

  it('is a cookie that no script reads on our own page', async () => {
    const bench = setUp();
    const exp = Math.floor(bench.service.time / 1000) + 600;
    const order = token({ exp });
    const opened = await bench.post('/checkouts', `order=${order}`, FORM);
    const cookie = opened.headers.get('set-cookie') ?? '';
    const { id, ask, late } = await payLate(bench);
    expect(cookie).toContain(`Path=/checkouts/${id};`);
    expect(cookie).toMatch(/HttpOnly; SameSite=Lax; Secure$/);
    expect(opened.headers.get('checkout-claim')).toBeNull();
    const fields = new URLSearchParams({ transaction: late.txid, address: ADDRESS });
    const send = (more: Record<string, string>) =>
      bench.post(
        `/checkouts/${id}/refund`,
        new URLSearchParams([...fields, ...Object.entries(more)]).toString(),
        { ...FORM, ...OWN, accept: 'text/html', cookie: cookieOf(opened.headers) },
      );
    const checked = await send({});
    expect([checked.status, sent(bench)?.payload['estimate_only']]).toEqual([200, true]);
    const asked = await send({ checked: checkedIn(checked.body) });
    expect([asked.status, asked.headers.get('location')]).toEqual([303, `/pay/${id}/`]);
    expect(sent(bench)?.payload).toMatchObject({ is_proven: true });
    expect((await ask({ address: 'tb1qother' })).body.reason).toBe('AlreadyExists');
  });

  it('is given to the browser that chooses first, when the server of the shop opened', async () => {
    const bench = setUp();
    const { body } = await bench.post(
      '/checkouts',
      { order: { order_id: 'A-1', amount: '50', currency: 'USD' } },
      { authorization: `Bearer ${SHOP_SECRET}` },
    );
    const choice = (headers: Record<string, string>) =>
      bench.post(`/checkouts/${body.id}/payment`, { kind: 'BTC' }, headers);
    expect((await bench.get(`/pay/${body.id}/`)).headers.get('set-cookie')).toBeNull();
    const both = await Promise.all([choice(OWN), choice(OWN)]);
    expect(both.map(({ headers }) => cookieOf(headers)).filter(Boolean)).toHaveLength(1);
    const stranger = await choice({ origin: 'https://shop.test' });
    expect(stranger.headers.get('checkout-claim')).toBeNull();
  });

  it('is no cookie but a header for our page in a frame, for the page around it to keep', async () => {
    const bench = setUp();
    const { body } = await bench.post(
      '/checkouts',
      { order: { order_id: 'A-1', amount: '50', currency: 'USD' } },
      { authorization: `Bearer ${SHOP_SECRET}` },
    );
    const framed = { ...OWN, 'checkout-frame': '1' };
    const choice = () => bench.post(`/checkouts/${body.id}/payment`, { kind: 'BTC' }, framed);
    const { headers } = await choice();
    expect([headers.get('set-cookie'), headers.get('checkout-claim')]).toEqual([
      null,
      expect.stringMatching(/^[\w-]{43}$/),
    ]);
    // Another buyer at the same link is none.
    expect((await choice()).headers.get('checkout-claim')).toBeNull();
  });

  it('is given for a first choice with an unknown outcome', async () => {
    const bench = setUp();
    const { body } = await bench.post(
      '/checkouts',
      { order: { order_id: 'A-1', amount: '50', currency: 'USD' } },
      { authorization: `Bearer ${SHOP_SECRET}` },
    );
    const choice = (headers: Record<string, string>) =>
      bench.post(`/checkouts/${body.id}/payment`, { kind: 'BTC' }, headers);
    bench.service.faults.push({ method: 'POST', how: 'refuse', path: /invoices\/$/, times: 1 });
    const refused = await choice(OWN);
    expect([refused.status, cookieOf(refused.headers)]).toEqual([409, '']);
    bench.service.faults.push({ how: 'down', path: /invoices/, times: 9 });
    const unknown = await choice(OWN);
    expect([unknown.status, cookieOf(unknown.headers)]).toEqual([
      503,
      expect.stringMatching(/^claim=[\w-]{43}$/),
    ]);
    bench.service.faults.length = 0;
    const stranger = await choice({ origin: 'https://shop.test' });
    expect(stranger.headers.get('checkout-claim')).toBeNull();
  });

  it('is in no view, page or link, and is not given for an expired order', async () => {
    const bench = setUp();
    const exp = Math.floor(bench.service.time / 1000) + 600;
    const { headers } = await bench.post('/checkouts', { order: token({ exp }) });
    const claim = headers.get('checkout-claim') ?? 'none';
    const { id } = await payLate(bench);
    const seen = [
      await bench.get(`/checkouts/${id}`),
      await bench.get(`/pay/${id}/`, { accept: 'text/html' }),
      await bench.get(`/pay/${id}/refund`, { accept: 'text/html' }),
    ];
    for (const { body, headers: own } of seen)
      expect(JSON.stringify([body, ...own])).not.toContain(claim);
    const late = await bench.post('/checkouts', { order: token({ exp: exp - 700 }) });
    expect([late.status, late.headers.get('checkout-claim')]).toEqual([201, null]);
  });
});

describe('the form of the page without a script', () => {
  it('checks the address first, says what arrives, and keeps the entries', async () => {
    const bench = setUp();
    const { id, late } = await payLate(bench);
    const page = await bench.get(`/pay/${id}/refund`, { accept: 'text/html' });
    expect(page.body).toContain('~0.000958 BTC');
    expect(page.body).toContain('0.001 BTC on Bitcoin · ~0.000042 BTC fee');
    expect(page.body).not.toContain('<script');
    const form = (fields: Record<string, string>) =>
      bench.post(
        `/checkouts/${id}/refund?lang=de`,
        new URLSearchParams({ transaction: late.txid, ...fields }).toString(),
        {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          accept: 'text/html',
        },
      );
    const wrong = await form({ address: 'nowhere' });
    expect(wrong.status).toBe(400);
    expect(wrong.body).toContain('>nowhere</textarea>');
    expect(wrong.body).toContain('aria-invalid="true"');
    // A text area may hold the line breaks of a letter.
    const right = await form({ address: ` ${ADDRESS.slice(0, 20)}\r\n${ADDRESS.slice(20)}` });
    expect(right.body).toContain(`readonly>${ADDRESS}</textarea>`);
    const checked = checkedIn(right.body);
    expect(checked).toContain(ADDRESS);
    const back = await form({ address: ADDRESS, checked, edit: '1' });
    expect([back.status, bench.service.refunds]).toEqual([200, []]);
    expect(back.body).toContain(`>${ADDRESS}</textarea>`);
    // A changed address is checked again.
    const changed = await form({ address: `${ADDRESS}x`, checked });
    expect(changed.status).toBe(200);
    expect(sent(bench)?.payload).toMatchObject({ estimate_only: true });
    expect(bench.service.refunds).toEqual([]);
    expect((await form({ address: ADDRESS, checked })).headers.get('location')).toBe(
      `/pay/${id}/?lang=de`,
    );
    const stage = await bench.get(`/pay/${id}/`, { accept: 'text/html' });
    expect(stage.body).toContain('Refund requested. The shop will review it.');
  });

  it('tells several payments apart, and checks the chosen one', async () => {
    const bench = setUp();
    const { id, late } = await payLate(bench);
    const second = bench.service.pay(late.invoiceId, { amount: '0.0004', confirmations: 6 });
    offer(bench, second);
    await bench.call('transaction_complete', second.id);
    const { body } = await bench.get(`/pay/${id}/refund`, { accept: 'text/html' });
    const text = body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    for (const [sum, { txid }] of [
      ['0.001 BTC', late],
      ['0.0004 BTC', second],
    ] as const) {
      const short = `${txid.slice(0, 6)}…${txid.slice(-6)}`;
      expect(text).toMatch(new RegExp(`${sum} Your payment arrived late · [^·]* · ${short}`));
    }
    const send = (more: Record<string, string>) =>
      bench.post(
        `/checkouts/${id}/refund`,
        new URLSearchParams({ transaction: second.txid, address: ADDRESS, ...more }).toString(),
        { ...FORM, accept: 'text/html' },
      );
    const answer = await send({});
    expect(checkedIn(answer.body)).toBe(`${second.txid} 0.0004 ${ADDRESS}`);
    expect(answer.body).toContain(`name="transaction" value="${second.txid}"`);
    const back = await send({ edit: '1' });
    const chosen = /<input[^>]*value="(\w+)"[^>]*\schecked\s/.exec(back.body)?.[1];
    expect(chosen).toBe(second.txid);
  });

  it('shows again an address that is empty or too long, and the field that is wrong', async () => {
    const bench = setUp();
    const { id, late } = await payLate(bench);
    const send = (fields: Record<string, string>) =>
      bench.post(
        `/checkouts/${id}/refund`,
        new URLSearchParams({ transaction: late.txid, ...fields }).toString(),
        { ...FORM, accept: 'text/html' },
      );
    for (const address of [' ', 'x'.repeat(5000)]) {
      const { status, body } = await send({ address });
      expect([status, body.includes('name="address"')], address).toEqual([400, true]);
      expect(body).toContain('That is not a valid BTC address on Bitcoin.');
    }
    const shop = await send({ address: 'shop' });
    expect(shop.body).toContain('This address belongs to the shop. Enter one of your own.');
    const hostile = await send({ address: '"><script>alert(1)</script>' });
    expect(hostile.body).not.toContain('<script');
  });

  it('checks again when the amount has changed since the check', async () => {
    const bench = setUp();
    const { id, late } = await payLate(bench);
    const send = (fields: Record<string, string>) =>
      bench.post(
        `/checkouts/${id}/refund`,
        new URLSearchParams({ transaction: late.txid, address: ADDRESS, ...fields }).toString(),
        { ...FORM, accept: 'text/html' },
      );
    const checked = checkedIn((await send({})).body);
    Object.assign(bench.service.refundable[0]!, { amount: { amount: '0.0004', currency: 'BTC' } });
    const changed = await send({ checked });
    expect([changed.status, bench.service.refunds]).toEqual([200, []]);
    expect(changed.body).toContain('0.0004 BTC on Bitcoin');
    const asked = await send({ checked: checkedIn(changed.body) });
    expect([asked.status, bench.service.refunds.length]).toEqual([303, 1]);
  });

  it('finds an offer of the shop, and leads back where nothing can come back', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench);
    const paid = bench.service.pay(payment.invoice_id, { confirmations: 6 });
    await bench.call('transaction_complete', paid.id);
    const nothing = await bench.get(`/pay/${id}/refund`, { accept: 'text/html' });
    expect([nothing.status, nothing.headers.get('location')]).toEqual([303, `/pay/${id}/`]);
    offer(bench, paid);
    expect((await bench.get(`/pay/${id}/refund`, { accept: 'text/html' })).status).toBe(200);
  });

  it('has the colour of the shop, which its policy allows', async () => {
    const bench = setUp({ merchantColor: '#b3541e' });
    const { id } = await payLate(bench);
    const { body, headers } = await bench.get(`/pay/${id}/refund`, { accept: 'text/html' });
    const style = /<style>(crypto-refund\{[^<]*)<\/style>/.exec(body)?.[1] ?? '';
    expect(style).toContain('#b3541e');
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toContain(`'sha256-${hash}'`);
  });

  it('is accepted from our own pages only', async () => {
    const bench = setUp();
    const { id, late } = await payLate(bench);
    const { status } = await bench.post(
      `/checkouts/${id}/refund`,
      new URLSearchParams({ transaction: late.txid, address: ADDRESS }).toString(),
      {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'https://shop.test',
        'sec-fetch-site': 'cross-site',
      },
    );
    expect([status, sent(bench)]).toEqual([403, undefined]);
  });
});

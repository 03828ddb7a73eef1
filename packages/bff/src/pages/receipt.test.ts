import { verifyReceipt } from '@crypto-checkout/client';
import { describe, expect, it } from 'vitest';
import { type Bench, choose, open, payHalves, setUp } from '../../test/support/bench.ts';

const DAY = 24 * 3600;
const HTML = { accept: 'text/html' };
const JOSE = { accept: 'application/jose' };
const JSON_TYPE = { accept: 'application/json' };

/** A paid order. */
async function paid(bench: Bench, confirmations = 1, terms = {}) {
  const { id, payment } = await choose(bench, 'BTC', terms);
  const { id: transaction, txid } = bench.service.pay(payment.invoice_id, { confirmations });
  await bench.call('transaction_confirmed', transaction);
  return { id, txid, invoiceId: payment.invoice_id as string };
}

describe('the receipt of a paid order', () => {
  it('is a file that verifies offline with the public key alone', async () => {
    const bench = setUp();
    const { id, txid, invoiceId } = await paid(bench, 6);
    const keys = [bench.service.receiptKey.publicKey.export({ format: 'jwk' }).x!];
    for (const path of [`/pay/${id}/receipt`, `/invoice/${invoiceId}/receipt`]) {
      const answer = await bench.bff.request(path, { headers: JOSE });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'application/jose',
      ]);
      expect(answer.headers.get('content-disposition')).toBe(
        'attachment; filename="receipt-A-1.jws"',
      );
      expect(await verifyReceipt(await answer.text(), { keys, allowTestnet: true })).toMatchObject({
        order_id: 'A-1',
        invoice_id: invoiceId,
        final: true,
        payments: [{ txid }],
      });
    }
  });

  it('is JSON with the claims, and a page for print, by Accept or by ?format=', async () => {
    const bench = setUp();
    const { id, txid } = await paid(bench);
    const { body, headers } = await bench.get(`/pay/${id}/receipt`, JSON_TYPE);
    expect([body.claims.payments[0].txid, body.claims.final]).toEqual([txid, false]);
    expect(headers.get('vary')).toContain('Accept');
    const page = await bench.get(`/pay/${id}/receipt/?lang=de`, HTML);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(page.body).toContain('<html lang="de"');
    expect(page.body).toContain('Beleg');
    for (const text of [txid, 'A-1', 'Testnetz', 'href="?format=jws"', 'href="?format=json"'])
      expect(page.body).toContain(text);
    expect(page.body).not.toMatch(/<script|crypto-checkout /);
    const file = await bench.bff.request(`/pay/${id}/receipt?format=jws`, { headers: HTML });
    expect(file.headers.get('content-type')).toBe('application/jose');
    const json = await bench.get(`/pay/${id}/receipt?format=json`, HTML);
    expect(json.body.claims.order_id).toBe('A-1');
  });

  it('escapes everything that an order can say', async () => {
    const bench = setUp({ merchantName: '<b>Shop</b>' });
    const { id } = await paid(bench, 1, { order_id: '"><script>alert(1)</script>\n' });
    const { body } = await bench.get(`/pay/${id}/receipt`, HTML);
    expect(body).not.toMatch(/<script|<b>/);
    const file = await bench.bff.request(`/pay/${id}/receipt`, { headers: JOSE });
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+"$/);
  });

  it('is at the checkout’s link for ever, and at an invoice’s id for 90 days', async () => {
    const bench = setUp();
    const { id, invoiceId } = await paid(bench, 6);
    const statuses = async (): Promise<number[]> =>
      Promise.all(
        [`/pay/${id}/receipt`, `/invoice/${invoiceId}/receipt`, `/pay/${invoiceId}/receipt`].map(
          async (path) => (await bench.get(path, JSON_TYPE)).status,
        ),
      );
    bench.advance(89 * DAY);
    expect(await statuses()).toEqual([200, 200, 200]);
    bench.advance(2 * DAY);
    expect(await statuses()).toEqual([200, 404, 404]);
  });

  it('does not exist before the order is paid', async () => {
    const bench = setUp();
    const { id } = await open(bench);
    const refusal = await bench.get(`/pay/${id}/receipt`, JSON_TYPE);
    expect([refusal.status, refusal.body.reason]).toEqual([409, 'InvalidState']);
    const chosen = await choose(bench, 'BTC', { order_id: 'A-2' });
    const page = await bench.get(`/pay/${chosen.id}/receipt`, HTML);
    expect([page.status, page.headers.get('content-type')]).toEqual([
      409,
      'text/html; charset=utf-8',
    ]);
    expect((await bench.get('/pay/unknown/receipt', JSON_TYPE)).status).toBe(404);
    expect((await bench.get(`/invoice/${id}/receipt`, JSON_TYPE)).status).toBe(404);
  });

  it('is unavailable, and not wrong, while the service is', async () => {
    const bench = setUp();
    const { id } = await paid(bench);
    for (const how of ['down', '500', 'html'] as const) {
      bench.service.faults.push({ how, path: /receipt/, times: 2 });
      expect((await bench.get(`/pay/${id}/receipt`, JSON_TYPE)).status).toBe(503);
    }
  });
});

describe('the receipt of an order that no invoice alone shows as paid', () => {
  /** The claims at an order's link, which verify with the public key alone. */
  async function receiptAt(bench: Bench, path: string) {
    const { body } = await bench.get(path);
    expect(body.lacks_receipt).toBeUndefined();
    const keys = [bench.service.receiptKey.publicKey.export({ format: 'jwk' }).x!];
    const answer = await bench.bff.request(`${path.replace('checkouts', 'pay')}/receipt`, {
      headers: JOSE,
    });
    expect(answer.status).toBe(200);
    return verifyReceipt(await answer.text(), { keys, allowTestnet: true });
  }

  /** The stage, whether the view offers no receipt, and the status at the receipt's link. */
  async function lackAt(bench: Bench, id: string) {
    const { stage, lacks_receipt } = (await bench.get(`/checkouts/${id}`)).body;
    return [stage, lacks_receipt, (await bench.get(`/pay/${id}/receipt`, JSON_TYPE)).status];
  }

  async function late(bench: Bench, terms = {}, amount?: string) {
    const { id, payment } = await choose(bench, 'BTC', terms);
    bench.advance(901);
    const { invoice_id } = payment;
    const money = bench.service.pay(invoice_id, {
      ...(amount !== undefined && { amount }),
      confirmations: 6,
    });
    await bench.call('transaction_complete', money.id);
    return { id, invoice_id, money };
  }

  it('exists once the shop has accepted late money, and not before', async () => {
    const bench = setUp();
    const { id, invoice_id, money } = await late(bench);
    expect(await lackAt(bench, id)).toEqual(['late', undefined, 409]);
    money.accepted = true;
    await bench.call('transaction_late_accepted', money.id);
    for (const path of [`/checkouts/${id}`, `/checkouts/${invoice_id}`])
      expect(await receiptAt(bench, path)).toMatchObject({
        order_id: 'A-1',
        invoice_id,
        status: 'complete',
        payments: [{ txid: money.txid, late: true }],
      });
  });

  it('exists for late money that counts by the setting', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { id, money } = await late(bench);
    expect(await receiptAt(bench, `/checkouts/${id}`)).toMatchObject({
      payments: [{ txid: money.txid, late: true }],
    });
  });

  it('does not exist for a half, nor for money that was asked back', async () => {
    const bench = setUp();
    const half = await late(bench, {}, '0.0005');
    half.money.accepted = true;
    await bench.call('transaction_late_accepted', half.money.id);
    expect(await lackAt(bench, half.id)).toEqual(['underpaid', undefined, 409]);
    const whole = await late(bench, { order_id: 'A-2' });
    whole.money.accepted = true;
    await bench.call('transaction_late_accepted', whole.money.id);
    whole.money.refunded = whole.money.amount;
    await bench.call('refund_requested', '', {
      result: { id: 'refund', invoice_id: whole.invoice_id },
    });
    const [stage, , status] = await lackAt(bench, whole.id);
    expect([stage, status]).toEqual(['expired', 409]);
  });

  it('is not handed out while a rest is due, whatever the service counts', async () => {
    const bench = setUp({ latePayments: 'accept' });
    const { id, payment } = await choose(bench);
    // The BFF's rates are older than half an hour: it loads them anew.
    bench.advance(1801);
    bench.service.rates['BTC'] = '40000';
    const money = bench.service.pay(payment.invoice_id, { confirmations: 6 });
    await bench.call('transaction_complete', money.id);
    expect(await lackAt(bench, id)).toEqual(['underpaid', undefined, 409]);
  });

  it('names the payments of every coin', async () => {
    const bench = setUp();
    const chosen = await choose(bench, 'LTC');
    await payHalves(bench, chosen);
    const claims = await receiptAt(bench, `/checkouts/${chosen.id}`);
    expect(claims).toMatchObject({ amount: { amount: '50', currency: 'USD' }, final: true });
    expect(claims.payments.map(({ kind }) => kind).toSorted()).toEqual(['BTC', 'LTC']);
  });

  it('stays after late money came at an invoice of which nothing counts', async () => {
    const bench = setUp();
    const chosen = await choose(bench, 'LTC');
    const quoteIn = async (kind: string) => {
      bench.advance(1);
      return (await bench.post(`/checkouts/${chosen.id}/payment`, { kind })).body.payment;
    };
    const btc = await quoteIn('BTC');
    const newest = await quoteIn('ETH');
    for (const [{ invoice_id }, amount] of [
      [chosen.payment, '0.25'],
      [btc, '0.0005'],
    ]) {
      const half = bench.service.pay(invoice_id, { amount, confirmations: 6 });
      await bench.call('transaction_complete', half.id);
    }
    const own = { invoice_id: btc.invoice_id };
    expect(await receiptAt(bench, `/checkouts/${chosen.id}`)).toMatchObject(own);
    bench.advance(901);
    const dust = bench.service.pay(newest.invoice_id, { amount: '0.001', confirmations: 6 });
    await bench.call('transaction_complete', dust.id);
    expect(await receiptAt(bench, `/checkouts/${chosen.id}`)).toMatchObject(own);
    expect((await bench.get(`/checkouts/${newest.invoice_id}`)).body.lacks_receipt).toBe(true);
  });

  it('is of the invoice before the late half, when a second one asked for the whole', async () => {
    const bench = setUp();
    const { id, invoice_id, money } = await late(bench, {}, '0.0005');
    bench.advance(1);
    const { payment } = (await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' })).body;
    const half = bench.service.pay(payment.invoice_id, { amount: '0.25', confirmations: 6 });
    await bench.call('transaction_complete', half.id);
    money.accepted = true;
    await bench.call('transaction_late_accepted', money.id);
    expect(await receiptAt(bench, `/checkouts/${id}`)).toMatchObject({
      invoice_id,
      amount: { amount: '50' },
      payments: [{ late: true }, { late: false }],
    });
    expect((await bench.get(`/checkouts/${payment.invoice_id}`)).body.lacks_receipt).toBe(true);
    expect((await bench.get(`/invoice/${payment.invoice_id}/receipt`)).status).toBe(409);
  });

  it('exists at once when a payment of another invoice completes the sum', async () => {
    const bench = setUp();
    const { id, invoice_id, money } = await late(bench, {}, '0.0005');
    bench.advance(1);
    const { payment } = (await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' })).body;
    money.accepted = true;
    await bench.call('transaction_late_accepted', money.id);
    const reads = (): number => bench.service.count('GET', new RegExp(`/invoices/${invoice_id}/$`));
    const before = reads();
    const half = bench.service.pay(payment.invoice_id, { amount: '0.25', confirmations: 6 });
    await bench.call('transaction_complete', half.id);
    expect(await receiptAt(bench, `/checkouts/${id}`)).toMatchObject({ invoice_id });
    // The expired invoice has the receipt, and was not read again.
    expect(reads()).toBe(before);
  });

  it('is of the late invoice for a rest, which is paid by itself', async () => {
    const bench = setUp();
    const { id, payment } = await choose(bench, 'LTC');
    const part = bench.service.pay(payment.invoice_id, { amount: '0.3', confirmations: 6 });
    await bench.call('transaction_complete', part.id);
    const btc = (await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })).body.payment;
    bench.advance(901);
    const rest = bench.service.pay(btc.invoice_id, { confirmations: 6 });
    await bench.call('transaction_complete', rest.id);
    rest.accepted = true;
    await bench.call('transaction_late_accepted', rest.id);
    expect(await receiptAt(bench, `/checkouts/${id}`)).toMatchObject({
      invoice_id: btc.invoice_id,
      amount: { amount: '20' },
    });
    const ltc = `/checkouts/${payment.invoice_id}`;
    expect((await bench.get(ltc)).body.lacks_receipt).toBe(true);
    expect((await bench.get(`/invoice/${payment.invoice_id}/receipt`)).status).toBe(409);
  });
});

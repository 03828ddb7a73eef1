import { verifyReceipt } from '@crypto-checkout/client';
import { describe, expect, it } from 'vitest';
import { type Bench, choose, open, setUp } from '../../test/support/bench.ts';

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

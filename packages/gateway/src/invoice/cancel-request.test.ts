import type { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import type { Env } from '../http/env.ts';
import { call, testAccount, type TestAccount, type TestAnswer } from '../../test/support/call.ts';
import { testShop, type ShownInvoice, type TestShop } from '../../test/support/shop.ts';
import { payInvoice } from '../sandbox/pay.ts';
import { endRequests } from '../settlement/end-requests.ts';
import { presentInvoice } from './present.ts';
import { renewInvoice } from './renew.ts';

let shop: TestShop;
let app: Hono<Env>;
let account: TestAccount;
/** Hashes that the node was asked to cancel. */
const asked: string[] = [];

beforeAll(async () => {
  shop = await testShop({ chains: ['bitcoin', 'lightning'] });
  const lightning = shop.context.chains.get('lightning')!;
  (shop.context.chains as Map<string, unknown>).set('lightning', {
    ...lightning,
    cancelRequest: async (hash: string) => void asked.push(hash),
  });
  account = await testAccount(shop.context);
  app = createApp(shop.context);
});
afterAll(() => shop.close());

const cancel = (id: string): Promise<TestAnswer> =>
  call(app, account.api, 'POST', `/v1/invoices/${id}/cancel-request/`);
const LIGHTNING = { kind: 'BTC_LIGHTNING' };
const hashOf = ({ lightning }: ShownInvoice): string => lightning!.payment_hash!;

describe('POST /v1/invoices/<ID>/cancel-request/', () => {
  it('ends a lightning invoice now, and a repetition changes nothing', async () => {
    const invoice = await shop.create(LIGHTNING);
    await shop.advance(60);
    const { status, body } = await cancel(invoice.id);
    expect(status).toBe(200);
    expect(Date.parse(body.result.expires_at)).toBe(shop.context.clock.now());
    expect(body.result.proof.signature).not.toBe(invoice.proof!.signature);
    await shop.advance(1);
    expect(await shop.get(invoice.id)).toMatchObject({ status: 'expired' });
    const again = await cancel(invoice.id);
    expect(again.body.result.expires_at).toBe(body.result.expires_at);
    await endRequests(shop.context);
    await endRequests(shop.context);
    expect(asked.filter((hash) => hash === hashOf(invoice))).toHaveLength(1);
    await expect(shop.pay(invoice.id, LIGHTNING)).rejects.toThrow('was cancelled');
  });

  it('can be followed by a new request', async () => {
    const invoice = await shop.create(LIGHTNING);
    await cancel(invoice.id);
    const renewed = presentInvoice(
      await renewInvoice(shop.context, shop.accountId, invoice.id, {}),
    );
    expect(hashOf(renewed)).not.toBe(hashOf(invoice));
    await shop.pay(invoice.id, LIGHTNING);
    expect(await shop.get(invoice.id)).toMatchObject({ status: 'complete' });
  });

  it('leaves the address of an invoice that has both', async () => {
    const invoice = await shop.create({ with_lightning: true });
    const { body } = await cancel(invoice.id);
    expect(body.result).toMatchObject({ lightning: null, expires_at: invoice.expires_at });
    await endRequests(shop.context);
    expect(asked).toContain(hashOf(invoice));
    await shop.pay(invoice.id);
    expect(await shop.get(invoice.id)).toMatchObject({ status: 'pending' });
  });

  it('comes too late for a payment that was faster, which counts', async () => {
    const invoice = await shop.create(LIGHTNING);
    await shop.pay(invoice.id, LIGHTNING);
    const { status, body } = await cancel(invoice.id);
    expect([status, body.result.status]).toEqual([200, 'complete']);
    await endRequests(shop.context);
    expect(asked).not.toContain(hashOf(invoice));
  });

  it('books a payment that the node settled before it was asked, as a late one', async () => {
    const invoice = await shop.create(LIGHTNING);
    const { context, world } = shop;
    await payInvoice(context, world, { invoiceId: invoice.id, ...LIGHTNING });
    await cancel(invoice.id);
    await endRequests(shop.context);
    await shop.settle();
    expect(await shop.transactions(invoice.id)).toMatchObject([{ status: 'complete' }]);
  });

  it('is refused without a request that ends', async () => {
    for (const members of [{ kind: 'BTC' }, { kind: 'BTC_LIGHTNING_LNURL' }]) {
      const { id } = await shop.create(members);
      expect(await cancel(id)).toMatchObject({ status: 409, body: { reason: 'InvalidState' } });
    }
    expect(await cancel('8f1a4a2e-3c1d-4f6a-9d70-5a3e7d5b9c11')).toMatchObject({ status: 404 });
  });
});

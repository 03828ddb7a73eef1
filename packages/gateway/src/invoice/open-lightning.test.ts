import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeBolt11 } from '../chain/lightning/bolt11.ts';
import { renewInvoice } from './renew.ts';
import { testShop, type ShownInvoice, type TestShop } from './test-shop.ts';

const WEEK = 604_800;
let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ chains: ['bitcoin', 'lightning'] });
});
afterAll(() => shop.close());

const create = (more: Record<string, unknown> = {}): Promise<ShownInvoice> => shop.create({ kind: 'BTC_LIGHTNING', amount: null, ...more });

describe('a lightning request without an amount', () => {
  it.each(['BTC_LIGHTNING', 'BTC_LIGHTNING_TO_LIGHTNING'])('of kind %s says until when it can be paid', async (kind) => {
    const { expires_at, lightning } = await create({ kind });
    const request = decodeBolt11(lightning!.payment_request!);
    expect(request).toMatchObject({ amountMsat: null, expirySeconds: WEEK });
    expect(Date.parse(expires_at!)).toBe((request.timestamp + request.expirySeconds) * 1000);
    expect(Date.parse(expires_at!) - shop.context.clock.now()).toBe(WEEK * 1000);
  });

  it('runs as long as its creator says', async () => {
    const { expires_at, lightning } = await create({ invoice_expiration: 300 });
    expect(Date.parse(expires_at!) - shop.context.clock.now()).toBe(300_000);
    expect(decodeBolt11(lightning!.payment_request!).expirySeconds).toBe(300);
  });

  it('is expired once it ran out, reports nothing and is not renewed', async () => {
    const { id } = await create({ invoice_expiration: 300 });
    const renew = (payload: object): Promise<unknown> => renewInvoice(shop.context, shop.accountId, id, payload);
    await expect(renew({ extend: true })).rejects.toMatchObject({ reason: 'InvalidState' });
    await shop.advance(299);
    expect((await shop.get(id)).status).toBe('new');
    await shop.advance(1);
    expect((await shop.get(id)).status).toBe('expired');
    expect(await shop.events(id)).toEqual([]);
    await expect(renew({})).rejects.toMatchObject({ reason: 'InvalidState' });
  });

  it('is complete with the one payment that it takes, whatever it was, and stays so; only the payment is reported', async () => {
    const { id } = await create({ invoice_expiration: 300 });
    await shop.pay(id, { amount: '0.00012345' });
    expect(await shop.get(id)).toMatchObject({ status: 'complete', amount: { paid: { amount: '0.00012345', currency: 'BTC' } } });
    await shop.advance(301);
    expect((await shop.get(id)).status).toBe('complete');
    expect(await shop.events(id)).toEqual([]);
    const [transaction] = await shop.transactions(id);
    expect(await shop.events(transaction!.id)).toEqual(['transaction_pending', 'transaction_confirmed', 'transaction_complete']);
  });

  it('is the only invoice without an amount that ends: an address does not', async () => {
    const { id, expires_at } = await shop.create({ kind: 'BTC', amount: null, invoice_expiration: 300 });
    expect(expires_at).toBeNull();
    await shop.advance(WEEK + 1);
    expect((await shop.get(id)).status).toBe('new');
    await shop.pay(id, { amount: '0.1' });
    expect((await shop.get(id)).status).toBe('new');
    const lnurl = await shop.create({ kind: 'BTC_LIGHTNING_LNURL', amount: null });
    expect([lnurl.expires_at, lnurl.status]).toEqual([null, 'new']);
  });
});

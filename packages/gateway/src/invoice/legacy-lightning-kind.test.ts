import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeBolt11 } from '@crypto-checkout/chains/lightning/bolt11';
import { renewInvoice } from './renew.ts';
import { presentInvoice } from './present.ts';
import { testShop, type ShownInvoice, type TestShop } from '../../test/support/shop.ts';

const OLDER = 'BTC_LIGHTNING_TO_LIGHTNING';
let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ chains: ['bitcoin', 'lightning'] });
});
afterAll(() => shop.close());

const create = (more: Record<string, unknown> = {}): Promise<ShownInvoice> =>
  shop.create({ kind: OLDER, ...more });

describe('legacy kind BTC_LIGHTNING_TO_LIGHTNING', () => {
  it('creates a lightning invoice under the requested name', async () => {
    const [older, lightning] = [await create(), await shop.create({ kind: 'BTC_LIGHTNING' })];
    const own = ['id', 'kind', 'lightning', 'proof'] as const;
    for (const field of own) expect(older[field], field).not.toEqual(lightning[field]);
    const rest = (invoice: ShownInvoice) =>
      Object.fromEntries(Object.entries(invoice).filter(([field]) => !own.includes(field as 'id')));
    expect(rest(older)).toEqual(rest(lightning));
    expect(older).toMatchObject({
      kind: OLDER,
      address: null,
      min_confirmations: null,
      amount: { invoiced: { currency: 'BTC' } },
    });
    const { payment_request, payment_hash, lnurl } = older.lightning!;
    expect(lnurl).toBeNull();
    expect(decodeBolt11(payment_request!)).toMatchObject({
      paymentHash: payment_hash,
      amountMsat: 200_000_000n,
    });
  });

  it('completes invoice and transaction on payment', async () => {
    const before = await shop.balance('BTC');
    const invoice = await create();
    await shop.pay(invoice.id);
    expect(await shop.get(invoice.id)).toMatchObject({
      status: 'complete',
      amount: { paid: { amount: '0.002', currency: 'BTC' } },
    });
    expect(await shop.transactions(invoice.id)).toMatchObject([
      { kind: OLDER, status: 'complete', invoice: { kind: OLDER } },
    ]);
    expect(await shop.events(invoice.id)).toEqual([
      'invoice_pending',
      'invoice_confirmed',
      'invoice_complete',
    ]);
    expect(Number((await shop.balance('BTC')).available) - Number(before.available)).toBeCloseTo(
      0.002,
      8,
    );
  });

  it('renews with a new request', async () => {
    const invoice = await create();
    await shop.advance(1_000);
    const renewed = presentInvoice(
      await renewInvoice(shop.context, shop.accountId, invoice.id, {}),
    );
    expect(renewed).toMatchObject({ kind: OLDER, status: 'new' });
    expect(renewed.lightning!.payment_hash).not.toBe(invoice.lightning!.payment_hash);
  });

  it('is enabled where the profile enables lightning, under either name', async () => {
    const { db } = shop.context;
    await sql`delete from profile_currency where kind = ${OLDER}`.execute(db);
    expect((await create()).kind).toBe(OLDER);
    await sql`update profile_currency set kind = ${OLDER} where kind = 'BTC_LIGHTNING'`.execute(db);
    expect((await create()).kind).toBe(OLDER);
    await sql`delete from profile_currency where kind = ${OLDER}`.execute(db);
    await expect(create()).rejects.toMatchObject({
      reason: 'CurrencyNotEnabled',
      message: expect.stringContaining(OLDER),
    });
  });

  it('answers NotFound for an unknown or foreign profile', async () => {
    await expect(create({ profile_id: shop.context.ids.uuid() })).rejects.toMatchObject({
      reason: 'NotFound',
    });
    await expect(create({ profile_id: 'x' })).rejects.toMatchObject({ reason: 'NotFound' });
  });
});

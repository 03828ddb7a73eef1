import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../http/error.ts';
import type { RateBook } from '../rate/rate-book.ts';
import { presentInvoice } from './present.ts';
import { renewInvoice } from './renew.ts';
import { testShop, type ShownInvoice, type TestShop } from '../../test/support/shop.ts';

/** Rates set by the test. */
let btc = '50000';
let usdc = '1';
const rates: RateBook = {
  current: async () => ({
    usd: new Map([
      ['USD', parseAmount('1')],
      ['BTC', parseAmount(btc)],
      ['ETH', parseAmount('2500')],
      ['USDC', parseAmount(usdc)],
    ]),
    at: 0,
    stale: false,
  }),
};

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ chains: ['bitcoin', 'lightning', 'ethereum'], overrides: { rates } });
});
beforeEach(() => {
  [btc, usdc] = ['50000', '1'];
});
afterAll(() => shop.close());

async function renew(id: string, payload: Record<string, unknown> = {}): Promise<ShownInvoice> {
  return presentInvoice(await renewInvoice(shop.context, shop.accountId, id, payload));
}

async function refused(id: string, payload: Record<string, unknown> = {}): Promise<string> {
  const error: unknown = await renew(id, payload).catch((caught: unknown) => caught);
  if (!(error instanceof ServiceError)) throw new Error(`Not refused: ${JSON.stringify(error)}`);
  return error.reason;
}

describe('renewal after the price expired', () => {
  it('keeps the address, uses the new rate and restarts the expiry', async () => {
    const before = await shop.create();
    await shop.advance(1000);
    expect((await shop.get(before.id)).status).toBe('expired');
    btc = '40000';
    const after = await renew(before.id);
    expect(after).toMatchObject({
      status: 'new',
      address: before.address,
      amount: { invoiced: { amount: '0.0025', rate_usd: '40000' } },
    });
    expect(Date.parse(after.expires_at ?? '') - shop.context.clock.now()).toBe(900_000);
    await shop.pay(before.id);
    await shop.mine('BTC');
    expect((await shop.get(before.id)).status).toBe('paid');
  });

  it.each([
    [2, '100', '111.12'],
    [4, '100', '111.1112'],
  ])(
    'prices a stablecoin with %i decimals, as the profile sets',
    async (stablecoin_precision, before, after) => {
      await shop.context.db.updateTable('profile').set({ stablecoin_precision }).execute();
      const { id, amount } = await shop.create({ kind: 'ETH_USDC' });
      expect(amount.invoiced.amount).toBe(before);
      await shop.advance(900);
      usdc = '0.9';
      expect((await renew(id)).amount.invoiced.amount).toBe(after);
    },
  );

  it('works before the worker has expired the invoice', async () => {
    const { id } = await shop.create();
    shop.context.clock.advance(900_000);
    expect((await renew(id)).status).toBe('new');
  });

  it('is possible six times per hour', async () => {
    const { id } = await shop.create({ invoice_expiration: 60 });
    for (let time = 0; time < 6; time += 1) {
      await shop.advance(61);
      await renew(id);
    }
    await shop.advance(61);
    await expect(renew(id)).rejects.toMatchObject({
      reason: 'RateLimited',
      headers: { 'Retry-After': '600' },
    });
    await shop.advance(3600);
    expect((await renew(id)).status).toBe('new');
  });

  it('happens once for two concurrent requests', async () => {
    const { id } = await shop.create();
    await shop.advance(900);
    const answers = await Promise.allSettled([renew(id), renew(id), renew(id)]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const quotes = await shop.context.db
      .selectFrom('quote')
      .selectAll()
      .where('invoice_id', '=', id)
      .execute();
    expect(quotes).toHaveLength(2);
  });

  it('rejects an extension at the old rate', async () => {
    const { id } = await shop.create();
    await shop.advance(900);
    expect(await refused(id, { extend: true })).toBe('InvalidState');
  });

  it('rejects a renewal after a late payment, so that the buyer does not pay twice', async () => {
    const { id } = await shop.create();
    await shop.advance(900);
    await shop.pay(id);
    expect(await refused(id)).toBe('InvalidState');
  });
});

describe('while the price is valid', () => {
  it('extends once at the same rate', async () => {
    const before = await shop.create();
    btc = '40000';
    expect(await refused(before.id)).toBe('InvalidState');
    await shop.advance(800);
    const after = await renew(before.id, { extend: true });
    expect(after).toMatchObject({ status: 'new', address: before.address, amount: before.amount });
    expect(Date.parse(after.expires_at ?? '') - Date.parse(before.expires_at ?? '')).toBe(900_000);
    expect(await refused(before.id, { extend: true })).toBe('InvalidState');
    await shop.advance(800);
    expect((await shop.get(before.id)).status).toBe('new');
    await shop.pay(before.id);
    await shop.mine('BTC');
    expect((await shop.get(before.id)).status).toBe('paid');
  });

  it('rejects an extension after a payment, even a partial one', async () => {
    const { id } = await shop.create();
    const txid = await shop.pay(id, { amount: '0.0001' });
    expect(await refused(id, { extend: true })).toBe('InvalidState');
    await shop.advance(900);
    expect(await refused(id)).toBe('InvalidState');
    await shop.drop(txid);
    expect((await renew(id)).status).toBe('new');
  });

  it('rejects paid, complete, non-expiring and unknown invoices', async () => {
    const { id } = await shop.create();
    await shop.pay(id);
    await shop.mine('BTC');
    expect(await refused(id)).toBe('InvalidState');
    await shop.mine('BTC', 5);
    expect(await refused(id, { extend: true })).toBe('InvalidState');
    expect(await refused((await shop.create({ amount: undefined })).id)).toBe('InvalidState');
    expect(await refused((await shop.create({ kind: 'BTC_LIGHTNING_LNURL' })).id)).toBe(
      'InvalidState',
    );
    expect(await refused('00000000-0000-4000-8000-000000000000')).toBe('NotFound');
    expect(await refused(id, { extend: 'yes' })).toBe('ValidationError');
  });

  it('ignores another coin at the address', async () => {
    const { id } = await shop.create({ kind: 'ETH' });
    await shop.pay(id, { kind: 'ETH_USDC', amount: '5' });
    expect((await renew(id, { extend: true })).status).toBe('new');
  });
});

describe('the effective quote', () => {
  it('is the one valid when the payment was first seen, also after a renewal', async () => {
    const { id } = await shop.create();
    const txid = await shop.pay(id);
    await shop.drop(txid);
    await shop.advance(1000);
    btc = '25000';
    expect((await renew(id)).amount.invoiced.amount).toBe('0.004');
    // The dropped payment returns: half of the new price, but all of its own quote.
    const { sql } = await import('kysely');
    await sql`update sandbox_transaction set state = 'mempool' where txid = ${txid}`.execute(
      shop.context.db,
    );
    await shop.settle();
    expect((await shop.get(id)).status).toBe('pending');
    await shop.mine('BTC');
    expect((await shop.get(id)).status).toBe('paid');
    expect((await shop.transactions(id))[0]?.amount.paid.quotes).toEqual({ USD: '100' });
  });
});

describe('lightning invoice', () => {
  it('gets a new request and hash; the old request still pays it', async () => {
    const before = await shop.create({ kind: 'BTC_LIGHTNING' });
    const { rows } = await watchKeys(before.id);
    await shop.advance(900);
    btc = '40000';
    const after = await renew(before.id);
    expect(after.lightning?.payment_hash).not.toBe(before.lightning?.payment_hash);
    expect(after.lightning?.payment_request).not.toBe(before.lightning?.payment_request);
    // A node may settle the old request just before it expires.
    await shop.world.pay('lightning', [
      { asset: 'BTC', address: 'x', watchKey: rows[0] ?? '', amount: parseAmount('0.0025') },
    ]);
    await shop.settle();
    expect((await shop.get(before.id)).status).toBe('complete');
  });

  it('gets a request with the extended expiry', async () => {
    const { id } = await shop.create({ kind: 'BTC_LIGHTNING' });
    await shop.advance(600);
    const { lightning, expires_at } = await renew(id, { extend: true });
    const { decodeBolt11 } = await import('@crypto-checkout/chains/lightning/bolt11');
    const request = decodeBolt11(lightning?.payment_request ?? '');
    expect((request.timestamp + request.expirySeconds) * 1000).toBe(Date.parse(expires_at ?? ''));
  });
});

async function watchKeys(invoiceId: string): Promise<{ rows: string[] }> {
  const rows = await shop.context.db
    .selectFrom('deposit_target')
    .select('watch_key')
    .where('invoice_id', '=', invoiceId)
    .execute();
  return { rows: rows.map(({ watch_key }) => watch_key) };
}

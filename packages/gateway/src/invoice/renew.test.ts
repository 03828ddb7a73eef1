import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../http/error.ts';
import type { RateBook } from '../rate/rate-book.ts';
import { presentInvoice } from './present.ts';
import { renewInvoice } from './renew.ts';
import { testShop, type ShownInvoice, type TestShop } from './test-shop.ts';

/** Prices, as the test sets them. */
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

describe('renewing after the price ran out', () => {
  it('keeps the address, takes the new rate and starts the time anew', async () => {
    const before = await shop.create();
    await shop.advance(1000);
    expect((await shop.get(before.id)).status).toBe('expired');
    btc = '40000';
    const after = await renew(before.id);
    expect(after).toMatchObject({ status: 'new', address: before.address, amount: { invoiced: { amount: '0.0025', rate_usd: '40000' } } });
    expect(Date.parse(after.expires_at ?? '') - shop.context.clock.now()).toBe(900_000);
    await shop.pay(before.id);
    await shop.mine('BTC');
    expect((await shop.get(before.id)).status).toBe('paid');
  });

  it.each([
    [2, '100', '111.12'],
    [4, '100', '111.1112'],
  ])('asks for a stablecoin with the %i decimals that the profile wants', async (stablecoin_precision, before, after) => {
    await shop.context.db.updateTable('profile').set({ stablecoin_precision }).execute();
    const { id, amount } = await shop.create({ kind: 'ETH_USDC' });
    expect(amount.invoiced.amount).toBe(before);
    await shop.advance(900);
    usdc = '0.9';
    expect((await renew(id)).amount.invoiced.amount).toBe(after);
  });

  it('works before anybody noted the expiry', async () => {
    const { id } = await shop.create();
    shop.context.clock.advance(900_000);
    expect((await renew(id)).status).toBe('new');
  });

  it('is possible six times an hour', async () => {
    const { id } = await shop.create({ invoice_expiration: 60 });
    for (let time = 0; time < 6; time += 1) {
      await shop.advance(61);
      await renew(id);
    }
    await shop.advance(61);
    expect(await refused(id)).toBe('RateLimited');
    await shop.advance(3600);
    expect((await renew(id)).status).toBe('new');
  });

  it('happens once when two ask at the same time', async () => {
    const { id } = await shop.create();
    await shop.advance(900);
    const answers = await Promise.allSettled([renew(id), renew(id), renew(id)]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const quotes = await shop.context.db.selectFrom('quote').selectAll().where('invoice_id', '=', id).execute();
    expect(quotes).toHaveLength(2);
  });

  it('is refused when more time at the old rate is wanted', async () => {
    const { id } = await shop.create();
    await shop.advance(900);
    expect(await refused(id, { extend: true })).toBe('InvalidState');
  });

  it('is refused after a late payment: nobody pays the whole amount twice', async () => {
    const { id } = await shop.create();
    await shop.advance(900);
    await shop.pay(id);
    expect(await refused(id)).toBe('InvalidState');
  });
});

describe('while the price runs', () => {
  it('more time at the same rate is given once', async () => {
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

  it('is refused as soon as a payment is counted, also one below the amount', async () => {
    const { id } = await shop.create();
    const txid = await shop.pay(id, { amount: '0.0001' });
    expect(await refused(id, { extend: true })).toBe('InvalidState');
    await shop.advance(900);
    expect(await refused(id)).toBe('InvalidState');
    await shop.drop(txid);
    expect((await renew(id)).status).toBe('new');
  });

  it('is refused for what is paid, complete, or never expires, and for nobody', async () => {
    const { id } = await shop.create();
    await shop.pay(id);
    await shop.mine('BTC');
    expect(await refused(id)).toBe('InvalidState');
    await shop.mine('BTC', 5);
    expect(await refused(id, { extend: true })).toBe('InvalidState');
    expect(await refused((await shop.create({ amount: undefined })).id)).toBe('InvalidState');
    expect(await refused((await shop.create({ kind: 'BTC_LIGHTNING_LNURL' })).id)).toBe('InvalidState');
    expect(await refused('00000000-0000-4000-8000-000000000000')).toBe('NotFound');
    expect(await refused(id, { extend: 'yes' })).toBe('ValidationError');
  });

  it('another coin at the address holds nothing up', async () => {
    const { id } = await shop.create({ kind: 'ETH' });
    await shop.pay(id, { kind: 'ETH_USDC', amount: '5' });
    expect((await renew(id, { extend: true })).status).toBe('new');
  });
});

describe('the quote that counts', () => {
  it('is the one in force when a payment was first seen, also after a renewal', async () => {
    const { id } = await shop.create();
    const txid = await shop.pay(id);
    await shop.drop(txid);
    await shop.advance(1000);
    btc = '25000';
    expect((await renew(id)).amount.invoiced.amount).toBe('0.004');
    // The dropped payment comes back, half of what is asked now, and all of what was asked when it was made.
    const { sql } = await import('kysely');
    await sql`update sandbox_transaction set state = 'mempool' where txid = ${txid}`.execute(shop.context.db);
    await shop.settle();
    expect((await shop.get(id)).status).toBe('pending');
    await shop.mine('BTC');
    expect((await shop.get(id)).status).toBe('paid');
    expect((await shop.transactions(id))[0]?.amount.paid.quotes).toEqual({ USD: '100' });
  });
});

describe('a lightning invoice', () => {
  it('gets a new request and hash; the old request still pays it', async () => {
    const before = await shop.create({ kind: 'BTC_LIGHTNING' });
    const { rows } = await watchKeys(before.id);
    await shop.advance(900);
    btc = '40000';
    const after = await renew(before.id);
    expect(after.lightning?.payment_hash).not.toBe(before.lightning?.payment_hash);
    expect(after.lightning?.payment_request).not.toBe(before.lightning?.payment_request);
    // A node may settle the old request in the last moment.
    await shop.world.pay('lightning', [{ asset: 'BTC', address: 'x', watchKey: rows[0] ?? '', amount: parseAmount('0.0025') }]);
    await shop.settle();
    expect((await shop.get(before.id)).status).toBe('complete');
  });

  it('is extended with a request that runs as long', async () => {
    const { id } = await shop.create({ kind: 'BTC_LIGHTNING' });
    await shop.advance(600);
    const { lightning, expires_at } = await renew(id, { extend: true });
    const { decodeBolt11 } = await import('../chain/lightning/bolt11.ts');
    const request = decodeBolt11(lightning?.payment_request ?? '');
    expect((request.timestamp + request.expirySeconds) * 1000).toBe(Date.parse(expires_at ?? ''));
  });
});

async function watchKeys(invoiceId: string): Promise<{ rows: string[] }> {
  const rows = await shop.context.db.selectFrom('deposit_target').select('watch_key').where('invoice_id', '=', invoiceId).execute();
  return { rows: rows.map(({ watch_key }) => watch_key) };
}

import { createPublicKey, verify } from 'node:crypto';
import type { Hono } from 'hono';
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receipt, receiptClaims } from '@crypto-checkout/protocol/schema/receipt';
import { listProofKeys } from '../account/proof-key-store.ts';
import { createApp } from '../app.ts';
import type { Env } from '../http/env.ts';
import { payRequest, requestPayment } from '../lnurl/pay.ts';
import { call, testAccount, type TestAccount, type TestAnswer } from '../../test/support/call.ts';
import { testShop, type TestShop } from '../../test/support/shop.ts';
import { signReceipt } from './receipt.ts';

let shop: TestShop;
let app: Hono<Env>;
let account: TestAccount;
beforeAll(async () => {
  shop = await testShop({ chains: ['bitcoin', 'lightning', 'litecoin'] });
  account = await testAccount(shop.context);
  app = createApp(shop.context);
});
afterAll(() => shop.close());

const ask = (id: string): Promise<TestAnswer> =>
  call(app, account.api, 'GET', `/v1/invoices/${id}/receipt/`);

/** The claims of a receipt whose signature is valid. */
async function claimsOf(id: string): Promise<Receipt> {
  const { status, body } = await ask(id);
  expect([status, body.reason]).toEqual([200, undefined]);
  const [header = '', payload = '', signature = ''] = body.result.receipt.split('.');
  const keys = await listProofKeys(shop.context.db, shop.accountId);
  const [key] = keys.filter(({ state }) => state === 'current');
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
    alg: 'EdDSA',
    typ: 'crypto-checkout-receipt',
    kid: key?.kid,
  });
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key!.public_key };
  const valid = verify(
    null,
    Buffer.from(`${header}.${payload}`),
    createPublicKey({ key: jwk, format: 'jwk' }),
    Buffer.from(signature, 'base64url'),
  );
  expect(valid).toBe(true);
  const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
  expect(receiptClaims.strict().safeParse(claims).error).toBeUndefined();
  return claims as Receipt;
}

describe('GET /v1/invoices/<ID>/receipt/', () => {
  it('answers a receipt of the invoice and its payments, and 409 before it is paid', async () => {
    const { id, created_at, amount } = await shop.create({ order_id: 'receipt-1' });
    const refused = async (): Promise<unknown[]> => {
      const { status, body } = await ask(id);
      return [status, body.reason];
    };
    expect(await refused()).toEqual([409, 'InvalidState']);
    const txid = await shop.pay(id);
    expect(await refused()).toEqual([409, 'InvalidState']);
    await shop.mine('BTC');
    const paid = await claimsOf(id);
    expect(paid).toMatchObject({
      iat: Math.floor(shop.context.clock.now() / 1000),
      account_id: shop.accountId,
      invoice_id: id,
      order_id: 'receipt-1',
      network: 'testnet',
      kind: 'BTC',
      status: 'paid',
      final: false,
      amount: amount.requested,
      invoiced: { amount: amount.invoiced.amount, currency: 'BTC' },
      created_at,
      payments: [
        {
          invoice_id: id,
          kind: 'BTC',
          txid,
          amount: { amount: amount.invoiced.amount, currency: 'BTC' },
          status: 'confirmed',
          late: false,
          confirmed_at: expect.any(String),
        },
      ],
      refunds: [],
    });
    await shop.mine('BTC', 5);
    expect(await claimsOf(id)).toMatchObject({
      status: 'complete',
      final: true,
      payments: [{ txid, status: 'complete' }],
    });
  });

  it('names the payments of the order’s other invoices, and of no other order', async () => {
    const order_id = 'in two coins';
    const first = await shop.create({ kind: 'LTC', order_id, amount: '60' });
    const half = await shop.pay(first.id, { amount: '0.3' });
    const other = await shop.create({ order_id: 'another', amount: '60' });
    await shop.pay(other.id);
    const second = await shop.create({ order_id, amount: '36' });
    const rest = await shop.pay(second.id);
    await shop.mine('BTC', 6);
    const claims = await claimsOf(second.id);
    expect(claims.payments.map(({ invoice_id, txid }) => [invoice_id, txid])).toEqual([
      [first.id, half],
      [second.id, rest],
    ]);
    expect([claims.status, claims.final]).toEqual(['complete', false]);
    await shop.mine('LTC', 6);
    expect((await claimsOf(second.id)).final).toBe(true);
  });

  it('leaves out a payment that was replaced, and one in another coin', async () => {
    const { id } = await shop.create({ order_id: 'replaced' });
    const lost = await shop.pay(id);
    await shop.replace(lost);
    const txid = await shop.pay(id);
    await shop.mine('BTC');
    expect((await claimsOf(id)).payments.map((payment) => payment.txid)).toEqual([txid]);
  });

  it('takes a reversed payment back', async () => {
    const { id } = await shop.create();
    await shop.pay(id);
    await shop.mine('BTC');
    expect((await claimsOf(id)).status).toBe('paid');
    await shop.reorganise('BTC', 1, true);
    expect((await ask(id)).status).toBe(409);
  });

  it('names the payments of an LNURL, which come through its children', async () => {
    const { id } = await shop.create({ kind: 'BTC_LIGHTNING_LNURL', order_id: 'lnurl' });
    const { minSendable } = await payRequest(shop.context, id);
    await requestPayment(shop.context, id, String(Math.ceil(minSendable / 1000) * 1000));
    const child = await shop.context.db
      .selectFrom('invoice')
      .select('id')
      .where('lnurl_invoice_id', '=', id)
      .executeTakeFirstOrThrow();
    await shop.pay(child.id);
    expect((await claimsOf(id)).payments).toMatchObject([{ invoice_id: child.id }]);
  });

  it('answers 404 for another account’s invoice', async () => {
    const { status } = await ask('00000000-0000-4000-8000-000000000000');
    expect(status).toBe(404);
  });

  it('compares the invoices of the order only where their payments cover it', async () => {
    /** The number of queries for a receipt, or for its refusal. */
    const queriesFor = async (id: string): Promise<number> => {
      let queries = 0;
      const counter: KyselyPlugin = {
        transformQuery: ({ node }) => {
          queries += 1;
          return node;
        },
        transformResult: ({ result }) => Promise.resolve(result),
      };
      const counted = { ...shop.context, db: shop.context.db.withPlugin(counter) };
      await signReceipt(counted, shop.accountId, id).catch(() => null);
      return queries;
    };
    const order_id = 'counted queries';
    const alone = await shop.create({ order_id: `${order_id}, one coin` });
    const halves = [
      await shop.create({ amount: '60', order_id }),
      await shop.create({ kind: 'LTC', amount: '60', order_id }),
    ] as const;
    // The invoice and its payments.
    expect(await queriesFor(alone.id)).toBe(2);
    await shop.pay(alone.id);
    await shop.pay(halves[0].id, { amount: '0.0006' });
    await shop.mine('BTC');
    expect((await claimsOf(alone.id)).status).toBe('paid');
    // The refunds and the key as well.
    expect(await queriesFor(alone.id)).toBe(4);
    expect(await queriesFor(halves[0].id)).toBe(2);
    await shop.pay(halves[1].id, { amount: '0.375' });
    await shop.mine('LTC');
    for (const { id } of halves) expect(await queriesFor(id)).toBe(5);
  });
});

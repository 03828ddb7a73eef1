import { createPublicKey, verify } from 'node:crypto';
import { addressProofText } from '@crypto-checkout/protocol/address-proof';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../account/create.ts';
import { addProofKey, listProofKeys, rotateProofKey } from '../account/proof-key-store.ts';
import { createApp } from '../app.ts';
import { payRequest, requestPayment } from '../lnurl/pay.ts';
import { testShop, type ShownInvoice, type TestShop } from '../../test/support/shop.ts';
import { createInvoice } from './create.ts';
import { presentInvoice } from './present.ts';
import { renewInvoice } from './renew.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ chains: ['bitcoin', 'lightning', 'xrp', 'ethereum'] });
});
afterAll(() => shop.close());

/** The public keys of an account, as anyone reads them. */
async function publishedKeys(accountId = shop.accountId): Promise<{ kid: string; x: string }[]> {
  const answer = await createApp(shop.context).request(
    `/.well-known/crypto-checkout-keys/${accountId}.json`,
  );
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { keys: { kid: string; x: string }[] }).keys;
}

/** Whether the proof of an invoice is valid, checked from its public members alone. */
async function isProven(
  invoice: ShownInvoice,
  change: Partial<Parameters<typeof addressProofText>[0]> = {},
  keys?: { kid: string; x: string }[],
): Promise<boolean> {
  const key = (keys ?? (await publishedKeys())).find(({ kid }) => kid === invoice.proof?.kid);
  const [target = '', tag = null] = invoice.address?.split(':') ?? [];
  const text = addressProofText({
    invoiceId: invoice.id,
    orderId: invoice.order_id,
    requested: invoice.amount.requested,
    kind: invoice.kind,
    network: invoice.network,
    target: target || (invoice.lightning?.payment_request ?? invoice.lightning?.lnurl ?? ''),
    tag,
    invoiced: invoice.amount.invoiced.amount,
    expiresAt: invoice.expires_at,
    ...change,
  });
  if (!invoice.proof || !key || text === null) return false;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.x };
  const signature = Buffer.from(invoice.proof.signature, 'base64url');
  return verify(null, Buffer.from(text), createPublicKey({ key: jwk, format: 'jwk' }), signature);
}

describe('the address proof of an invoice', () => {
  it.each(['BTC', 'XRP', 'ETH_USDC', 'BTC_LIGHTNING', 'BTC_LIGHTNING_LNURL'])(
    'of kind %s is valid for its public members, and only for them',
    async (kind) => {
      const invoice = await shop.create({ kind, order_id: '1001', amount: '18.50' });
      expect(await isProven(invoice)).toBe(true);
      expect(await isProven(await shop.get(invoice.id))).toBe(true);
      for (const change of [
        { invoiceId: '8f1a4a2e-3c1d-4f6a-9d70-5a3e7d5b9c11' },
        { orderId: '1002' },
        { orderId: null },
        { requested: { amount: '18.5', currency: 'USD' } },
        { requested: { amount: '18.50', currency: 'EUR' } },
        { kind: 'LTC' },
        { network: 'mainnet' },
        { target: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' },
        { tag: '7' },
        { invoiced: '0.1' },
        { expiresAt: '2027-01-01T00:00:00.000000+00:00' },
      ])
        expect(await isProven(invoice, change), JSON.stringify(change)).toBe(false);
    },
  );

  it('covers a reusable address without an order', async () => {
    const invoice = await shop.create({ amount: undefined });
    expect(invoice).toMatchObject({ order_id: null, expires_at: null });
    expect(await isProven(invoice)).toBe(true);
  });

  it('is made anew for a new price, a longer one and a new lightning request', async () => {
    for (const kind of ['BTC', 'BTC_LIGHTNING']) {
      const { id, proof } = await shop.create({ kind, order_id: 'renewed' });
      const renew = async (payload: object): Promise<ShownInvoice> =>
        presentInvoice(await renewInvoice(shop.context, shop.accountId, id, payload));
      const extended = await renew({ extend: true });
      expect(await isProven(extended)).toBe(true);
      await shop.advance(3600);
      const renewed = await renew({});
      expect(await isProven(renewed)).toBe(true);
      expect(
        new Set([proof, extended.proof, renewed.proof].map((one) => one?.signature)).size,
      ).toBe(3);
    }
  });

  it.each(['two\nlines', 'a\u007f', 'a\u0085'])('does not exist for the order %j', async (id) => {
    const invoice = await shop.create({ order_id: id });
    expect([invoice.order_id, invoice.proof]).toEqual([id, null]);
  });

  it('is not valid with the key of another account', async () => {
    const other = await createAccount(shop.context, {}, { name: 'Other' });
    const foreign = presentInvoice(
      await createInvoice(shop.context, other.id, {
        profile_id: other.profiles[0],
        kind: 'BTC',
        amount: '1',
        currency: 'USD',
      }),
    );
    const [key] = await publishedKeys();
    const disguised = { ...foreign, proof: { ...foreign.proof!, kid: key!.kid } };
    expect(await isProven(disguised)).toBe(false);
    expect(await isProven(foreign, {}, await publishedKeys(other.id))).toBe(true);
  });

  it('is not made for the requests that wallets take from an LNURL', async () => {
    const { id } = await shop.create({ kind: 'BTC_LIGHTNING_LNURL', amount: undefined });
    const { minSendable } = await payRequest(shop.context, id);
    await requestPayment(shop.context, id, String(minSendable));
    const child = await shop.context.db
      .selectFrom('invoice')
      .select('proof')
      .where('lnurl_invoice_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(child.proof).toBeNull();
  });
});

describe('the rotation of the key', () => {
  it('signs with the next key, keeps the previous one public, and needs a next key', async () => {
    const { context, accountId } = shop;
    const before = await shop.create();
    const [first] = await publishedKeys();
    await expect(rotateProofKey(context, accountId)).rejects.toThrow('has no next key');
    await addProofKey(context, context.db, accountId, 'next');
    await addProofKey(context, context.db, accountId, 'next');
    const next = (await listProofKeys(context.db, accountId)).filter(
      ({ state }) => state === 'next',
    );
    expect(next).toHaveLength(1);
    expect(await publishedKeys()).toEqual([first]);
    await rotateProofKey(context, accountId);
    const after = await shop.create();
    expect(after.proof?.kid).toBe(next[0]?.kid);
    expect((await publishedKeys()).map(({ kid }) => kid)).toEqual([next[0]?.kid, first?.kid]);
    expect([await isProven(before), await isProven(after)]).toEqual([true, true]);
    const sealed = await context.db
      .selectFrom('proof_key')
      .select('private_key_sealed')
      .where('kid', '=', first!.kid)
      .executeTakeFirstOrThrow();
    expect(sealed.private_key_sealed).toBeNull();
    await addProofKey(context, context.db, accountId, 'next');
    await rotateProofKey(context, accountId);
    expect(await isProven(before)).toBe(false);
    expect(await isProven(after)).toBe(true);
  });

  it('leaves nothing half done when two run at once', async () => {
    const { context, accountId } = shop;
    await addProofKey(context, context.db, accountId, 'next');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 4 }, () => rotateProofKey(context, accountId)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const states = (await listProofKeys(context.db, accountId)).map(({ state }) => state);
    expect(states.toSorted()).toEqual(['current', 'previous']);
  });
});

describe('GET /.well-known/crypto-checkout-keys/', () => {
  it.each(['00000000-0000-4000-8000-000000000000.json', 'x.json', '..json', 'x'])(
    'answers 404 for %s',
    async (name) => {
      const answer = await createApp(shop.context).request(
        `/.well-known/crypto-checkout-keys/${name}`,
      );
      expect(answer.status).toBe(404);
    },
  );

  it('may be read by any page, and shows public members only', async () => {
    const answer = await createApp(shop.context).request(
      `/.well-known/crypto-checkout-keys/${shop.accountId}.json`,
    );
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const { keys } = (await answer.json()) as { keys: object[] };
    for (const key of keys) expect(Object.keys(key)).toEqual(['kty', 'crv', 'x', 'kid']);
  });
});

import { addressProofText } from '@crypto-checkout/protocol/address-proof';
import { decodeBolt11 } from '@crypto-checkout/chains/lightning/bolt11';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUYER, refundShop, type RefundShop } from '../../test/support/refunds.ts';
import { testShop, type ShownInvoice, type TestShop } from '../../test/support/shop.ts';
import { endRequests } from '../settlement/end-requests.ts';
import { payInvoice } from '../sandbox/pay.ts';
import { renewInvoice } from './renew.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ chains: ['bitcoin', 'lightning', 'ethereum'] });
});
afterAll(() => shop.close());

/** An invoice of 0.002 bitcoin for an address and a request. */
const both = (more: object = {}): Promise<ShownInvoice> =>
  shop.create({ with_lightning: true, ...more });
const LIGHTNING = { kind: 'BTC_LIGHTNING' };

/** A lightning request of another wallet. */
const requestFor = async (owner: TestShop): Promise<string> =>
  (await owner.create({ ...LIGHTNING, amount: undefined })).lightning!.payment_request!;

describe('an invoice of bitcoin with lightning', () => {
  it('has an address and a request of the same amount', async () => {
    const invoice = await both();
    expect(invoice).toMatchObject({ kind: 'BTC', min_confirmations: 1 });
    expect(invoice.address).toMatch(/^tb1q/);
    const { amountMsat, paymentHash } = decodeBolt11(invoice.lightning!.payment_request!);
    expect({ amountMsat, paymentHash }).toEqual({
      amountMsat: 200_000_000n,
      paymentHash: invoice.lightning!.payment_hash,
    });
    expect((await shop.get(invoice.id)).lightning).toEqual(invoice.lightning);
  });

  it('proves the request as it proves the address', async () => {
    const { id, ...invoice } = await both({ order_id: '1001' });
    const row = await shop.context.db
      .selectFrom('invoice')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(invoice.lightning_proof?.kid).toBe(invoice.proof?.kid);
    const text = addressProofText({
      invoiceId: id,
      orderId: '1001',
      requested: invoice.amount.requested,
      kind: 'BTC_LIGHTNING',
      network: 'testnet',
      target: invoice.lightning!.payment_request!,
      tag: null,
      invoiced: invoice.amount.invoiced.amount,
      expiresAt: row.expires_at,
    });
    const { rows } = await sql<{ public_key: string }>`
      select public_key from proof_key where kid = ${invoice.lightning_proof!.kid}`.execute(
      shop.context.db,
    );
    const key = await crypto.subtle.importKey(
      'raw',
      Buffer.from(rows[0]!.public_key, 'base64url'),
      'Ed25519',
      false,
      ['verify'],
    );
    const signature = Buffer.from(invoice.lightning_proof!.signature, 'base64url');
    const isValid = await crypto.subtle.verify(
      'Ed25519',
      key,
      signature,
      new TextEncoder().encode(text!),
    );
    expect(isValid).toBe(true);
  });

  it('paid over lightning is complete at once, and its request leaves it', async () => {
    const { id } = await both({ min_confirmations: 3 });
    await shop.pay(id, LIGHTNING);
    expect(await shop.get(id)).toMatchObject({ status: 'complete', lightning: null });
    expect((await shop.transactions(id)).map(({ kind }) => kind)).toEqual(['BTC_LIGHTNING']);
    expect(await shop.events(id)).toEqual([
      'invoice_pending',
      'invoice_confirmed',
      'invoice_complete',
    ]);
  });

  it('seen on the chain refuses the request from then on, also when that payment is gone', async () => {
    const { id } = await both();
    const again = { ...LIGHTNING, amount: '0.002' };
    const txid = await shop.pay(id);
    expect(await shop.get(id)).toMatchObject({ status: 'pending', lightning: null });
    await expect(shop.pay(id, again)).rejects.toThrow('This lightning request was cancelled.');
    await shop.drop(txid);
    expect(await shop.get(id)).toMatchObject({ status: 'new', lightning: null });
    await expect(shop.pay(id, again)).rejects.toThrow('This lightning request was cancelled.');
    await shop.pay(id);
    await shop.mine('BTC', 6);
    expect(await shop.get(id)).toMatchObject({ status: 'complete' });
  });

  it('gets a new request with a new price', async () => {
    const { id, lightning, lightning_proof } = await both();
    await shop.advance(901);
    expect(await shop.get(id)).toMatchObject({ status: 'expired' });
    const renewed = await renewInvoice(shop.context, shop.accountId, id, {});
    expect(renewed.lightning!.paymentHash).not.toBe(lightning!.payment_hash);
    const shown = await shop.get(id);
    expect(shown.lightning_proof).not.toEqual(lightning_proof);
    await shop.pay(id, LIGHTNING);
    expect(await shop.get(id)).toMatchObject({ status: 'complete' });
  });

  it('is refused without an amount and for another coin', async () => {
    await expect(both({ amount: undefined })).rejects.toThrow('with_lightning');
    await expect(both({ kind: 'ETH' })).rejects.toThrow('with_lightning');
    await expect(both(LIGHTNING)).rejects.toThrow('with_lightning');
  });

  it('has an address alone where lightning is not enabled', async () => {
    await shop.context.db
      .deleteFrom('profile_currency')
      .where('kind', '=', 'BTC_LIGHTNING')
      .execute();
    const invoice = await both();
    expect(invoice.address).not.toBeNull();
    expect(invoice).not.toHaveProperty('lightning_proof');
    expect(invoice.lightning).toBeNull();
  });
});

it('an invoice does not wait for a lightning node that hangs: its address alone is payable', async () => {
  const other = await testShop({ chains: ['bitcoin', 'lightning'] });
  try {
    const lightning = other.context.chains.get('lightning')!;
    (other.context.chains as Map<string, unknown>).set('lightning', {
      ...lightning,
      deriveTarget: () => new Promise(() => {}),
    });
    const invoice = await other.create({ with_lightning: true });
    expect(invoice.address).not.toBeNull();
    expect(invoice.lightning).toBeNull();
  } finally {
    await other.close();
  }
});

describe('a request that has to end', () => {
  it('is cancelled at its node, and again until the node answers', async () => {
    const other = await testShop({ chains: ['bitcoin', 'lightning'] });
    try {
      const asked: string[] = [];
      let isSilent = true;
      const lightning = other.context.chains.get('lightning')!;
      (other.context.chains as Map<string, unknown>).set('lightning', {
        ...lightning,
        async cancelRequest(hash: string) {
          asked.push(hash);
          if (isSilent) throw new Error('The node does not answer');
        },
      });
      const invoice = await other.create({ with_lightning: true });
      const hash = invoice.lightning!.payment_hash!;
      await other.pay(invoice.id);
      await endRequests(other.context);
      isSilent = false;
      await endRequests(other.context);
      await endRequests(other.context);
      expect(new Set(asked)).toEqual(new Set([hash]));
      const before = asked.length;
      await endRequests(other.context);
      expect(asked.length).toBe(before);
    } finally {
      await other.close();
    }
  });

  it('is cancelled although the node refuses to cancel an older one', async () => {
    const other = await testShop({ chains: ['bitcoin', 'lightning'] });
    try {
      const cancelled: string[] = [];
      const older = await other.create({ with_lightning: true });
      const newer = await other.create({ with_lightning: true });
      const lightning = other.context.chains.get('lightning')!;
      (other.context.chains as Map<string, unknown>).set('lightning', {
        ...lightning,
        async cancelRequest(hash: string) {
          if (hash === older.lightning!.payment_hash) throw new Error('The node refuses it');
          cancelled.push(hash);
        },
      });
      await other.pay(older.id);
      other.context.clock.advance(1_000);
      await other.pay(newer.id);
      await endRequests(other.context);
      expect(cancelled).toEqual([newer.lightning!.payment_hash]);
    } finally {
      await other.close();
    }
  });
});

describe('an order that was paid on both ways', () => {
  let refunds: RefundShop;
  beforeAll(async () => {
    refunds = await refundShop({}, { chains: ['bitcoin', 'lightning'] });
  });
  afterAll(() => refunds.close());

  it('by one invoice, is overpaid, and what came second goes back', async () => {
    const { id } = await refunds.create({ with_lightning: true });
    // The code was scanned twice before either payment was seen.
    const { context, world } = refunds;
    await payInvoice(context, world, { invoiceId: id, ...LIGHTNING });
    await payInvoice(context, world, { invoiceId: id });
    await refunds.settle();
    await refunds.mine('BTC', 6);
    expect(await refunds.get(id)).toMatchObject({
      status: 'complete',
      amount: { paid: { amount: '0.004' } },
    });
    const transactions = await refunds.transactions(id);
    expect(transactions.map(({ status }) => status)).toEqual(['complete', 'complete']);
    const answers = [];
    for (const { id: transaction, kind } of transactions) {
      const address = kind === 'BTC' ? BUYER : await requestFor(refunds);
      answers.push(await refunds.ask(transaction, { address }));
    }
    expect(answers.map(({ status }) => status)).toEqual([409, 201]);
    expect(answers[1]!.body.result).toMatchObject({ kind: transactions[1]!.kind });
  });

  it('by two invoices, gives back over lightning what the shop offers', async () => {
    const order = { order_id: 'twice' };
    const chain = await refunds.create(order);
    const lightning = await refunds.create({ ...order, ...LIGHTNING });
    await refunds.pay(chain.id);
    await refunds.pay(lightning.id, LIGHTNING);
    await refunds.mine('BTC', 6);
    const [second] = await refunds.transactions(lightning.id);
    const address = await requestFor(refunds);
    // Each invoice is paid exactly: the order's shop decides which payment was one too many.
    expect((await refunds.ask(second!.id, { address })).status).toBe(409);
    const path = `/v1/transactions/${second!.id}/offer-refund/`;
    const { api } = refunds.account;
    expect((await refunds.send('POST', path, { amount: '0.002' }, api)).status).toBe(200);
    const { status, body } = await refunds.ask(second!.id, { address });
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.result).toMatchObject({ kind: 'BTC_LIGHTNING', amount: { amount: '0.002' } });
  });
});

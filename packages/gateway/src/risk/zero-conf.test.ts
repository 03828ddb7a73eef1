import { stageOf } from '@crypto-checkout/protocol/stage';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { payInvoice } from '../sandbox/pay.ts';
import {
  requireBooks,
  testShop,
  type ShownInvoice,
  type TestShop,
} from '../../test/support/shop.ts';
import { presentWallet } from '../wallet/present.ts';
import { listWallets } from '../wallet/store.ts';
import type { ZeroConfCheck } from './check.ts';
import { quarantineTransaction, releaseTransaction } from './quarantine.ts';

let shop: TestShop;
/** Scripted answers of the next checks; afterwards the sandbox's check answers. */
let script: (() => Promise<boolean>)[];
let asked = 0;

beforeAll(async () => {
  shop = await testShop({ chains: ['bitcoin', 'litecoin', 'ethereum', 'lightning'] });
  const { zeroConf } = shop.context;
  shop.context.zeroConf = {
    covers: zeroConf.covers!,
    isSafe: ((facts, signal) => {
      asked += 1;
      return script.shift()?.() ?? zeroConf.isSafe(facts, signal);
    }) satisfies ZeroConfCheck['isSafe'],
  };
});
afterAll(() => shop.close());
beforeEach(async () => {
  script = [];
  asked = 0;
  await ceiling('0.01');
});

async function ceiling(amount: string | null, kind = 'BTC'): Promise<void> {
  await sql`update profile_currency set zero_conf_max_amount = ${amount} where kind = ${kind}`.execute(
    shop.context.db,
  );
}
const create = (more: Record<string, unknown> = {}): Promise<ShownInvoice> =>
  shop.create({ zero_conf_enabled: true, ...more });
const zeroConfirmed = async () => {
  const wallets = await listWallets(shop.context.db, shop.accountId, null);
  return presentWallet(wallets.find(({ chain }) => chain === 'bitcoin')!).balances.zero_confirmed;
};
const only = async (invoiceId: string) => (await shop.transactions(invoiceId))[0]!;

describe('unconfirmed payment', () => {
  it('pays the invoice if safe, is reported once and is not available before a block', async () => {
    const before = await shop.balance('BTC');
    expect(await zeroConfirmed()).toBe('0');
    const invoice = await create({ min_confirmations: 2 });
    await shop.pay(invoice.id);
    const { id } = await only(invoice.id);
    expect(await only(invoice.id)).toMatchObject({
      status: 'pending',
      confirmations: 0,
      zero_conf_status: 'confirmed',
      confirmed_at: null,
    });
    expect((await shop.get(invoice.id)).status).toBe('paid');
    const facts = {
      order: null,
      invoices: [await shop.get(invoice.id)],
      transactions: await shop.transactions(invoice.id),
    };
    expect(stageOf({ ...facts, serverTime: shop.context.clock.now() }).stage).toBe('paid');
    expect(await shop.events(id)).toEqual([
      'transaction_pending',
      'transaction_zero_conf_confirmed',
    ]);
    expect(await shop.events(invoice.id)).toEqual(['invoice_pending', 'invoice_confirmed']);
    const after = await shop.balance('BTC');
    expect(await zeroConfirmed()).toBe('0.002');
    expect([after.available, Number(after.pending) - Number(before.pending)]).toEqual([
      before.available,
      expect.closeTo(0.002, 8),
    ]);
    // In a block with fewer confirmations than required: the status does not change.
    await shop.mine('BTC');
    expect((await shop.get(invoice.id)).status).toBe('paid');
    expect((await shop.balance('BTC')).available).toBe(before.available);
    await shop.mine('BTC', 5);
    expect(await zeroConfirmed()).toBe('0');
    expect(await shop.get(invoice.id)).toMatchObject({ status: 'complete' });
    expect(await shop.events(id)).toEqual([
      'transaction_pending',
      'transaction_zero_conf_confirmed',
      'transaction_confirmed',
      'transaction_complete',
    ]);
    expect(await only(invoice.id)).toMatchObject({ zero_conf_status: 'confirmed' });
  });

  it.each(['BTC', 'BTC_P2SH', 'BTC_BECH32'])(
    'to %s is accepted up to the limit of its profile',
    async (kind) => {
      const invoice = await create({ kind });
      await shop.pay(invoice.id);
      expect(await only(invoice.id)).toMatchObject({ zero_conf_status: 'confirmed' });
    },
  );

  it('uses the limit of its own kind if set', async () => {
    await ceiling('0.0001', 'BTC_BECH32');
    const invoice = await create({ kind: 'BTC_BECH32' });
    await shop.pay(invoice.id);
    expect(await only(invoice.id)).toMatchObject({ zero_conf_status: 'unconfirmed' });
    await ceiling(null, 'BTC_BECH32');
  });

  it.each([
    ['is replaceable', { replaceable: true }],
    ['is above the limit', { amount: '0.01000001' }],
  ])('that %s is unconfirmed and waits for its block', async (_, how) => {
    const invoice = await create();
    await shop.pay(invoice.id, how);
    expect(await only(invoice.id)).toMatchObject({
      status: 'pending',
      zero_conf_status: 'unconfirmed',
    });
    expect((await shop.get(invoice.id)).status).toBe('pending');
    expect(await shop.events((await only(invoice.id)).id)).toEqual(['transaction_pending']);
    await shop.mine('BTC');
    expect(await only(invoice.id)).toMatchObject({
      status: 'confirmed',
      zero_conf_status: 'unconfirmed',
    });
  });

  it('is neither accepted nor checked without a limit in the profile', async () => {
    await ceiling(null);
    const invoice = await create();
    await shop.pay(invoice.id);
    expect(await only(invoice.id)).toMatchObject({ zero_conf_status: 'unconfirmed' });
    expect(asked).toBe(0);
  });

  it('is accepted up to the limit of all parts together', async () => {
    const invoice = await create({ amount: '1000' });
    await shop.pay(invoice.id, { outputs: ['0.004', '0.004', '0.004'] });
    await shop.pay(invoice.id, { amount: '0.002' });
    const statuses = (await shop.transactions(invoice.id)).map((one) => one.zero_conf_status);
    expect(statuses).toEqual(['confirmed', 'confirmed', 'unconfirmed', 'confirmed']);
    const reusable = await create({ amount: undefined });
    for (let paid = 0; paid < 3; paid += 1) await shop.pay(reusable.id, { amount: '0.004' });
    expect((await shop.transactions(reusable.id)).map((one) => one.zero_conf_status)).toEqual([
      'confirmed',
      'confirmed',
      'unconfirmed',
    ]);
    expect((await shop.get(reusable.id)).amount.paid).toMatchObject({ amount: '0.012' });
  });

  it.each([
    ['fails', () => Promise.reject(new Error('no answer'))],
    ['takes too long', () => new Promise<boolean>(() => {})],
  ])('is unknown and waits for its block when the check %s', async (_, check) => {
    const invoice = await create();
    script = [check];
    await shop.pay(invoice.id);
    await shop.settle();
    expect(await only(invoice.id)).toMatchObject({
      status: 'pending',
      zero_conf_status: 'unknown',
    });
    expect((await shop.get(invoice.id)).status).toBe('pending');
    expect(asked).toBe(1);
    await shop.mine('BTC');
    expect((await shop.get(invoice.id)).status).toBe('paid');
  });

  it('is not checked if the invoice disables it, or in a block', async () => {
    const plain = await shop.create();
    await shop.pay(plain.id);
    const mined = await create();
    await payInvoice(shop.context, shop.world, { invoiceId: mined.id });
    await shop.world.mine('bitcoin', 1);
    await shop.settle();
    expect([await only(plain.id), await only(mined.id)]).toMatchObject([
      { zero_conf_status: null },
      { zero_conf_status: null },
    ]);
    expect(asked).toBe(0);
  });

  it('can be held by risk analysis, and is reported as safe only after the release', async () => {
    const invoice = await create();
    await shop.pay(invoice.id, { risk: 'high' });
    const { id } = await only(invoice.id);
    expect((await shop.get(invoice.id)).status).toBe('new');
    expect(await shop.events(id)).toEqual(['transaction_quarantined']);
    await releaseTransaction(shop.context, shop.accountId, id, 'operator');
    expect((await shop.get(invoice.id)).status).toBe('paid');
    expect(await shop.events(id)).toEqual([
      'transaction_quarantined',
      'transaction_pending',
      'transaction_zero_conf_confirmed',
    ]);
    await quarantineTransaction(shop.context, shop.accountId, id, 'operator');
    await requireBooks(shop.context);
    expect((await shop.get(invoice.id)).status).toBe('new');
  });
});

describe('accepted payment that', () => {
  it.each([
    ['replaced', (txid: string) => shop.replace(txid), 'replaced'],
    ['dropped', (txid: string) => shop.drop(txid), 'pending'],
    ['failed', (txid: string) => shop.fail(txid), 'failed'],
  ] as const)('is %s takes the invoice back, and is safe no more', async (_, lose, status) => {
    const before = await shop.balance('BTC');
    const invoice = await create();
    await lose(await shop.pay(invoice.id));
    expect(await only(invoice.id)).toMatchObject({ status, zero_conf_status: 'unconfirmed' });
    expect(await shop.get(invoice.id)).toMatchObject({ status: 'new', amount: { paid: null } });
    expect(await shop.balance('BTC')).toEqual(before);
    await shop.advance(10_000);
    expect((await shop.get(invoice.id)).status).toBe('expired');
    expect(await shop.events(invoice.id)).toEqual(['invoice_pending', 'invoice_confirmed']);
  });

  it('is replaced by another payment to us is not accepted again', async () => {
    const invoice = await create();
    await shop.replace(await shop.pay(invoice.id), true);
    const [first, second] = await shop.transactions(invoice.id);
    expect([first, second]).toMatchObject([
      { status: 'replaced', zero_conf_status: 'unconfirmed' },
      { status: 'pending', zero_conf_status: 'unconfirmed' },
    ]);
    expect((await shop.get(invoice.id)).status).toBe('pending');
    await shop.mine('BTC');
    expect((await shop.get(invoice.id)).status).toBe('paid');
  });

  it('leaves its block by a reorganisation stays accepted until gone', async () => {
    const invoice = await create();
    await shop.pay(invoice.id);
    await shop.mine('BTC');
    await shop.reorganise('BTC', 1);
    expect(await only(invoice.id)).toMatchObject({
      status: 'pending',
      zero_conf_status: 'confirmed',
    });
    expect((await shop.get(invoice.id)).status).toBe('paid');
    await shop.mine('BTC');
    await shop.reorganise('BTC', 1, true);
    expect(await only(invoice.id)).toMatchObject({
      status: 'pending',
      zero_conf_status: 'unconfirmed',
    });
    expect((await shop.get(invoice.id)).status).toBe('new');
  });
});

describe('zero_conf_enabled', () => {
  it.each(['LTC', 'ETH', 'BTC_LIGHTNING', 'BTC_LIGHTNING_LNURL', 'BTC_LIGHTNING_TO_LIGHTNING'])(
    'is rejected for %s',
    async (kind) => {
      await expect(create({ kind })).rejects.toMatchObject({ reason: 'ValidationError' });
    },
  );
});

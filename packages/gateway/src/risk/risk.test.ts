import { stageOf } from '@crypto-checkout/protocol/stage';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { requireBooks, testShop, type TestShop } from '../../test/support/shop.ts';
import { killableProcess } from '../../test/support/kill.ts';
import { ADDRESS, payoutShop } from '../../test/support/payouts.ts';
import type { PaymentFacts, RiskCheck } from './check.ts';
import { quarantineTransaction, releaseTransaction } from './quarantine.ts';
import { retryRiskChecks } from './retry.ts';

let shop: TestShop;
/** Scripted answers of the next checks; afterwards the sandbox's check answers. */
let script: ((
  facts: PaymentFacts,
  signal: AbortSignal,
) => Promise<Awaited<ReturnType<RiskCheck['check']>>>)[];
const asked: PaymentFacts[] = [];

beforeAll(async () => {
  shop = await testShop({ chains: ['bitcoin', 'xrp', 'lightning', 'ethereum'] });
  const { risk } = shop.context;
  shop.context.risk = {
    check(facts, signal) {
      asked.push(facts);
      return script.shift()?.(facts, signal) ?? risk.check(facts, signal);
    },
  };
});
afterAll(() => shop.close());
beforeEach(() => {
  script = [];
  asked.length = 0;
});

const BTC = '0.002';
const only = async (invoiceId: string) => (await shop.transactions(invoiceId))[0]!;
/** The stage shown to the buyer. */
const stage = async (invoiceId: string): Promise<string> => {
  const [invoice, transactions] = [await shop.get(invoiceId), await shop.transactions(invoiceId)];
  return stageOf({
    order: null,
    invoices: [invoice],
    transactions,
    serverTime: shop.context.clock.now(),
  }).stage;
};
const ofKind = async (
  kind: string,
  balance: { pending: string; available: string; frozen: string },
) => ({
  before: balance,
  after: await shop.balance(kind),
});

describe('payment held by risk analysis', () => {
  it('is quarantined at once, frozen and not counted', async () => {
    const before = await shop.balance('BTC');
    const invoice = await shop.create();
    await shop.pay(invoice.id, { risk: 'high' });
    const transaction = await only(invoice.id);
    expect(transaction).toMatchObject({
      status: 'quarantined',
      risk_level: 'high',
      risk_data: { source: 'sandbox' },
      confirmed_at: null,
    });
    expect(await shop.get(invoice.id)).toMatchObject({ status: 'new', amount: { paid: null } });
    expect(await shop.events(transaction.id)).toEqual(['transaction_quarantined']);
    expect(await shop.events(invoice.id)).toEqual([]);
    expect(await stage(invoice.id)).toBe('held');
    await shop.mine('BTC', 7);
    expect(await only(invoice.id)).toMatchObject({ status: 'quarantined', confirmations: 7 });
    const { after } = await ofKind('BTC', before);
    expect([after.pending, after.available]).toEqual([before.pending, before.available]);
    expect(Number(after.frozen) - Number(before.frozen)).toBeCloseTo(Number(BTC), 8);
  });

  it.each([
    ['no_risk', 'pending'],
    ['low', 'pending'],
    ['medium', 'pending'],
    ['high', 'quarantined'],
    ['critical', 'quarantined'],
  ] as const)('of the level %s is %s', async (risk, status) => {
    const invoice = await shop.create();
    await shop.pay(invoice.id, { risk });
    expect(await only(invoice.id)).toMatchObject({ status, risk_level: risk });
  });

  it('is held on a chain with instant finality too', async () => {
    for (const kind of ['XRP', 'BTC_LIGHTNING']) {
      const invoice = await shop.create({ kind });
      await shop.pay(invoice.id, { risk: 'critical' });
      await shop.mine('XRP');
      expect(await only(invoice.id)).toMatchObject({ status: 'quarantined', confirmations: 1 });
      expect((await shop.get(invoice.id)).status).toBe('new');
    }
  });

  it('passes all facts to the check', async () => {
    const invoice = await shop.create({ kind: 'ETH' });
    const txid = await shop.pay(invoice.id, { kind: 'ETH_USDT', amount: '5' });
    expect(asked).toEqual([
      {
        chain: 'ethereum',
        network: 'testnet',
        asset: 'ETH_USDT',
        txid,
        address: invoice.address,
        amount: 5n * 10n ** 18n,
        inputs: [expect.any(String)],
      },
    ]);
    await shop.mine('ETH', 2);
    await shop.settle();
    expect(asked).toHaveLength(1);
  });

  it('is lost when replaced, with its credit', async () => {
    const before = await shop.balance('BTC');
    const invoice = await shop.create();
    const txid = await shop.pay(invoice.id, { risk: 'high' });
    await shop.replace(txid);
    const transaction = await only(invoice.id);
    expect(transaction.status).toBe('replaced');
    expect(await shop.events(transaction.id)).toEqual([
      'transaction_quarantined',
      'transaction_replaced',
    ]);
    expect((await ofKind('BTC', before)).after).toEqual(before);
  });
});

describe('release', () => {
  it.each([
    [0, 'pending', 'pending', ['transaction_pending']],
    [1, 'confirmed', 'paid', ['transaction_pending', 'transaction_confirmed']],
    [
      6,
      'complete',
      'complete',
      ['transaction_pending', 'transaction_confirmed', 'transaction_complete'],
    ],
  ] as const)(
    'after %i blocks makes it %s and the invoice %s',
    async (blocks, status, invoiceStatus, events) => {
      const invoice = await shop.create();
      await shop.pay(invoice.id, { risk: 'high' });
      if (blocks > 0) await shop.mine('BTC', blocks);
      const { id } = await only(invoice.id);
      const released = await releaseTransaction(shop.context, shop.accountId, id, 'operator');
      expect(released).toMatchObject({
        status,
        released_by: 'operator',
        quarantined: false,
        risk_level: 'high',
      });
      await requireBooks(shop.context);
      expect((await shop.get(invoice.id)).status).toBe(invoiceStatus);
      expect(await shop.events(id)).toEqual(['transaction_quarantined', ...events]);
    },
  );

  it('counts a payment seen in time, however long it was held', async () => {
    const invoice = await shop.create();
    await shop.pay(invoice.id, { risk: 'high' });
    await shop.mine('BTC', 6);
    await shop.advance(100_000);
    expect((await shop.get(invoice.id)).status).toBe('expired');
    expect(await stage(invoice.id)).toBe('held');
    await releaseTransaction(shop.context, shop.accountId, (await only(invoice.id)).id, 'operator');
    await requireBooks(shop.context);
    expect((await shop.get(invoice.id)).status).toBe('complete');
    expect(await stage(invoice.id)).toBe('complete');
    expect(await shop.events(invoice.id)).toEqual([
      'invoice_pending',
      'invoice_confirmed',
      'invoice_complete',
    ]);
  });

  it('makes a payment unconfirmed after a day in the mempool', async () => {
    const invoice = await shop.create();
    await shop.pay(invoice.id, { risk: 'high' });
    await shop.advance(90_000);
    const { id } = await only(invoice.id);
    expect(await releaseTransaction(shop.context, shop.accountId, id, 'operator')).toMatchObject({
      status: 'unconfirmed',
    });
    await requireBooks(shop.context);
  });

  it.each([0, 1])('rejects a transaction that is not held (%i blocks)', async (blocks) => {
    const invoice = await shop.create();
    await shop.pay(invoice.id);
    if (blocks > 0) await shop.mine('BTC', blocks);
    const { id } = await only(invoice.id);
    await expect(
      releaseTransaction(shop.context, shop.accountId, id, 'operator'),
    ).rejects.toMatchObject({ reason: 'InvalidState' });
  });
});

describe('manual quarantine', () => {
  it('freezes a confirmed payment and reverts its invoice', async () => {
    const invoice = await shop.create();
    await shop.pay(invoice.id);
    await shop.mine('BTC');
    expect((await shop.get(invoice.id)).status).toBe('paid');
    const { id } = await only(invoice.id);
    const before = await shop.balance('BTC');
    const held = await quarantineTransaction(shop.context, shop.accountId, id, 'operator');
    expect(held).toMatchObject({
      status: 'quarantined',
      quarantined_by: 'operator',
      credit: 'frozen',
      risk_level: null,
    });
    await requireBooks(shop.context);
    expect(Number((await shop.balance('BTC')).frozen)).toBeGreaterThan(Number(before.frozen));
    expect(await shop.get(invoice.id)).toMatchObject({ status: 'new', amount: { paid: null } });
    expect(await shop.events(id)).toEqual([
      'transaction_pending',
      'transaction_confirmed',
      'transaction_quarantined',
    ]);
    await expect(
      quarantineTransaction(shop.context, shop.accountId, id, 'operator'),
    ).rejects.toMatchObject({ reason: 'InvalidState' });
    await releaseTransaction(shop.context, shop.accountId, id, 'operator');
    await requireBooks(shop.context);
    expect(await shop.balance('BTC')).toEqual(before);
    expect((await shop.get(invoice.id)).status).toBe('paid');
    // Holding it again sends no second callback.
    await quarantineTransaction(shop.context, shop.accountId, id, 'operator');
    expect(
      (await shop.events(id)).filter((event) => event === 'transaction_quarantined'),
    ).toHaveLength(1);
    await requireBooks(shop.context);
  });

  it('rejects complete, replaced, unknown and foreign transactions', async () => {
    const invoice = await shop.create();
    await shop.pay(invoice.id);
    await shop.mine('BTC', 6);
    const lost = await shop.create();
    await shop.replace(await shop.pay(lost.id));
    const hold = (id: string, account = shop.accountId) =>
      quarantineTransaction(shop.context, account, id, 'operator');
    await expect(hold((await only(invoice.id)).id)).rejects.toMatchObject({
      reason: 'InvalidState',
    });
    await expect(hold((await only(lost.id)).id)).rejects.toMatchObject({ reason: 'InvalidState' });
    await expect(hold('x')).rejects.toMatchObject({ reason: 'NotFound' });
    await expect(hold((await only(invoice.id)).id, shop.context.ids.uuid())).rejects.toMatchObject({
      reason: 'NotFound',
    });
  });

  it('happens once under concurrency, as does the release', async () => {
    const invoice = await shop.create();
    await shop.pay(invoice.id);
    await shop.mine('BTC');
    const { id } = await only(invoice.id);
    for (const verb of [quarantineTransaction, releaseTransaction]) {
      const all = await Promise.allSettled(
        Array.from({ length: 50 }, () => verb(shop.context, shop.accountId, id, 'operator')),
      );
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const one of all)
        if (one.status === 'rejected') expect(one.reason).toMatchObject({ reason: 'InvalidState' });
      await requireBooks(shop.context);
    }
    expect(await shop.events(id)).toHaveLength(3);
  });

  it('rejects spent money and changes nothing', async () => {
    const payouts = await payoutShop({ chains: ['bitcoin'] });
    try {
      const invoice = await payouts.create();
      await payouts.pay(invoice.id);
      await payouts.mine('BTC');
      const [transaction] = await payouts.transactions(invoice.id);
      await payouts.payOut({
        recipients: [{ amount: '0.0015', currency: 'BTC', address: ADDRESS.BTC }],
      });
      const held = quarantineTransaction(
        payouts.context,
        payouts.accountId,
        transaction!.id,
        'operator',
      );
      await expect(held).rejects.toMatchObject({
        reason: 'InvalidState',
        message: expect.stringContaining('spent'),
      });
      await requireBooks(payouts.context);
      expect((await payouts.transactions(invoice.id))[0]).toEqual(transaction);
    } finally {
      await payouts.close();
    }
  });

  it('is atomic when the process crashes', async () => {
    const doomed = killableProcess(shop.context);
    try {
      for (let steps = 0; steps < 100; steps += 1) {
        const invoice = await shop.create();
        await shop.pay(invoice.id);
        const { id } = await only(invoice.id);
        doomed.surviveFor(steps);
        await quarantineTransaction(doomed.context, shop.accountId, id, 'operator').catch(() => {});
        const lived = !doomed.isKilled();
        doomed.surviveFor(Number.POSITIVE_INFINITY);
        await requireBooks(shop.context);
        const { status } = await only(invoice.id);
        expect(['pending', 'quarantined']).toContain(status);
        expect(await shop.events(id)).toHaveLength(status === 'quarantined' ? 2 : 1);
        if (lived) {
          expect([status, steps > 5]).toEqual(['quarantined', true]);
          return;
        }
      }
      expect.unreachable('holding takes too many steps');
    } finally {
      await doomed.close();
    }
  });
});

describe('failing risk check', () => {
  const broken = () => Promise.reject(new Error('no answer'));

  it('leaves the payment without a level and is retried', async () => {
    const invoice = await shop.create();
    script = [broken];
    await shop.pay(invoice.id, { risk: 'critical' });
    expect(await only(invoice.id)).toMatchObject({
      status: 'pending',
      risk_level: null,
      risk_data: {},
    });
    expect(await retryRiskChecks(shop.context)).toBe(0);
    shop.context.clock.advance(6_000);
    script = [broken];
    expect(await retryRiskChecks(shop.context)).toBe(1);
    expect(await only(invoice.id)).toMatchObject({ status: 'pending', risk_level: null });
    shop.context.clock.advance(6_000);
    expect(await retryRiskChecks(shop.context)).toBe(0);
    await shop.mine('BTC');
    expect((await shop.get(invoice.id)).status).toBe('paid');
    shop.context.clock.advance(20_000);
    expect(await retryRiskChecks(shop.context)).toBe(1);
    await requireBooks(shop.context);
    const transaction = await only(invoice.id);
    expect(transaction).toMatchObject({ status: 'quarantined', risk_level: 'critical' });
    expect(await shop.events(transaction.id)).toEqual([
      'transaction_pending',
      'transaction_confirmed',
      'transaction_quarantined',
    ]);
    expect((await shop.get(invoice.id)).status).toBe('new');
    shop.context.clock.advance(10 * 3_600_000);
    expect(await retryRiskChecks(shop.context)).toBe(0);
  });

  it('does not hold released or complete transactions', async () => {
    const [released, final] = [await shop.create(), await shop.create()];
    script = [broken, broken];
    await shop.pay(released.id, { risk: 'high' });
    await shop.pay(final.id, { risk: 'high' });
    const { id } = await only(released.id);
    await quarantineTransaction(shop.context, shop.accountId, id, 'operator');
    await releaseTransaction(shop.context, shop.accountId, id, 'operator');
    await shop.mine('BTC', 6);
    shop.context.clock.advance(10_000);
    expect(await retryRiskChecks(shop.context)).toBe(2);
    await requireBooks(shop.context);
    expect(await only(released.id)).toMatchObject({ status: 'complete', risk_level: 'high' });
    expect(await only(final.id)).toMatchObject({ status: 'complete', risk_level: 'high' });
  });

  it('does not hold a released transaction again, and saves its level', async () => {
    const invoice = await shop.create();
    script = [broken];
    await shop.pay(invoice.id, { risk: 'high' });
    const { id } = await only(invoice.id);
    await quarantineTransaction(shop.context, shop.accountId, id, 'operator');
    await releaseTransaction(shop.context, shop.accountId, id, 'operator');
    await shop.mine('BTC');
    shop.context.clock.advance(10_000);
    expect(await retryRiskChecks(shop.context)).toBe(1);
    await requireBooks(shop.context);
    expect(await only(invoice.id)).toMatchObject({ status: 'confirmed', risk_level: 'high' });
    expect((await shop.get(invoice.id)).status).toBe('paid');
  });

  it('does not hold spent money: saves the level and raises an alarm', async () => {
    const payouts = await payoutShop({ chains: ['bitcoin'] });
    try {
      const { context } = payouts;
      const { risk } = context;
      context.risk = { check: broken };
      const invoice = await payouts.create();
      await payouts.pay(invoice.id, { risk: 'critical' });
      await payouts.mine('BTC');
      await payouts.payOut({
        recipients: [{ amount: '0.0015', currency: 'BTC', address: ADDRESS.BTC }],
      });
      context.risk = risk;
      context.clock.advance(10_000);
      expect(await retryRiskChecks(context)).toBe(1);
      await requireBooks(context);
      const [transaction] = await payouts.transactions(invoice.id);
      expect(transaction).toMatchObject({
        status: 'confirmed',
        risk_level: 'critical',
        risk_data: { source: 'sandbox' },
      });
      const alarms = await context.db
        .selectFrom('alarm')
        .select('reason')
        .where('resource_id', '=', transaction!.id)
        .execute();
      expect(alarms).toEqual([
        { reason: 'A risk check requires holding a transaction whose money was already spent.' },
      ]);
      context.clock.advance(10 * 3_600_000);
      expect(await retryRiskChecks(context)).toBe(0);
    } finally {
      await payouts.close();
    }
  });

  it('times out after 1.5 s, and the payment continues without it', async () => {
    const invoice = await shop.create();
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const begun: { afterMs: number | undefined; signal: AbortSignal }[] = [];
    script = [
      (_facts, signal) => {
        // The timer is set just before the check is called.
        begun.push({ afterMs: timers.mock.lastCall?.[1], signal });
        return new Promise(() => {});
      },
    ];
    await shop.pay(invoice.id);
    timers.mockRestore();
    expect(begun).toMatchObject([{ afterMs: 1_500, signal: { aborted: true } }]);
    expect(await only(invoice.id)).toMatchObject({ status: 'pending', risk_level: null });
  });

  it('ends its retries with an alarm', async () => {
    const invoice = await shop.create();
    script = [broken];
    await shop.pay(invoice.id);
    const { id } = await only(invoice.id);
    let tries = 0;
    for (; tries < 100; tries += 1) {
      shop.context.clock.advance(2 * 3_600_000);
      script = Array.from({ length: 50 }, () => broken);
      if ((await retryRiskChecks(shop.context)) === 0) break;
    }
    expect(tries).toBe(20);
    const alarms = await shop.context.db
      .selectFrom('alarm')
      .select('reason')
      .where('resource_id', '=', id)
      .execute();
    expect(alarms).toEqual([
      { reason: 'The risk check of a transaction failed repeatedly and is not retried any more.' },
    ]);
  });

  it('is retried by one of several processes', async () => {
    const invoices = await Promise.all(Array.from({ length: 10 }, () => shop.create()));
    script = Array.from({ length: 10 }, () => broken);
    for (const { id } of invoices) await shop.pay(id, { risk: 'low' });
    shop.context.clock.advance(6_000);
    asked.length = 0;
    await Promise.all(Array.from({ length: 4 }, () => retryRiskChecks(shop.context)));
    expect(asked).toHaveLength(10);
    for (const { id } of invoices) expect(await only(id)).toMatchObject({ risk_level: 'low' });
  });
});

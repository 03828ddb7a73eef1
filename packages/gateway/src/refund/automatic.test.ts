import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestKey } from '../../test/support/call.ts';
import { OTHER_BUYER, refundShop, type RefundShop } from '../../test/support/refunds.ts';
import { approveDueRefunds } from './automatic.ts';

describe('REFUNDS=auto', () => {
  let shop: RefundShop;
  beforeAll(async () => {
    shop = await refundShop({
      REFUNDS: 'auto',
      REFUND_AUTO_MAX: '100',
      REFUND_AUTO_DAILY_MAX: '250',
      PAYOUT_ADDRESS_DELAY: '86400',
    });
  });
  afterAll(() => shop.close());

  /** Asks for a refund, and lets the worker decide. */
  async function ask(
    transactionId: string,
    more: Record<string, unknown> = { is_proven: true },
  ): Promise<string> {
    const { body } = await shop.ask(transactionId, more);
    expect(body.result?.status, JSON.stringify(body)).toBe('requested');
    await shop.settle();
    return body.result.id;
  }

  it('leaves an order that was paid twice to the shop, also when the proof comes later', async () => {
    // Within the tolerance: the second payment is not too much as a whole.
    const { invoice } = await shop.paid({ amount: '0.00199' });
    for (const [first, seconds] of [
      [{ is_proven: true }, 1],
      [{}, 1],
      // After the price has ended it is late.
      [{ is_proven: true }, 7200],
    ] as const) {
      await shop.advance(seconds);
      await shop.pay(invoice.id, { amount: '0.002' });
      await shop.mine('BTC', 6);
      const second = (await shop.transactions(invoice.id)).at(-1)!;
      const id = await ask(second.id, first);
      expect(await ask(second.id)).toBe(id);
      expect(await shop.refund(id)).toMatchObject({ status: 'requested', is_proven: true });
      expect((await shop.decide(id, true)).status).toBe(200);
    }
  });

  it('pays a small proven refund by itself, also to a new address', async () => {
    const { transaction } = await shop.late();
    const id = await ask(transaction.id);
    await shop.mine('BTC', 6);
    const refund = await shop.refund(id);
    expect(refund.status).toBe('paid');
    expect(await shop.payout(refund.payout_id)).toMatchObject({
      approved_by: { username: 'REFUNDS=auto', email: null },
    });
  });

  it('leaves a request without proof to the shop, until it is proven', async () => {
    const { transaction } = await shop.late();
    const stranger = await ask(transaction.id, { address: OTHER_BUYER });
    await shop.settle();
    expect((await shop.refund(stranger)).status).toBe('requested');
    const id = await ask(transaction.id);
    expect((await shop.refund(stranger)).status).toBe('rejected');
    expect((await shop.refund(id)).status).toBe('approved');
  });

  it('leaves a refund above REFUND_AUTO_MAX to the shop', async () => {
    const { transaction } = await shop.late({ amount: '100.01' });
    const id = await ask(transaction.id);
    expect((await shop.refund(id)).status).toBe('requested');
    expect((await shop.decide(id, true)).status).toBe(200);
  });

  it('leaves an amount that the shop offered to the shop', async () => {
    const { transaction } = await shop.paid();
    await shop.offer(transaction.id, '0.001');
    expect((await shop.refund(await ask(transaction.id))).status).toBe('requested');
  });

  it('pays too much of one payment back by itself', async () => {
    const { transaction } = await shop.paid({ amount: '0.0021' });
    expect((await shop.refund(await ask(transaction.id))).status).toBe('approved');
  });

  it('leaves refunds beyond REFUND_AUTO_DAILY_MAX to the shop, for 24 hours', async () => {
    const { transaction } = await shop.late();
    const beyond = await ask(transaction.id);
    expect((await shop.refund(beyond)).status).toBe('requested');
    const small = await shop.late({ amount: '40' });
    expect((await shop.refund(await ask(small.transaction.id))).status).toBe('approved');
    await shop.advance(86_400);
    const nextDay = await shop.late();
    expect((await shop.refund(await ask(nextDay.transaction.id))).status).toBe('approved');
    expect((await shop.refund(beyond)).status).toBe('requested');
  });

  it('waits for a node that does not answer', async () => {
    const { transaction } = await shop.late({ amount: '20' });
    const { body } = await shop.ask(transaction.id, { is_proven: true });
    const sender = shop.context.senders.get('bitcoin')!;
    const senders = new Map(shop.context.senders);
    senders.set('bitcoin', { ...sender, estimate: () => Promise.reject(new Error('silent')) });
    await approveDueRefunds({ ...shop.context, senders });
    expect((await shop.refund(body.result.id)).status).toBe('requested');
    await shop.settle();
    expect((await shop.refund(body.result.id)).status).toBe('approved');
  });
});

describe('REFUNDS=off', () => {
  it('refuses requests, and lets a key that pays out refund', async () => {
    const shop = await refundShop({ REFUNDS: 'off' });
    const { invoice, transaction } = await shop.late();
    const asked = await shop.ask(transaction.id, { is_proven: true });
    expect([asked.status, asked.body.reason]).toEqual([409, 'InvalidState']);
    const list = async (key?: TestKey) =>
      (await shop.send('GET', `/v1/invoices/${invoice.id}/refundable/`, {}, key)).body.result;
    // A buyer is offered nothing.
    expect([await list(), (await list(shop.account.api)).length]).toEqual([[], 1]);
    expect((await shop.ask(transaction.id, {}, shop.account.api)).status).toBe(201);
    await shop.close();
  });
});

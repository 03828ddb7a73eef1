import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Orders } from './orders.ts';
import { PRODUCTS } from './products.ts';

/** An order's status after webhooks, each an event and the stage of its checkout. */
function statusAfter(...events: readonly (readonly [string, string])[]): string {
  const orders = new Orders(mkdtempSync(join(tmpdir(), 'shop-')));
  const { id, amount, currency } = orders.create(PRODUCTS[0]!);
  for (const [at, [event, stage]] of events.entries())
    orders.apply(`webhook-${at}`, {
      event: `checkout.${event}`,
      stage,
      checkout_id: 'checkout',
      order_id: id,
      amount,
      currency,
      network: 'testnet',
    });
  return orders.get(id)!.status;
}

it('an order names the checkout of its webhooks, for the receipt', () => {
  const orders = new Orders(mkdtempSync(join(tmpdir(), 'shop-')));
  const { id, amount, currency } = orders.create(PRODUCTS[0]!);
  expect(orders.get(id)!.checkout).toBe(null);
  const event = { event: 'checkout.paid', stage: 'paid', network: 'testnet' };
  orders.apply('one', { ...event, checkout_id: 'c1', order_id: id, amount, currency });
  expect(orders.get(id)!.checkout).toBe('c1');
});

it('a part that was seen is a part, and the rest pays the order', () => {
  expect(statusAfter(['seen', 'underpaid'])).toBe('underpaid');
  expect(statusAfter(['seen', 'seen'])).toBe('seen');
  expect(statusAfter(['seen', 'underpaid'], ['paid', 'paid'])).toBe('paid');
});

it('a wrong coin shows until the order is paid, and so does its refund', () => {
  const wrong = ['wrong_coin', 'pay'] as const;
  const asked = ['refund_requested', 'pay'] as const;
  const sent = ['refunded', 'pay'] as const;
  expect(statusAfter(wrong)).toBe('wrong_coin');
  expect(statusAfter(wrong, asked)).toBe('refund_requested');
  expect(statusAfter(wrong, asked, sent)).toBe('refunded');
  expect(statusAfter(wrong, asked, sent, ['seen', 'seen'])).toBe('seen');
});

it.each(['paid', 'complete'])('an order that is %s stays so beside other money', (status) => {
  for (const event of ['wrong_coin', 'refund_requested', 'refunded'])
    expect(statusAfter([status, status], [event, status])).toBe(status);
});

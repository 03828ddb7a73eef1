import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { Order } from '@crypto-checkout/protocol/schema/order';
import { z } from 'zod';

/** How a price became known. `client`: a page set it itself. `none`: an invoice that somebody made through the API, without an order of ours. */
export type PriceSource = z.infer<typeof Source>;

const Source = z.enum(['token', 'shop', 'catalogue', 'client', 'none']);

/** What a checkout is about; never changes, but by the shop's secret. */
export const Terms = z.object({
  /** Null for an invoice without an order of ours. */
  order_id: z.string().nullable(),
  /** Null for a reusable address. */
  amount: z.string().nullable(),
  currency: z.string().nullable(),
  description: z.string().nullable(),
  success_url: z.string().nullable(),
  shop_url: z.string().nullable(),
  kinds: z.array(z.string()).nullable(),
  source: Source,
  /** What a page wants to hear back in the shop's webhook; anybody can have written it. */
  passthrough: z.string().nullable().default(null),
});
export type Terms = z.infer<typeof Terms>;

/** The terms of an order that has an amount: every one that we open ourselves. */
export type OrderTerms = Terms & { order_id: string; amount: string; currency: string };

export function termsOf(order: Order, source: PriceSource): OrderTerms {
  return {
    order_id: order.order_id,
    amount: order.amount,
    currency: order.currency,
    description: order.description || null,
    success_url: order.success_url || null,
    shop_url: order.shop_url || null,
    kinds: order.kinds ?? null,
    source,
    passthrough: null,
  };
}

/** Whether nobody whom the shop trusts has said this price. */
export function isUnverified({ source }: Pick<Terms, 'source'>): boolean {
  return source === 'none' || source === 'client';
}

/** What two orders with one id do not agree on, of all that the shop says about it; `10.0` is `10`. */
export function otherTerms(a: Terms, b: Terms): string[] {
  const same = {
    order_id: a.order_id === b.order_id,
    amount: a.amount !== null && b.amount !== null && parseAmount(a.amount) === parseAmount(b.amount),
    currency: a.currency === b.currency,
    description: a.description === b.description,
    success_url: a.success_url === b.success_url,
    shop_url: a.shop_url === b.shop_url,
    kinds: (a.kinds ?? []).toSorted().join() === (b.kinds ?? []).toSorted().join(),
  };
  return Object.entries(same).flatMap(([name, agrees]) => (agrees ? [] : [name]));
}

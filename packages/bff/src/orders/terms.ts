import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { Order } from '@crypto-checkout/protocol/schema/order';
import { z } from 'zod';

/**
 * The source of a price. `client`: set by a page. `none`: an invoice of the API without an order.
 */
export type PriceSource = z.infer<typeof Source>;

const Source = z.enum(['token', 'shop', 'catalogue', 'client', 'none']);

/** The terms of a checkout. Only the shop's secret can change them. */
export const Terms = z.object({
  /** Null for an invoice without an order. */
  order_id: z.string().nullable(),
  /** Null for a reusable address. */
  amount: z.string().nullable(),
  currency: z.string().nullable(),
  description: z.string().nullable(),
  success_url: z.string().nullable(),
  shop_url: z.string().nullable(),
  kinds: z.array(z.string()).nullable(),
  source: Source,
  /** The page's data for the shop's webhook. Anyone can write it. */
  passthrough: z.string().nullable().default(null),
});
export type Terms = z.infer<typeof Terms>;

/** The terms of a checkout for a single invoice. */
export const NO_ORDER: Terms = {
  order_id: null,
  amount: null,
  currency: null,
  description: null,
  success_url: null,
  shop_url: null,
  kinds: null,
  source: 'none',
  passthrough: null,
};

/** The terms of an order with an amount, as in every checkout that the BFF opens. */
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

/** Whether no trusted source set the price. */
export function hasUnverifiedPrice({ source }: Pick<Terms, 'source'>): boolean {
  return source === 'none' || source === 'client';
}

/** The names of the terms that differ between two orders with one id; `10.0` equals `10`. */
export function differingTerms(a: Terms, b: Terms): string[] {
  const same = {
    order_id: a.order_id === b.order_id,
    amount:
      a.amount !== null && b.amount !== null && parseAmount(a.amount) === parseAmount(b.amount),
    currency: a.currency === b.currency,
    description: a.description === b.description,
    success_url: a.success_url === b.success_url,
    shop_url: a.shop_url === b.shop_url,
    kinds: (a.kinds ?? []).toSorted().join() === (b.kinds ?? []).toSorted().join(),
  };
  return Object.entries(same).flatMap(([name, agrees]) => (agrees ? [] : [name]));
}

import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { order, type Order } from '@crypto-checkout/protocol/schema/order';
import { z } from 'zod';

const MAX_QUANTITY = 1000;

const Item = z.strictObject({
  description: z.string().min(1).max(200),
  amount: z.string('must be a decimal string'),
  currency: z.string(),
  success_url: z.string().max(2000).optional(),
  shop_url: z.string().max(2000).optional(),
  kinds: z.array(z.string()).min(1).max(100).optional(),
  /** The most that one order takes. Default 1. */
  max_quantity: z.int().min(1).max(MAX_QUANTITY).optional(),
});

/** Fixed prices that the operator lists; a page names an item and never its price. */
export const Catalogue = z
  .record(z.string().regex(/^[\w.-]{1,64}$/, 'an item id has letters, digits, ".", "_" and "-"'), Item)
  .superRefine((items, context) => {
    for (const [id, item] of Object.entries(items)) {
      const dearest = order.safeParse(orderFrom(item, item.max_quantity ?? 1, id));
      const issue = dearest.error?.issues[0];
      if (issue) context.addIssue({ code: 'custom', path: [id, ...issue.path], message: issue.message });
    }
  });
export type Catalogue = z.infer<typeof Catalogue>;

export const ItemRequest = z.object({ item: z.string().max(64), quantity: z.int().min(1).max(MAX_QUANTITY).optional() });
export type ItemRequest = z.infer<typeof ItemRequest>;

/** A new order for an item, or null when there is no such item or not that many. */
export function orderItem(catalogue: Catalogue, { item, quantity = 1 }: ItemRequest, orderId: string): Order | null {
  const found = Object.hasOwn(catalogue, item) ? catalogue[item] : undefined;
  return found && quantity <= (found.max_quantity ?? 1) ? orderFrom(found, quantity, orderId) : null;
}

function orderFrom(
  { amount, currency, description, success_url, shop_url, kinds }: z.infer<typeof Item>,
  quantity: number,
  orderId: string,
): Order {
  return {
    ...(success_url !== undefined && { success_url }),
    ...(shop_url !== undefined && { shop_url }),
    ...(kinds !== undefined && { kinds }),
    order_id: orderId,
    currency,
    amount: quantity === 1 ? amount : formatAmount(parseAmount(amount) * BigInt(quantity)),
    description: quantity === 1 ? description : `${quantity} × ${description}`,
  };
}

import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { closestName } from '@crypto-checkout/protocol/spelling';
import { describeMistake, CLAIM_RULES } from '@crypto-checkout/protocol/order-token';
import { order, type Order } from '@crypto-checkout/protocol/schema/order';
import { z } from 'zod';
import { invalid } from '../http/http-error.ts';

const MAX_QUANTITY = 1000;

const QUANTITY = `must be a whole number from 1 to ${MAX_QUANTITY}`;
const MEMBERS = {
  description: z.string().min(1).max(200),
  // A JSON number keeps its digits, as in an order.
  amount: z.union([z.string(), z.number().transform(String)], CLAIM_RULES.amount),
  currency: z.string(),
  success_url: z.string().max(2000).optional(),
  shop_url: z.string().max(2000).optional(),
  kinds: z.array(z.string()).min(1).max(100).optional(),
  /** Maximum quantity per order. Default 1. */
  max_quantity: z.int(QUANTITY).min(1, QUANTITY).max(MAX_QUANTITY, QUANTITY).optional(),
};

/** The members of an item. */
export const ITEM_MEMBERS: readonly string[] = Object.keys(MEMBERS);

const Item = z.strictObject(MEMBERS).superRefine((item, context) => {
  const issues = order.safeParse(orderFrom(item, 1, 'item')).error?.issues ?? [];
  for (const { path, message } of issues)
    context.addIssue({ code: 'custom', path: [...path], message });
  const most = Math.min(Math.max(Math.trunc(item.max_quantity ?? 1), 1), MAX_QUANTITY);
  if (issues.length === 0 && !order.safeParse(orderFrom(item, most, 'item')).success)
    context.addIssue({
      code: 'custom',
      path: ['max_quantity'],
      message: 'must keep the total within the maximum amount of an order',
    });
});

/** The operator's fixed prices. A page names an item, never its price. */
export const Catalogue = z.record(
  z.string().regex(/^[\w.-]{1,64}$/, 'must have up to 64 letters, digits, ".", "_" and "-"'),
  Item,
);
export type Catalogue = z.infer<typeof Catalogue>;

const ITEM = 'must be the id of an item in the catalogue, as a text';
export const ItemRequest = z.object({
  item: z.string(ITEM).max(64, ITEM),
  /** The allowed quantities depend on the item. */
  quantity: z.unknown().optional(),
});
export type ItemRequest = z.infer<typeof ItemRequest>;

/** Creates an order for one unit of an item; null for an unknown item. */
export function findItemOrder(catalogue: Catalogue, item: string, orderId: string): Order | null {
  const found = itemOf(catalogue, item);
  return found && orderFrom(found, 1, orderId);
}

/**
 * Creates an order for a quantity of an item.
 * @throws HttpError 400 for an unknown item or a quantity that is not allowed
 */
export function requireItemOrder(
  catalogue: Catalogue,
  { item, quantity: wanted }: ItemRequest,
  orderId: string,
): Order {
  const found = itemOf(catalogue, item);
  if (!found) throw invalid('item', unknownItem(catalogue, item));
  const quantity = wanted ?? 1;
  const most = found.max_quantity ?? 1;
  if (
    typeof quantity === 'number' &&
    Number.isInteger(quantity) &&
    quantity >= 1 &&
    quantity <= most
  )
    return orderFrom(found, quantity, orderId);
  const must =
    most === 1
      ? 'must be 1 (the catalogue has no max_quantity for it)'
      : `must be a whole number from 1 to ${most}`;
  throw invalid('quantity', `${describeMistake('quantity', quantity, `of "${item}" ${must}`)}.`);
}

const itemOf = (catalogue: Catalogue, item: string) =>
  Object.hasOwn(catalogue, item) ? catalogue[item]! : null;

function unknownItem(catalogue: Catalogue, item: string): string {
  const ids = Object.keys(catalogue);
  if (ids.length === 0) return 'No catalogue is configured; set CATALOGUE to its file.';
  // Limit the comparison to ids of similar length: anyone can send this request.
  const meant = closestName(
    item,
    ids.filter((id) => Math.abs(id.length - item.length) <= 2),
  );
  return `The catalogue has no item ${JSON.stringify(item)}${meant ? `; is "${meant}" meant?` : '.'}`;
}

function orderFrom(
  {
    amount,
    currency,
    description,
    success_url,
    shop_url,
    kinds,
  }: z.infer<z.ZodObject<typeof MEMBERS>>,
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

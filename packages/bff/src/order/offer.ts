import { parseAmount } from '@crypto-checkout/protocol/amount';
import { order, type Order } from '@crypto-checkout/protocol/schema/order';
import { z } from 'zod';
import { check } from '../http/body.ts';
import { Refusal, invalid } from '../http/refusal.ts';
import { type Catalogue, orderItem } from './catalogue.ts';

const MAX_PASSTHROUGH = 4096;
/** Nine digits before the point: enough for every currency, and nothing that a slip of the finger makes. */
const MAX_AMOUNT = parseAmount('999999999');

const Passthrough = z
  .union(
    [z.string(), z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).transform((value) => JSON.stringify(value))],
    'must be a text, an object or a list',
  )
  .refine((text) => text.length <= MAX_PASSTHROUGH, `must have at most ${MAX_PASSTHROUGH} characters`)
  .refine((text) => !text.includes('\0'), 'must not contain NUL');

/** What a page offers to its visitor by itself. */
export const OfferRequest = z.object({
  offer: z.object({
    product: z.string().min(1).max(200).optional(),
    amount: z.string('must be a decimal string').max(40).optional(),
    currency: z.string().max(10).optional(),
    /** Comes back in the shop's webhook as it is; anybody can write anything into it. */
    passthrough: Passthrough.optional(),
  }),
});
export type Offer = z.output<typeof OfferRequest>['offer'];

export interface OfferOptions {
  catalogue: Catalogue;
  /** Whether a page may set a price. */
  allowClientPrices: boolean;
  /** Origin of the page that asks, when it is one that the operator knows. */
  page: string | null;
  orderId: string;
}

/**
 * The order that an offer makes. What the catalogue lists costs what the catalogue says; any other price is the page's own, taken only
 * where the operator allows it, and only from pages that he knows.
 * @throws Refusal
 */
export function orderOffer(offer: Offer, { catalogue, allowClientPrices, page, orderId }: OfferOptions): Priced {
  const listed = offer.product === undefined ? null : orderItem(catalogue, offer.product, orderId);
  if (listed) {
    requireSamePrice(offer, listed);
    return { order: listed, source: 'catalogue' };
  }
  if (!allowClientPrices)
    throw new Refusal(
      403,
      'PermissionDenied',
      'This shop takes no price from a page: the operator lists the product in CATALOGUE, or sets ALLOW_CLIENT_PRICES=true.',
    );
  if (page === null)
    throw new Refusal(403, 'PermissionDenied', 'A price is taken from a shop page only; the operator lists its origin in EMBED_ORIGINS.');
  const { product, amount, currency } = offer;
  if (amount === undefined || currency === undefined)
    throw invalid(amount === undefined ? 'amount' : 'currency', 'An offer that is not in the catalogue needs amount and currency.');
  const own = check(order, { order_id: orderId, amount, currency, shop_url: page, ...(product !== undefined && { description: product }) });
  if (parseAmount(own.amount) > MAX_AMOUNT) throw invalid('amount', 'amount must be at most 999999999.');
  return { order: own, source: 'client' };
}

export interface Priced {
  order: Order;
  source: 'catalogue' | 'client';
}

function requireSamePrice({ product, amount, currency }: Offer, listed: Order): void {
  const agrees = (amount === undefined || sameAmount(amount, listed.amount)) && (currency === undefined || currency === listed.currency);
  if (!agrees)
    throw invalid(
      'amount',
      `The catalogue's price of "${product}" is ${listed.amount} ${listed.currency}; leave it out, or name the same.`,
    );
}

function sameAmount(text: string, amount: string): boolean {
  return /^\d{1,18}(?:\.\d{1,18})?$/.test(text) && parseAmount(text) === parseAmount(amount);
}

import { parseAmount } from '@crypto-checkout/protocol/amount';
import { order, type Order } from '@crypto-checkout/protocol/schema/order';
import { z } from 'zod';
import { validate } from '../http/body.ts';
import { HttpError, invalid } from '../http/http-error.ts';
import { type Catalogue, findItemOrder } from './catalogue.ts';

const MAX_PASSTHROUGH = 4096;
/** Nine digits before the point: enough for every currency, and a limit for typing errors. */
const MAX_AMOUNT = parseAmount('999999999');

const Passthrough = z
  .union(
    [
      z.string(),
      z
        .union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
        .transform((value) => JSON.stringify(value)),
    ],
    'must be a text, an object or a list',
  )
  .refine(
    (text) => text.length <= MAX_PASSTHROUGH,
    `must have at most ${MAX_PASSTHROUGH} characters`,
  )
  .refine((text) => !text.includes('\0'), 'must not contain NUL');

/** An offer that a page makes without a signed order. */
export const OfferRequest = z.object({
  offer: z.object({
    product: z.string().min(1).max(200).optional(),
    amount: z.string('must be a decimal string').max(40).optional(),
    currency: z.string().max(10).optional(),
    /** Returned unchanged in the shop's webhook. Anyone can write it. */
    passthrough: Passthrough.optional(),
  }),
});
export type Offer = z.output<typeof OfferRequest>['offer'];

export interface OfferOptions {
  catalogue: Catalogue;
  /** Whether a page may set the price. */
  allowClientPrices: boolean;
  /** Origin of the requesting page, if it is a known one. */
  page: string | null;
  orderId: string;
}

/**
 * Creates the order of an offer. A listed product has the price of the catalogue. Any other price
 * comes from the page and needs ALLOW_CLIENT_PRICES and a known origin.
 * @throws HttpError
 */
export function orderForOffer(
  offer: Offer,
  { catalogue, allowClientPrices, page, orderId }: OfferOptions,
): PricedOrder {
  const listed =
    offer.product === undefined ? null : findItemOrder(catalogue, offer.product, orderId);
  if (listed) {
    requireSamePrice(offer, listed);
    return { order: listed, source: 'catalogue' };
  }
  if (!allowClientPrices)
    throw new HttpError(
      403,
      'PermissionDenied',
      'This shop does not accept a price from a page; list the product in CATALOGUE, or set ALLOW_CLIENT_PRICES=true.',
    );
  if (page === null)
    throw new HttpError(
      403,
      'PermissionDenied',
      'A price is accepted only from a shop page; list its origin in EMBED_ORIGINS.',
    );
  const { product, amount, currency } = offer;
  if (amount === undefined || currency === undefined)
    throw invalid(
      amount === undefined ? 'amount' : 'currency',
      'An offer that is not in the catalogue needs amount and currency.',
    );
  const priced = validate(order, {
    order_id: orderId,
    amount,
    currency,
    shop_url: page,
    ...(product !== undefined && { description: product }),
  });
  if (parseAmount(priced.amount) > MAX_AMOUNT)
    throw invalid('amount', 'amount must be at most 999999999.');
  return { order: priced, source: 'client' };
}

export interface PricedOrder {
  order: Order;
  source: 'catalogue' | 'client';
}

function requireSamePrice({ product, amount, currency }: Offer, listed: Order): void {
  const agrees =
    (amount === undefined || sameAmount(amount, listed.amount)) &&
    (currency === undefined || currency === listed.currency);
  if (!agrees)
    throw invalid(
      'amount',
      `The catalogue's price of "${product}" is ${listed.amount} ${listed.currency}; leave it out, or name the same.`,
    );
}

function sameAmount(text: string, amount: string): boolean {
  return /^\d{1,18}(?:\.\d{1,18})?$/.test(text) && parseAmount(text) === parseAmount(amount);
}

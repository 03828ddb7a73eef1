import { closestName } from '@crypto-checkout/protocol/spelling';
import { order } from '@crypto-checkout/protocol/schema/order';
import { z } from 'zod';
import { validate } from '../http/body.ts';
import { HttpError, invalid } from '../http/http-error.ts';
import { ItemRequest } from './catalogue.ts';
import { OfferRequest } from './offer.ts';

const MAX_TOKEN = 8192;
const ORDER = `must be an order token of up to ${MAX_TOKEN} characters, or, with the secret of the shop, an object`;
const OrderRequest = z.object({
  order: z.union([z.string().max(MAX_TOKEN, ORDER), z.record(z.string(), z.unknown())], ORDER),
});

/** The body of a request that opens a checkout. */
export type OpenRequest =
  | z.output<typeof OrderRequest>
  | z.output<typeof OfferRequest>
  | ItemRequest;

const WAYS = ['offer', 'order', 'item'] as const;
/** Members allowed beside an item; all other terms come from the catalogue. */
const WITH_ITEM: readonly string[] = ['item', 'quantity', 'success_url'];
const OF_AN_ORDER = Object.keys(order.shape).filter((name) => !WITH_ITEM.includes(name));

/**
 * Parses the body. Each mistake is reported in one sentence about the form that the sender chose.
 * @throws HttpError 400
 */
export function parseOpenRequest(body: Readonly<Record<string, unknown>>): OpenRequest {
  switch (WAYS.find((way) => way in body)) {
    case 'offer':
      return validate(OfferRequest, body);
    case 'order':
      return validate(OrderRequest, body);
    case 'item':
      refuseTerms(body);
      return validate(ItemRequest, body);
    case undefined:
    default:
      refuseMisspelt(body, WAYS);
      throw nothingToOpen();
  }
}

/** Reject terms that would be ignored: the sender expects them to apply. */
function refuseTerms(body: Readonly<Record<string, unknown>>): void {
  const own = OF_AN_ORDER.find((name) => body[name] !== undefined);
  if (own)
    throw invalid(
      own,
      `${own} is not allowed with an item: its price and terms come from the catalogue. Leave it out.`,
    );
  refuseMisspelt(
    body,
    WITH_ITEM.filter((name) => body[name] === undefined),
  );
}

function refuseMisspelt(body: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  for (const name of Object.keys(body).filter((one) => !WITH_ITEM.includes(one))) {
    const meant = closestName(name, known);
    if (meant) throw invalid(name, `${name} is unknown; is ${meant} meant?`);
  }
}

const NOTHING =
  'The body must contain "order", an order token (with the secret of the shop an object), an "item" of the catalogue, or an "offer".';
const nothingToOpen = (): HttpError =>
  new HttpError(400, 'ValidationError', NOTHING, { errors: [{ field: '', message: NOTHING }] });

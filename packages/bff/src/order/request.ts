import { nearest } from '@crypto-checkout/protocol/nearest';
import { order } from '@crypto-checkout/protocol/schema/order';
import { z } from 'zod';
import { check } from '../http/body.ts';
import { Refusal, invalid } from '../http/refusal.ts';
import { ItemRequest } from './catalogue.ts';
import { OfferRequest } from './offer.ts';

const MAX_TOKEN = 8192;
const ORDER = `must be an order token of up to ${MAX_TOKEN} characters, or, with the secret of the shop, an object`;
const OrderRequest = z.object({ order: z.union([z.string().max(MAX_TOKEN, ORDER), z.record(z.string(), z.unknown())], ORDER) });

/** What opens a checkout. */
export type OpenRequest = z.output<typeof OrderRequest> | z.output<typeof OfferRequest> | ItemRequest;

const WAYS = ['offer', 'order', 'item'] as const;
/** What may stand beside an item; the rest of an order's members are the catalogue's. */
const WITH_ITEM: readonly string[] = ['item', 'quantity', 'success_url'];
const OF_AN_ORDER = Object.keys(order.shape).filter((name) => !WITH_ITEM.includes(name));

/**
 * What a body asks to open: one sentence for each mistake, about the way that its sender has chosen.
 * @throws Refusal 400
 */
export function readRequest(body: Readonly<Record<string, unknown>>): OpenRequest {
  switch (WAYS.find((way) => way in body)) {
    case 'offer':
      return check(OfferRequest, body);
    case 'order':
      return check(OrderRequest, body);
    case 'item':
      refuseTerms(body);
      return check(ItemRequest, body);
    case undefined:
    default:
      refuseMisspelt(body, WAYS);
      throw nothingToOpen();
  }
}

/** A price that would be ignored is one that somebody believes in. */
function refuseTerms(body: Readonly<Record<string, unknown>>): void {
  const own = OF_AN_ORDER.find((name) => body[name] !== undefined);
  if (own) throw invalid(own, `${own} can't be named with an item: the catalogue has its price and terms. Leave it out.`);
  refuseMisspelt(
    body,
    WITH_ITEM.filter((name) => body[name] === undefined),
  );
}

function refuseMisspelt(body: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  for (const name of Object.keys(body).filter((one) => !WITH_ITEM.includes(one))) {
    const meant = nearest(name, known);
    if (meant) throw invalid(name, `${name} is unknown; is ${meant} meant?`);
  }
}

const NOTHING =
  'The body must hold "order", an order token (with the secret of the shop also an object), or the "item" of a catalogue, or an "offer".';
const nothingToOpen = (): Refusal => new Refusal(400, 'ValidationError', NOTHING, { errors: [{ field: '', message: NOTHING }] });

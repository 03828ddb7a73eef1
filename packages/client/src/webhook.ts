import * as callbacks from '@crypto-checkout/protocol/callback';
import { hmacWebCrypto } from '@crypto-checkout/protocol/signature-web';

/** What happened to an order; the BFF's README says what to do about each. */
export type ShopEventName =
  | 'checkout.seen'
  | 'checkout.paid'
  | 'checkout.complete'
  | 'checkout.underpaid'
  | 'checkout.overpaid'
  | 'checkout.late'
  | 'checkout.reversed';

/** What the BFF tells the shop about an order. */
export interface ShopEvent {
  /** Those that there are today, so that a misspelt name is found by the compiler; answer 2xx to one that a later BFF adds. */
  event: ShopEventName;
  checkout_id: string;
  /** Null when the invoice belongs to no order. */
  order_id: string | null;
  amount: string | null;
  currency: string | null;
  /** Never take money of a test network for a real one. */
  network: string;
  stage: string;
  notes: string[];
  invoice_id: string | null;
  kind: string | null;
  /** In the order's currency. */
  paid: string | null;
  /** Present and true when a page set the price itself (`ALLOW_CLIENT_PRICES`), or the invoice belongs to no order. */
  unverified_price?: boolean;
  /** What a page gave along with its own price, as text; anybody can have written it. */
  passthrough?: string;
}

export interface ReceivedWebhook {
  headers: callbacks.HeaderSource;
  /** The body exactly as it was received, not parsed and written again. */
  body: string;
  /** Own clock, milliseconds since the epoch. Default now. */
  now?: number;
}

/**
 * Checks a webhook of the BFF (Standard Webhooks form) and reads it. The same event may come again: use `webhook-id` as a key.
 * @param secret `SHOP_WEBHOOK_SECRET`, `whsec_…`, as the environment has it: without one nothing is believed
 * @throws WebhookError when it is not to be believed.
 * @example const {id, event} = await verifyWebhook({headers: request.headers, body: await request.text()}, secret);
 */
export async function verifyWebhook(received: ReceivedWebhook, secret: string | undefined): Promise<{ id: string; event: ShopEvent }> {
  const { headers, body, now = Date.now() } = received;
  if (!secret) throw new callbacks.WebhookError('there is no secret to verify with: SHOP_WEBHOOK_SECRET is not set');
  const { id } = await callbacks.verifyWebhook({ headers, body, now, secret, hmac: hmacWebCrypto });
  return { id, event: parse(body) };
}

/**
 * Checks a callback of the service itself: its own `signature`, and the Standard Webhooks headers when it has them.
 * With `proof: 'id'` only the id is proven: read the resource through the API before you believe anything else.
 * @throws WebhookError when it is not to be believed.
 */
export function verifyCallback(received: ReceivedWebhook, callbackToken: string): Promise<callbacks.VerifiedCallback> {
  const { headers, body, now = Date.now() } = received;
  return callbacks.verifyCallback({ headers, body, now, callbackToken, hmac: hmacWebCrypto });
}

function parse(body: string): ShopEvent {
  try {
    const event: unknown = JSON.parse(body);
    if (typeof event === 'object' && event !== null && 'event' in event && typeof event.event === 'string') return event as ShopEvent;
  } catch (cause) {
    throw new callbacks.WebhookError('the body is not JSON', { cause });
  }
  throw new callbacks.WebhookError('the body is not an event');
}

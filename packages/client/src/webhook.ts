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
  /** The body exactly as it was received, as text or as bytes (a `Buffer` is some), not parsed and written again. */
  body: string | Uint8Array | ArrayBuffer;
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
  if (!secret) throw new callbacks.WebhookError('there is no secret to verify with: SHOP_WEBHOOK_SECRET is not set');
  const { headers, body, now } = readable(received);
  const missing = HEADERS.filter((name) => !hasHeader(headers, name));
  if (missing.length)
    throw new callbacks.WebhookError(`${missing.join(', ')}: missing among the headers, so that this is no webhook of ours`);
  const { id } = await callbacks.verifyWebhook({ headers, body, now, secret, hmac: hmacWebCrypto }).catch((cause: unknown) => {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new callbacks.WebhookError(/does not match/.test(message) ? `${message}: ${CHECK}` : message, { cause });
  });
  return { id, event: parse(body) };
}

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
const CHECK =
  'is the secret the SHOP_WEBHOOK_SECRET of the BFF that sends it, and the body exactly what was received, neither parsed and written ' +
  'again nor of another encoding?';

/**
 * Checks a callback of the service itself: its own `signature`, and the Standard Webhooks headers when it has them.
 * With `proof: 'id'` only the id is proven: read the resource through the API before you believe anything else.
 * @throws WebhookError when it is not to be believed.
 */
export async function verifyCallback(received: ReceivedWebhook, callbackToken: string): Promise<callbacks.VerifiedCallback> {
  return callbacks.verifyCallback({ ...readable(received), callbackToken, hmac: hmacWebCrypto });
}

/**
 * What JavaScript may have been given instead: each is an error of the caller that says so.
 * @throws WebhookError
 */
function readable({ headers, body, now = Date.now() }: ReceivedWebhook): { headers: callbacks.HeaderSource; body: string; now: number } {
  if (typeof headers !== 'object' || headers === null)
    throw new callbacks.WebhookError(
      'there are no headers: it takes {headers, body}, the headers as a Headers or an object with lower-case names',
    );
  return { headers, body: textOf(body), now };
}

function textOf(body: unknown): string {
  const isBytes = body instanceof ArrayBuffer || body instanceof Uint8Array;
  const text = isBytes ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(body) : body;
  if (typeof text !== 'string')
    throw new callbacks.WebhookError(
      `the body has to be the text or the bytes as they were received, not ${text === null || text === undefined ? String(text) : `a parsed ${typeof text}`}: ` +
        'in Express use express.raw({type: "application/json"}) for this route, elsewhere await request.text()',
    );
  if (text === '') throw new callbacks.WebhookError('the body is empty: was it read before?');
  return text;
}

const hasHeader = (headers: callbacks.HeaderSource, name: string): boolean =>
  Boolean(typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]);

function parse(body: string): ShopEvent {
  try {
    const event: unknown = JSON.parse(body);
    if (typeof event === 'object' && event !== null && 'event' in event && typeof event.event === 'string') return event as ShopEvent;
  } catch (cause) {
    throw new callbacks.WebhookError('the body is not JSON', { cause });
  }
  throw new callbacks.WebhookError('the body is not an event');
}

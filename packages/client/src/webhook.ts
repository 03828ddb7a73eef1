import * as callbacks from '@crypto-checkout/protocol/callback';
import type { ShopEvent } from '@crypto-checkout/protocol/shop-event';
import { hmacWebCrypto } from '@crypto-checkout/protocol/signature-web';

export interface ReceivedWebhook {
  headers: callbacks.HeaderSource;
  /**
   * The body exactly as received, as text or as bytes (such as a `Buffer`). Do not parse and
   * serialize it again.
   */
  body: string | Uint8Array | ArrayBuffer;
  /** Own clock, milliseconds since the epoch. Default now. */
  now?: number;
}

/**
 * Verifies a webhook of the BFF (Standard Webhooks) and parses it. The same event may arrive again:
 * use `webhook-id` as a key.
 * @param secret `SHOP_WEBHOOK_SECRET`, `whsec_…`, as in the environment
 * @throws WebhookError for an invalid webhook, or without a secret
 * @example
 * const message = {headers: request.headers, body: await request.text()};
 * const {id, event} = await verifyWebhook(message, secret);
 */
export async function verifyWebhook(
  received: ReceivedWebhook,
  secret: string | undefined,
): Promise<{ id: string; event: ShopEvent }> {
  if (!secret) throw new callbacks.WebhookError('no secret: SHOP_WEBHOOK_SECRET is not set');
  const { headers, body, now } = checkReceived(received);
  const missing = HEADERS.filter((name) => !hasHeader(headers, name));
  if (missing.length)
    throw new callbacks.WebhookError(`${missing.join(', ')}: missing headers of a webhook`);
  const { id } = await callbacks
    .verifyWebhook({ headers, body, now, secret, hmac: hmacWebCrypto })
    .catch((cause: unknown) => {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new callbacks.WebhookError(
        /does not match/.test(message) ? `${message}: ${SIGNATURE_HINT}` : message,
        { cause },
      );
    });
  return { id, event: parse(body) };
}

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
const SIGNATURE_HINT =
  'check that the secret is the SHOP_WEBHOOK_SECRET of the sending BFF, and that the body is exactly what was received, ' +
  'not parsed and serialized again, and in the same encoding';

/**
 * Verifies a callback of the service: its own `signature`, and the Standard Webhooks headers if
 * present. With `proof: 'id'` only the id is proven: read the resource through the API before you
 * trust anything else.
 * @throws WebhookError for an invalid callback
 */
export async function verifyCallback(
  received: ReceivedWebhook,
  callbackToken: string,
): Promise<callbacks.VerifiedCallback> {
  return callbacks.verifyCallback({
    ...checkReceived(received),
    callbackToken,
    hmac: hmacWebCrypto,
  });
}

/**
 * Rejects values that JavaScript callers may pass by mistake.
 * @throws WebhookError
 */
function checkReceived({ headers, body, now = Date.now() }: ReceivedWebhook): {
  headers: callbacks.HeaderSource;
  body: string;
  now: number;
} {
  if (typeof headers !== 'object' || headers === null)
    throw new callbacks.WebhookError(
      'no headers: pass {headers, body}, with headers as a Headers or an object with lower-case names',
    );
  return { headers, body: textOf(body), now };
}

function textOf(body: unknown): string {
  const isBytes = body instanceof ArrayBuffer || body instanceof Uint8Array;
  const text = isBytes ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(body) : body;
  if (typeof text !== 'string')
    throw new callbacks.WebhookError(
      `the body must be the text or the bytes as they were received, not ${text === null || text === undefined ? String(text) : `a parsed ${typeof text}`}: ` +
        'in Express use express.raw({type: "application/json"}) for this route, elsewhere await request.text()',
    );
  if (text === '')
    throw new callbacks.WebhookError('the body is empty: it may have been read before');
  return text;
}

const hasHeader = (headers: callbacks.HeaderSource, name: string): boolean =>
  Boolean(
    typeof headers.get === 'function'
      ? headers.get(name)
      : (headers as Record<string, unknown>)[name],
  );

function parse(body: string): ShopEvent {
  try {
    const event: unknown = JSON.parse(body);
    if (
      typeof event === 'object' &&
      event !== null &&
      'event' in event &&
      typeof event.event === 'string'
    )
      return event as ShopEvent;
  } catch (cause) {
    throw new callbacks.WebhookError('the body is not JSON', { cause });
  }
  throw new callbacks.WebhookError('the body is not an event');
}

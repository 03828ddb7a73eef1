import { equalInConstantTime, fromBase64, toBase64, toHex, utf8 } from './bytes.ts';
import type { Hmac } from './signature.ts';

/**
 * The body of a callback: the resource as `result`, and again under its own name for receivers that
 * read only that.
 */
export interface CallbackBody<Resource = { id: string; [member: string]: unknown }> {
  /** UUID v4, one per resource and event; retries and resends keep it. */
  callback_id: string;
  /** The event's name; a reader must accept unknown names. */
  callback_status: string;
  /**
   * Lower-case hex HMAC-SHA256, key `callback_token`, message `callback_id`. It does not cover the
   * rest of the body.
   */
  signature: string;
  result: Resource;
  invoice?: Resource;
  transaction?: Resource;
  payout?: Resource;
}

/** Largest accepted age of a webhook's timestamp, in seconds. */
export const WEBHOOK_TOLERANCE_SECONDS = 300;

/** The callback is not authentic. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

export interface WebhookHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** Headers: a `Headers` object, or an object with lower-case names as in Node. */
export type HeaderSource =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** `signature` of a callback's body. */
export async function signCallback(
  callbackId: string,
  callbackToken: string,
  hmac: Hmac,
): Promise<string> {
  return toHex(await hmac(callbackToken, callbackId));
}

/** The Standard Webhooks secret of a callback token: `whsec_` and base64 of the token. */
export function webhookSecret(callbackToken: string): string {
  return `whsec_${toBase64(utf8(callbackToken))}`;
}

/**
 * Headers of the Standard Webhooks specification; the signature covers id, timestamp and every byte
 * of the body.
 * @param message.timestamp seconds since the epoch, real time.
 * @param message.secret `whsec_…`
 * @throws WebhookError when the secret is not base64.
 */
export async function signWebhook(
  message: { id: string; timestamp: number; body: string; secret: string },
  hmac: Hmac,
): Promise<WebhookHeaders> {
  const signed = await hmac(
    keyOf(message.secret),
    `${message.id}.${message.timestamp}.${message.body}`,
  );
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': `v1,${toBase64(signed)}`,
  };
}

/**
 * Verifies a Standard Webhooks message. One matching `v1` signature is enough, so that secrets can
 * be rotated.
 * @param message.body the exact received body.
 * @param message.now milliseconds since the epoch, real time.
 * @throws WebhookError
 */
export async function verifyWebhook(message: {
  headers: HeaderSource;
  body: string;
  secret: string;
  now: number;
  hmac: Hmac;
}): Promise<{ id: string; timestamp: number }> {
  const [id, timestamp, signatures] = WEBHOOK_NAMES.map((name) => headerOf(message.headers, name));
  if (!id || !timestamp || !signatures) throw new WebhookError('a webhook header is missing');
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookError('webhook-timestamp is not a number of seconds');
  if (Math.abs(Number(timestamp) - message.now / 1000) > WEBHOOK_TOLERANCE_SECONDS)
    throw new WebhookError(
      `webhook-timestamp is more than ${WEBHOOK_TOLERANCE_SECONDS} seconds from now: are the clocks of both machines right?`,
    );
  const expected = `v1,${toBase64(await message.hmac(keyOf(message.secret), `${id}.${timestamp}.${message.body}`))}`;
  // Compare every signature: an early exit would leak timing.
  const matching = signatures
    .split(' ')
    .filter((candidate) => equalInConstantTime(candidate, expected));
  if (matching.length === 0) throw new WebhookError('webhook-signature does not match');
  return { id, timestamp: Number(timestamp) };
}

export interface VerifiedCallback {
  callback: CallbackBody;
  /**
   * `bytes`: the Standard Webhooks signature covers the whole body. `id`: only the id is proven (no
   * such headers), so the body is a hint to read the resource again. The client of this repository
   * always reads it again.
   */
  proof: 'bytes' | 'id';
}

/**
 * Verifies a callback of the service: always the body's own `signature`, and the Standard Webhooks
 * headers when one of them is present.
 * @throws WebhookError
 */
export async function verifyCallback(request: {
  headers: HeaderSource;
  /** The exact received body. */
  body: string;
  callbackToken: string;
  /** Milliseconds since the epoch, real time. */
  now: number;
  hmac: Hmac;
}): Promise<VerifiedCallback> {
  if (request.callbackToken === '')
    throw new WebhookError('there is no callback token to verify with');
  const signed = WEBHOOK_NAMES.some((name) => headerOf(request.headers, name) !== null);
  const webhook = signed
    ? await verifyWebhook({ ...request, secret: webhookSecret(request.callbackToken) })
    : null;
  const callback = parseCallback(request.body);
  if (webhook && webhook.id !== callback.callback_id)
    throw new WebhookError('webhook-id is not the callback_id');
  const expected = await signCallback(callback.callback_id, request.callbackToken, request.hmac);
  if (!equalInConstantTime(callback.signature, expected))
    throw new WebhookError('signature does not match');
  return { callback, proof: webhook ? 'bytes' : 'id' };
}

const WEBHOOK_NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

function parseCallback(body: string): CallbackBody {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (cause) {
    throw new WebhookError('the body is not JSON', { cause });
  }
  const { callback_id, callback_status, signature, result } = (parsed ?? {}) as Record<
    string,
    unknown
  >;
  const strings = [callback_id, callback_status, signature].every(
    (member) => typeof member === 'string' && member !== '',
  );
  if (!strings)
    throw new WebhookError('callback_id, callback_status and signature must be strings');
  if (
    typeof result !== 'object' ||
    result === null ||
    typeof (result as { id?: unknown }).id !== 'string'
  )
    throw new WebhookError('result must be an object with an id');
  return parsed as CallbackBody;
}

function headerOf(headers: HeaderSource, name: string): string | null {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : (headers as Record<string, string | undefined>)[name];
  return typeof value === 'string' ? value : null;
}

function keyOf(secret: string): Uint8Array {
  const key = fromBase64(secret.startsWith('whsec_') ? secret.slice(6) : secret);
  if (!key || key.length === 0)
    throw new WebhookError('the webhook secret is not `whsec_` and base64');
  return key;
}

import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CheckoutErrorCode } from '../events/checkout-events.ts';
import { readCheckout } from './read-checkout.ts';

export const TIMEOUT_MS = 15_000;
/** Longest pause that a server can ask for. */
const LONGEST_WAIT_S = 300;

export const CODES: Partial<Record<number, CheckoutErrorCode>> = { 404: 'not_found', 429: 'busy' };

/** A failed request. */
export interface Failure extends Error {
  code: CheckoutErrorCode;
  /** Pause that the server asks for. */
  retryAfterMs: number;
  /** Whether a retry may succeed. */
  passing: boolean;
}

export const failure = (code: CheckoutErrorCode, message: string, retryAfterMs = 0): Failure =>
  Object.assign(new Error(message), {
    code,
    retryAfterMs,
    passing: ['network', 'unavailable', 'busy'].includes(code),
  });

export interface Answer {
  /** Missing if nothing has changed. */
  checkout?: Checkout;
  etag: string | null;
  /** The version of the view that an event stream brings instead. */
  version?: number;
}

/** A checkout on a server. */
export interface CheckoutLocation {
  server: string | null | undefined;
  /** An order token, which opens a checkout. */
  order?: string | null | undefined;
  /** The id of a checkout or an invoice. */
  id?: string | null | undefined;
  /** The page to open after payment. */
  successUrl?: string | null | undefined;
}

/**
 * An address on the checkout server, relative to the attribute: forms and links are also drawn on a
 * server.
 */
export const addressOf = (server: string | null | undefined, ...path: string[]): string =>
  [(server ?? '').replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/');

/**
 * Opens a checkout.
 * @throws Failure
 */
export async function openCheckout({
  server,
  order,
  id,
  successUrl,
}: CheckoutLocation): Promise<Checkout> {
  // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- scripts set any value
  const what = String(order || id || '');
  // Rejects objects and promises, which stringify to "[object …]".
  const missing = server == null ? 'server' : /^[^[]/.test(what) ? '' : 'order';
  if (missing) throw failure('setup', missing);
  const wish = successUrl || undefined;
  const { checkout } = await (order
    ? ask(addressOf(server, 'checkouts'), post({ order: what, success_url: wish }))
    : ask(
        addressOf(server, 'checkouts', what) +
          (wish ? `?success_url=${encodeURIComponent(wish)}` : ''),
      ));
  return checkout!;
}

/** Claim secrets by checkout, which `claim.ts` keeps once it is loaded. */
export const newClaims = new Map<string, string>();

/**
 * Secrets of this page alone: those that a shop's page handed to our page in a frame, and those of
 * a browser without storage.
 */
export const heldClaims = new Map<string, string>();

/** Headers of every POST request. */
export const postHeaders: Record<string, string> = { 'content-type': 'application/json' };

/** Options of a POST request with JSON. */
export const post = (body: object): RequestInit & { headers: Record<string, string> } => ({
  method: 'POST',
  headers: { ...postHeaders },
  body: JSON.stringify(body),
});

/**
 * Sends a request to the checkout server.
 * @throws Failure
 */
export async function ask(url: string, question?: RequestInit): Promise<Answer> {
  let response: Response;
  let answer: string;
  try {
    response = await fetch(url, {
      // The server's own pages have a cookie; other origins get none.
      credentials: 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...question,
    });
    answer = await response.text();
  } catch (error) {
    throw failure('network', String(error));
  }
  const { status, headers, ok } = response;
  const etag = headers.get('etag');
  if (status === 304 || status === 204)
    return { etag, version: Number(headers.get('checkout-version')) };
  const claim = headers.get('checkout-claim');
  if (!ok) {
    // The first choice has an unknown outcome, and the next one comes from the same buyer.
    if (claim) newClaims.set(url.split('/').at(-2)!, claim);
    const wait = Math.min(Number(headers.get('retry-after')) || 0, LONGEST_WAIT_S);
    const code = CODES[status] ?? (status < 500 ? 'refused' : 'unavailable');
    throw failure(code, `${status} ${answer.slice(0, 2e3)}`, wait * 1000);
  }
  const checkout = parseCheckout(answer);
  if (checkout) {
    if (claim) newClaims.set(checkout.id, claim);
    return { checkout, etag };
  }
  throw failure('malformed', 'not a checkout');
}

/** Parses a checkout from JSON; null if it is none. */
export function parseCheckout(json: string | null): Checkout | null {
  try {
    return readCheckout(JSON.parse(json!));
  } catch {
    return null;
  }
}

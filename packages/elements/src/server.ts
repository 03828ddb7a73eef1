import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CheckoutErrorCode } from './event.ts';
import { readCheckout } from './view.ts';

const TIMEOUT_MS = 15_000;
/** No server makes a buyer wait longer than this for news. */
const LONGEST_WAIT_S = 300;

/** Why a request gave no checkout. */
export class Failure extends Error {
  readonly code: CheckoutErrorCode;
  /** How long the server asks us to wait. */
  readonly retryAfterMs: number;
  constructor(code: CheckoutErrorCode, message: string, retryAfterMs = 0) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same request may succeed later. */
  get passing(): boolean {
    return ['network', 'unavailable', 'busy'].includes(this.code);
  }
}

export interface Question {
  /** Sent as JSON by POST; without one it is a GET. */
  body?: object;
  /** What we have. */
  etag?: string | null;
  signal?: AbortSignal;
}

/** The address of the checkout server without the slashes at its end, or null when it is none. */
export function serverUrl(server: string | null): string | null {
  try {
    const { href } = new URL(server!, document.baseURI);
    return server !== null && href.startsWith('http') ? href.replace(/[/?#]+$/, '') : null;
  } catch {
    return null;
  }
}

/**
 * Asks the checkout server.
 * @returns no checkout when nothing has changed since `etag`.
 * @throws Failure
 */
export async function ask(url: string, { body, etag, signal }: Question = {}): Promise<{ checkout?: Checkout; etag: string | null }> {
  let response: Response;
  let answer: unknown;
  try {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    response = await fetch(url, {
      headers: { ...(body && { 'content-type': 'application/json' }), ...(etag && { 'if-none-match': etag }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      credentials: 'omit',
      cache: 'no-store',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    answer = await response.text();
  } catch (error) {
    throw new Failure('network', String(error));
  }
  const { status, headers, ok } = response;
  if (status === 304) return { etag: etag ?? null };
  if (!ok) {
    const wait = Math.min(Number(headers.get('retry-after')) || 0, LONGEST_WAIT_S);
    const code = status === 404 ? 'not_found' : status === 429 ? 'busy' : status < 500 ? 'refused' : 'unavailable';
    throw new Failure(code, `${status} ${String(answer).slice(0, 500)}`, wait * 1000);
  }
  return { checkout: parseCheckout(answer), etag: headers.get('etag') };
}

/**
 * Reads a checkout from JSON.
 * @throws Failure
 */
export function parseCheckout(json: unknown): Checkout {
  try {
    const checkout = readCheckout(JSON.parse(String(json)));
    if (checkout) return checkout;
  } catch {
    // Told below.
  }
  throw new Failure('malformed', 'the server answered something that is no checkout');
}

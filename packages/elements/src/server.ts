import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CheckoutErrorCode } from './event.ts';
import { readCheckout } from './view.ts';

const TIMEOUT_MS = 15_000;
/** No server makes a buyer wait longer than this for news. */
const LONGEST_WAIT_S = 300;

const CODES: Partial<Record<number, CheckoutErrorCode>> = { 404: 'not_found', 429: 'busy' };

/** Why a request gave no checkout. */
export interface Failure extends Error {
  code: CheckoutErrorCode;
  /** How long the server asks us to wait. */
  retryAfterMs: number;
  /** Whether the same request may succeed later. */
  passing: boolean;
}

export const failure = (code: CheckoutErrorCode, message: string, retryAfterMs = 0): Failure =>
  Object.assign(new Error(message), { code, retryAfterMs, passing: ['network', 'unavailable', 'busy'].includes(code) });

export interface Answer {
  /** Missing when nothing has changed. */
  checkout?: Checkout;
  etag: string | null;
}

/** Which checkout of which server. */
export interface Place {
  server: string | null | undefined;
  /** An order token, which opens a checkout. */
  order?: string | null | undefined;
  /** A checkout's or an invoice's id. */
  id?: string | null | undefined;
  /** Where the shop wants the buyer to go once it is paid. */
  successUrl?: string | null | undefined;
}

/** An address on the checkout server, as the attribute names it: forms and links are drawn on a server too. */
export const addressOf = (server: string | null | undefined, ...path: string[]): string =>
  [(server ?? '').replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/');

/**
 * The first view.
 * @throws Failure
 */
export async function openCheckout({ server, order, id, successUrl }: Place): Promise<Checkout> {
  // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- a page's script may have set anything
  const what = String(order || id || '');
  // An object or a promise, which no text was made of, is none of it either.
  const missing = server == null ? 'server' : /^[^[]/.test(what) ? '' : 'order';
  if (missing) throw failure('setup', missing);
  const wish = successUrl || undefined;
  const { checkout } = await (order
    ? ask(addressOf(server, 'checkouts'), post({ order: what, success_url: wish }))
    : ask(addressOf(server, 'checkouts', what) + (wish ? `?success_url=${encodeURIComponent(wish)}` : '')));
  return checkout!;
}

/** A question that changes something. */
export const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/**
 * Asks the checkout server.
 * @throws Failure
 */
export async function ask(url: string, question?: RequestInit): Promise<Answer> {
  let response: Response;
  let answer: string;
  try {
    response = await fetch(url, { credentials: 'omit', cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS), ...question });
    answer = await response.text();
  } catch (error) {
    throw failure('network', String(error));
  }
  const { status, headers, ok } = response;
  const etag = headers.get('etag');
  if (status === 304) return { etag };
  if (!ok) {
    const wait = Math.min(Number(headers.get('retry-after')) || 0, LONGEST_WAIT_S);
    const code = CODES[status] ?? (status < 500 ? 'refused' : 'unavailable');
    throw failure(code, `${status} ${answer.slice(0, 2e3)}`, wait * 1000);
  }
  const checkout = parseCheckout(answer);
  if (checkout) return { checkout, etag };
  throw failure('malformed', 'not a checkout');
}

/** A checkout from JSON; null where there is none. */
export function parseCheckout(json: string | null): Checkout | null {
  try {
    return readCheckout(JSON.parse(json!));
  } catch {
    return null;
  }
}

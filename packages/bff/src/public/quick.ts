import type { Parts } from '../parts.ts';
import { invoiceIdOf } from '../order/identity.ts';
import { limitKey, parseAddress } from '../http/network.ts';
import type { StatusBytes } from './status.ts';

export interface QuickAnswer {
  /** Names and values, one after the other, as Node takes them. */
  headers: string[];
  body: Uint8Array<ArrayBuffer>;
}

/** What Node has of a request before anything is made of it. */
export interface QuickRequest {
  method?: string | undefined;
  url?: string | undefined;
  socket: { remoteAddress?: string | undefined };
}

const PATH = /^\/sdk\/v1\/invoices\/status\/?\?id=([\dA-Fa-f-]{32,36})$/;

/**
 * The one busy endpoint, answered in front of the app: shop plugins poll it, and twice the work would go into taking a request apart.
 * Null for everything that is not known already, not fresh, or limited: then the app answers, with the very same bytes.
 */
export function createQuickStatus(
  { limits, now, book, desk, screen, headers, options }: Parts,
  bytes: StatusBytes,
): (request: QuickRequest) => QuickAnswer | null {
  const answers = new WeakMap<Uint8Array, QuickAnswer>();
  const addresses = new WeakMap<object, string>();
  // Behind a proxy the address is in a header: the app reads it.
  const readsSocket = (options.trustedProxies ?? []).length === 0 && options.socketAddress === undefined;

  return function quickStatus({ method, url, socket }) {
    if (!readsSocket || method !== 'GET' || url === undefined || !url.startsWith('/sdk/')) return null;
    const id = invoiceIdOf(PATH.exec(url)?.[1] ?? '');
    const live = id === null ? undefined : book.peekInvoice(id);
    if (id === null || !live || !desk.isFresh(live)) return null;
    const moment = now();
    const address = addresses.get(socket) ?? keyOf(socket, addresses);
    if (address === null || limits.read.wait(address, moment) > 0) return null;
    const body = bytes.of(live, id, screen.serverTime());
    if (!body) return null;
    limits.read.take(address, moment);
    let answer = answers.get(body);
    if (!answer) {
      const flat = Object.entries({ ...headers.publicJson, 'Content-Length': String(body.byteLength) }).flat();
      answers.set(body, (answer = { headers: flat, body }));
    }
    return answer;
  };
}

function keyOf(socket: { remoteAddress?: string | undefined }, addresses: WeakMap<object, string>): string | null {
  const address = parseAddress(socket.remoteAddress ?? '');
  if (address === null) return null;
  const key = limitKey(address);
  addresses.set(socket, key);
  return key;
}

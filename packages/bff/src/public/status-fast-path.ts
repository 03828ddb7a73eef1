import type { Services } from '../services.ts';
import { invoiceIdOf } from '../orders/ids.ts';
import { limitKey, parseAddress } from '../http/network.ts';
import type { StatusCache } from './status-cache.ts';

export interface QuickAnswer {
  /** Names and values in turn, as Node takes them. */
  headers: string[];
  body: Uint8Array<ArrayBuffer>;
}

/** The parts of a Node request that the fast path reads. */
export interface QuickRequest {
  method?: string | undefined;
  url?: string | undefined;
  socket: { remoteAddress?: string | undefined };
}

const PATH = /^\/sdk\/v1\/invoices\/status\/?\?id=([\dA-Fa-f-]{32,36})$/;

/**
 * Answers the busiest endpoint in front of the app: shop plugins poll it, and parsing a request
 * would double the work. Returns null for every request that is unknown, stale or limited; the app
 * then answers with the same bytes.
 */
export function createStatusFastPath(
  { limits, steady, repository, freshness, presenter, headers, options }: Services,
  bytes: StatusCache,
): (request: QuickRequest) => QuickAnswer | null {
  const answers = new WeakMap<Uint8Array, QuickAnswer>();
  const addresses = new WeakMap<object, string>();
  // Behind a proxy the address is in a header, which only the app reads.
  const readsSocket =
    (options.trustedProxies ?? []).length === 0 && options.socketAddress === undefined;

  return function quickStatus({ method, url, socket }) {
    if (!readsSocket || method !== 'GET' || url === undefined || !url.startsWith('/sdk/'))
      return null;
    const id = invoiceIdOf(PATH.exec(url)?.[1] ?? '');
    const checkout = id === null ? undefined : repository.peekByInvoice(id);
    if (id === null || !checkout || !freshness.isFresh(checkout)) return null;
    const moment = steady();
    const address = addresses.get(socket) ?? keyOf(socket, addresses);
    if (address === null || limits.read.peek(address, moment) > 0) return null;
    const body = bytes.get(checkout, id, presenter.serverTime());
    if (!body) return null;
    limits.read.take(address, moment);
    let answer = answers.get(body);
    if (!answer) {
      const flat = Object.entries({
        ...headers.publicJson,
        'Content-Length': String(body.byteLength),
      }).flat();
      answers.set(body, (answer = { headers: flat, body }));
    }
    return answer;
  };
}

function keyOf(
  socket: { remoteAddress?: string | undefined },
  addresses: WeakMap<object, string>,
): string | null {
  const address = parseAddress(socket.remoteAddress ?? '');
  if (address === null) return null;
  const key = limitKey(address);
  addresses.set(socket, key);
  return key;
}

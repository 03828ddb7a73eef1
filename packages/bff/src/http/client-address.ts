import type { Context } from 'hono';
import { type Network, isWithin, limitKey, parseAddress } from './network.ts';

export interface AddressOptions {
  /** Proxies with a trusted `X-Forwarded-For`. Default none. */
  trustedProxies?: readonly Network[];
  /** Address of the connection, for hosts other than Node. */
  socketAddress?: (c: Context) => string | null;
}

/**
 * Returns the key of rate limits: the address of the socket, or the last one in `X-Forwarded-For`
 * that is not a trusted proxy.
 */
export function createAddressOf({
  trustedProxies = [],
  socketAddress = nodeSocket,
}: AddressOptions): (c: Context) => string {
  // Parse the address once per connection; a busy one has many requests.
  const keys = new WeakMap<object, string>();
  const trusted = (address: bigint): boolean =>
    trustedProxies.some((network) => isWithin(address, network));

  return function addressOf(c) {
    const connection = connectionOf(c);
    const cached = connection && keys.get(connection);
    if (cached) return cached;
    const socket = parseAddress(socketAddress(c) ?? '');
    if (socket === null) return 'unknown';
    if (!trusted(socket)) {
      const key = limitKey(socket);
      if (connection) keys.set(connection, key);
      return key;
    }
    let address = socket;
    for (const hop of (c.req.header('x-forwarded-for') ?? '').split(',').toReversed()) {
      const next = parseAddress(hop.trim());
      if (next === null) break;
      address = next;
      if (!trusted(next)) break;
    }
    return limitKey(address);
  };
}

function nodeSocket(c: Context): string | null {
  return connectionOf(c)?.remoteAddress ?? null;
}

function connectionOf(c: Context): { remoteAddress?: string } | undefined {
  return (c.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined)?.incoming
    ?.socket;
}

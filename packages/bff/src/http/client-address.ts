import type { Context } from 'hono';
import { type Network, isWithin, limitKey, parseAddress } from './network.ts';

export interface AddressOptions {
  /** Proxies whose `X-Forwarded-For` is believed. Default none. */
  trustedProxies?: readonly Network[];
  /** Address of the connection, on hosts that are not Node. */
  socketAddress?: (c: Context) => string | null;
}

/** Gives what limits count by: the socket's address, or the last one in `X-Forwarded-For` that no trusted proxy of ours has. */
export function createAddressOf({ trustedProxies = [], socketAddress = nodeSocket }: AddressOptions): (c: Context) => string {
  // An address is read once per connection; a busy one brings many requests.
  const known = new WeakMap<object, string>();
  const trusted = (address: bigint): boolean => trustedProxies.some((network) => isWithin(address, network));

  return function addressOf(c) {
    const connection = connectionOf(c);
    const remembered = connection && known.get(connection);
    if (remembered) return remembered;
    const socket = parseAddress(socketAddress(c) ?? '');
    if (socket === null) return 'unknown';
    if (!trusted(socket)) {
      const key = limitKey(socket);
      if (connection) known.set(connection, key);
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
  return (c.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined)?.incoming?.socket;
}

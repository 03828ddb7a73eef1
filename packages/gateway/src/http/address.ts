import ipaddr from 'ipaddr.js';
import type { Network } from '../settings/ip-ranges.ts';

/**
 * Returns the caller's address: the socket's, or, behind trusted proxies, the right-most forwarded
 * address that is not a trusted proxy. Entries further left can be forged and are ignored.
 * @param socketAddress null when there is no socket (tests)
 */
export function clientAddress(
  socketAddress: string | null,
  forwardedFor: string | null,
  trusted: readonly Network[],
): string {
  let address = normalAddress(socketAddress ?? '127.0.0.1') ?? '0.0.0.0';
  const hops = forwardedFor === null ? [] : forwardedFor.split(',').map((hop) => hop.trim());
  while (hops.length > 0 && isIn(address, trusted)) {
    const hop = normalAddress(hops.pop() ?? '');
    if (hop === null) break;
    address = hop;
  }
  return address;
}

/** Caches parsed addresses: most requests come from a few callers. */
const known = new Map<string, string | null>();
const MAX_KNOWN = 1_000;

/**
 * Normalizes an address: IPv4 in IPv6 (`::ffff:1.2.3.4`) as IPv4, without zone or port; null when
 * it is not an address.
 */
export function normalAddress(text: string): string | null {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const address = text.length > MAX_LENGTH ? null : readAddress(text);
  known.set(text.slice(0, MAX_LENGTH + 1), address);
  return address;
}

/** Strips brackets, zone and port. */
const MAX_LENGTH = 100;

function readAddress(text: string): string | null {
  const bare = text.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/%.*$/, '');
  const withoutPort = /^\d+\.\d+\.\d+\.\d+:\d+$/.test(bare)
    ? bare.slice(0, bare.indexOf(':'))
    : bare;
  if (!ipaddr.IPv4.isValidFourPartDecimal(withoutPort) && !ipaddr.IPv6.isValid(withoutPort))
    return null;
  return ipaddr.process(withoutPort).toString();
}

/** Returns whether an address lies in one of the networks. */
export function isIn(address: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some(
    ([network, bits]) =>
      network.kind() === parsed.kind() && parsed.match([network, bits] as [ipaddr.IPv4, number]),
  );
}

/** Returns whether an entry of a key's allow-list (an address or a CIDR) covers the address. */
export function isAllowed(address: string, whitelist: readonly string[]): boolean {
  return whitelist.some((entry) => {
    try {
      const network = entry.includes('/') ? ipaddr.parseCIDR(entry) : null;
      if (network) return isIn(address, [network]);
      return normalAddress(entry) === address;
    } catch {
      return false;
    }
  });
}

/**
 * The key for limits by address: one IPv4 address, or a /64 IPv6 network, which is one customer.
 */
export function addressGroup(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}

/**
 * RFC 6761, RFC 6762, RFC 8375 and ICANN's `internal`: such names resolve in private networks only.
 */
export const isPrivateName = (host: string): boolean =>
  /^[^.]+$|\.(localhost|local|internal|home\.arpa)$/i.test(host);

// The BFF only compares addresses. The gateway uses `ipaddr.js`, whose table of special ranges its
// outbound guard needs.

/** A CIDR range such as `10.0.0.0/8`. IPv4 is stored as IPv6 (`::ffff:…`). */
export interface Network {
  address: bigint;
  bits: number;
}

/**
 * Parses an address or a CIDR range.
 * @example parseNetwork('10.0.0.0/8')
 */
export function parseNetwork(text: string): Network | null {
  const [host = '', length, ...more] = text.split('/');
  const address = parseAddress(host);
  if (address === null || more.length > 0) return null;
  const most = host.includes(':') ? 128 : 32;
  if (length === undefined) return { address, bits: 128 };
  const bits = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return bits >= 0 && bits <= most ? { address, bits: bits + 128 - most } : null;
}

export function isWithin(address: bigint, { address: first, bits }: Network): boolean {
  const rest = BigInt(128 - bits);
  return address >> rest === first >> rest;
}

const IPV4_IN_IPV6 = 0xffffn << 32n;

/** Parses an IP address into a 128-bit number; null for any other text. */
export function parseAddress(text: string): bigint | null {
  const host = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (!host.includes(':')) {
    const v4 = parseV4(host);
    return v4 === null ? null : IPV4_IN_IPV6 | v4;
  }
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(host);
  const tail = dotted ? parseV4(dotted[2] ?? '') : null;
  if (dotted && tail === null) return null;
  const plain =
    tail === null
      ? host
      : `${dotted?.[1]}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`;
  const halves = plain.split('::');
  if (halves.length > 2) return null;
  const [head, rest] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - (head?.length ?? 0) - (rest?.length ?? 0);
  if (rest === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [
    ...(head ?? []),
    ...Array<string>(rest === undefined ? 0 : missing).fill('0'),
    ...(rest ?? []),
  ];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

function parseV4(host: string): bigint | null {
  const parts = host.split('.');
  if (
    parts.length !== 4 ||
    !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  )
    return null;
  return parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

/**
 * The key of rate limits: an IPv4 address, or the /64 of an IPv6 address, because one household has
 * a whole /64.
 */
export function limitKey(address: bigint): string {
  return address >> 32n === 0xffffn ? address.toString(16) : `${(address >> 64n).toString(16)}/64`;
}

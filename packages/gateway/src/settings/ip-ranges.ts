import ipaddr from 'ipaddr.js';
import type { Refuse } from '@crypto-checkout/protocol/schema/setting';

/** Address ranges, such as `10.0.0.0/8`. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** An exception from the outbound guard; without ports it allows every port. */
export interface Opening {
  network: Network;
  ports: readonly number[];
}

export function readNetwork(item: string, refuse: Refuse): Network | undefined {
  try {
    if (item.includes('/')) return ipaddr.parseCIDR(item);
    const address = ipaddr.parse(item);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    refuse('must hold addresses or CIDRs');
    return undefined;
  }
}

/** Spaces or commas separate entries; a comma before a number separates the ports of one entry. */
export function readOpenings(value: string, refuse: Refuse): Opening[] {
  const entries = value.split(/[\s,]+(?=[^\s,]+\/)/).filter((entry) => entry.trim() !== '');
  return entries.flatMap((entry) => {
    const parts = /^(?<network>[^\s,]+\/\d+)(?::(?<ports>\*|\d+(?:,\d+)*))?,?$/.exec(entry)?.groups;
    const ports =
      (parts?.['ports'] ?? '*') === '*' ? [] : (parts?.['ports'] ?? '').split(',').map(Number);
    if (parts && ports.every((number) => number >= 1 && number <= 65_535)) {
      const network = readNetwork(parts['network'] ?? '', refuse);
      return network ? [{ network, ports }] : [];
    }
    refuse('must hold entries like 127.0.0.0/8:8080 or 10.0.0.0/8:443,8443');
    return [];
  });
}

import ipaddr from 'ipaddr.js';
import { ServiceError } from '../http/error.ts';

/**
 * Checks the addresses and CIDRs that a key may be used from; a mistake here would lock its owner
 * out.
 * @throws ServiceError `ValidationError` that names the wrong entry
 */
export function requireWhitelist(entries: readonly string[]): void {
  for (const [at, entry] of entries.entries()) {
    const problem = problemOf(entry);
    if (problem === null) continue;
    const field = `whitelist_ip.${at}`;
    throw new ServiceError('ValidationError', `The member ${field} ${problem}.`, {
      errors: [{ field, message: problem }],
    });
  }
}

function problemOf(entry: string): string | null {
  const known = entry.includes('/')
    ? ipaddr.IPv4.isValidCIDRFourPartDecimal(entry) || ipaddr.IPv6.isValidCIDR(entry)
    : ipaddr.IPv4.isValidFourPartDecimal(entry) ||
      (ipaddr.IPv6.isValid(entry) && !entry.includes('%'));
  if (!known)
    return `must be an address or a CIDR, as 203.0.113.7 or 2001:db8::/32, not ${JSON.stringify(entry)}`;
  // IPv4 callers are always compared as IPv4.
  const mapped =
    entry.includes('/') &&
    entry.includes(':') &&
    ipaddr.IPv6.parseCIDR(entry)[0].isIPv4MappedAddress();
  return mapped ? 'must be written as IPv4, as 203.0.113.0/24' : null;
}

import ipaddr from 'ipaddr.js';
import { ConfigError } from '../config.ts';
import { isPrivateName } from '../http/address.ts';

/**
 * On a main network answers must not be changed on the way: http is accepted only where the
 * connection stays on this machine or in a private network.
 * @throws ConfigError that names the setting, without the URL, which can contain a key
 */
export function requireSafeAddresses(setting: string, urls: readonly string[]): void {
  for (const url of urls) {
    const { protocol, hostname } = new URL(url);
    if (protocol !== 'https:' && !isPrivate(hostname))
      throw new ConfigError(
        `${setting} must hold https URLs on a main network; http is for loopback and private addresses.`,
      );
  }
}

const PRIVATE_RANGES: readonly string[] = ['loopback', 'private', 'linkLocal', 'uniqueLocal'];
function isPrivate(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(address)) return PRIVATE_RANGES.includes(ipaddr.process(address).range());
  return isPrivateName(hostname);
}

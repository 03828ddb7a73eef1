import ipaddr from 'ipaddr.js';
import { type Config, ConfigError } from '../config.ts';

/**
 * On a main network buyers must not be shown an address that was changed on the way.
 * @throws ConfigError that names the setting
 */
export function requireSafeOwnAddresses({
  publicUrl,
  gatewayUrl,
  lnurlBaseUrl,
}: Pick<Config, 'publicUrl' | 'gatewayUrl' | 'lnurlBaseUrl'>): void {
  const addresses = {
    PUBLIC_URL: publicUrl,
    GATEWAY_URL: gatewayUrl,
    LNURL_BASE_URL: lnurlBaseUrl,
  };
  for (const [setting, url] of Object.entries(addresses))
    if (url !== null && new URL(url).protocol !== 'https:' && !isOnThisMachine(url))
      throw new ConfigError(
        `${setting} must be https on a main network, not "${url}"; http is for this machine alone.`,
      );
}

export function isOnThisMachine(url: string): boolean {
  const { hostname } = new URL(url);
  const address = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(address)) return ipaddr.process(address).range() === 'loopback';
  // RFC 6761, "localhost."
  return /(^|\.)localhost\.?$/i.test(hostname);
}

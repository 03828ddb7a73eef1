import type { BffOptions } from '../options.ts';
import { isWithin, parseAddress, parseNetwork } from './network.ts';

/** The BFF's own settings are not safe for real money. */
export class UnsafeAddressError extends Error {
  override name = 'UnsafeAddressError';
}

/**
 * On a main network buyers must not be shown an address that was changed on the way: neither to
 * them nor from the payment service.
 * @throws UnsafeAddressError that names the setting
 */
export function requireSafeAddresses({
  publicUrl,
  serviceUrl,
}: Pick<BffOptions, 'publicUrl' | 'serviceUrl'>): void {
  requireHttps('PUBLIC_URL', publicUrl, LOOPBACK, 'this machine alone');
  requireHttps('SERVICE_URL', serviceUrl, [...LOOPBACK, ...PRIVATE], 'private networks alone');
}

function requireHttps(
  setting: string,
  url: string,
  http: readonly string[],
  forWhom: string,
): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isIn(hostname, http)) return;
  throw new UnsafeAddressError(
    `${setting} must be https on a main network, not "${url}"; http is for ${forWhom}.`,
  );
}

const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1'];
const PRIVATE: readonly string[] = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
];

function isIn(hostname: string, networks: readonly string[]): boolean {
  const address = parseAddress(hostname);
  if (address !== null) return networks.some((text) => isWithin(address, parseNetwork(text)!));
  // RFC 6761, RFC 6762, RFC 8375 and ICANN's `internal`; names without a dot resolve inside only.
  return networks === LOOPBACK
    ? /(^|\.)localhost\.?$/i.test(hostname)
    : /^[^.]+$|\.(localhost|local|internal|home\.arpa)\.?$/i.test(hostname);
}

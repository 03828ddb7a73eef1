import { lookup as resolveHost } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, fetch as undiciFetch } from 'undici';
import type { Opening } from '../settings/ip-ranges.ts';
import { isIn, isPrivateName, normalAddress } from '../http/address.ts';
import { postBy, withPost } from './post.ts';

/** The guard refused a destination; nothing was sent and no connection was opened. */
export class ForbiddenDestinationError extends Error {
  override name = 'ForbiddenDestinationError';
  /**
   * The entry of OUTBOUND_ALLOW that would permit it; null when none would. For the operator only.
   */
  readonly opening: string | null;

  constructor(message: string, opening: string | null = null) {
    super(message);
    this.opening = opening;
  }
}

export interface OutboundOptions {
  allow: readonly Opening[];
  /**
   * Whether plain http is accepted everywhere; for test accounts only. Default: to destinations of
   * `allow`, under private names and addresses.
   */
  allowHttp?: boolean;
  /** Name resolution. Default: the system's. */
  resolve?: Resolve;
}

type Resolve = (
  host: string,
  callback: (error: Error | null, addresses: { address: string; family: number }[]) => void,
) => void;

/** Limit for opening a connection. */
const CONNECT_MS = 5_000;

/**
 * `fetch` for addresses that a third party chose. It refuses plain http, credentials in the URL,
 * and every destination that is not a public unicast address. The check runs on the parsed host,
 * and again on every resolved address at the moment of connecting. Redirects are not followed.
 */
export function createOutbound({
  allow,
  allowHttp = false,
  resolve = systemResolve,
}: OutboundOptions): typeof fetch {
  const agents = new Map<string, Agent>();

  /**
   * One agent for each scheme and port, because exceptions are for certain ports and a lookup does
   * not receive them.
   */
  function agentFor({ protocol }: URL, port: number): Agent {
    const existing = agents.get(`${protocol}${port}`);
    if (existing) return existing;
    const isRefused = (address: string): boolean =>
      protocol === 'http:' && !allowHttp
        ? !isOpened(address, port, allow)
        : !isPermitted(address, port, allow);
    const agent = new Agent({
      connect: { timeout: CONNECT_MS, lookup: guardedLookup(port, isRefused, resolve) },
      // Callers have their own limits; a receiver that hangs must not delay another one on its
      // host.
      connections: 256,
      pipelining: 1,
      keepAliveTimeout: 10_000,
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      bodyTimeout: 10_000,
    });
    agents.set(`${protocol}${port}`, agent);
    return agent;
  }

  const guarded = (async (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(typeof input === 'object' && 'url' in input ? input.url : input);
    const port = requireDestination(url, allow, allowHttp);
    try {
      return await undiciFetch(url, {
        ...(init as object),
        redirect: 'manual',
        dispatcher: agentFor(url, port),
      });
    } catch (error) {
      if (error instanceof TypeError && error.cause instanceof ForbiddenDestinationError)
        throw error.cause;
      throw error;
    }
  }) as typeof fetch;
  return withPost(guarded, async (text, options) => {
    const url = new URL(text);
    return postBy(agentFor(url, requireDestination(url, allow, allowHttp)), url, options);
  });
}

/** Refuses names that resolve to an address that is not permitted. */
function guardedLookup(
  port: number,
  isRefused: (address: string) => boolean,
  resolve: Resolve,
): LookupFunction {
  return (host, options, callback) => {
    resolve(host, (error, addresses) => {
      const refused = addresses.filter(({ address }) => isRefused(address));
      const [first] = addresses;
      if (error || !first) return callback(error ?? new Error(`${host} has no address`), '', 0);
      // One private address among public ones refuses the whole name: it may be a rebinding
      // attack.
      if (refused.length > 0) {
        const why = `${host} resolves to ${refused.map(({ address }) => address).join(' and ')}, which is not public`;
        const opening = refused.map(({ address }) => openingOf(address, port)).join(' ');
        return callback(new ForbiddenDestinationError(why, opening), '', 0);
      }
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

/**
 * Checks that need no name resolution.
 * @returns the port
 * @throws ForbiddenDestinationError
 */
export function requireDestination(
  url: URL,
  allow: readonly Opening[],
  allowHttp: boolean,
): number {
  const refuse = (why: string, opening: string | null = null): never => {
    throw new ForbiddenDestinationError(
      `${url.origin === 'null' ? url.protocol : url.origin} is refused: ${why}`,
      opening,
    );
  };
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  // `new URL` has normalized 0x7f.1, 2130706433 and full-width dots already.
  const host = url.hostname.replace(/\.$/, '');
  const literal = normalAddress(host);
  const isHttpAllowed =
    allowHttp ||
    (literal === null ? allow.length > 0 && isPrivateName(host) : isOpened(literal, port, allow));
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHttpAllowed))
    refuse(`${allowHttp ? 'http or https' : 'https'} is needed`);
  if (url.username !== '' || url.password !== '') refuse('an address may not hold a password');
  if (literal !== null && !isPermitted(literal, port, allow))
    refuse(`${literal} is not public`, openingOf(literal, port));
  if (literal === null && host === '') refuse('it has no host');
  return port;
}

/**
 * Checks for the caller that sets an address: the error reveals nothing beyond the address itself.
 * A name is resolved only when it is connected to, and then only the operator sees the result.
 * @throws ForbiddenDestinationError
 */
export function requireStatedDestination(
  url: URL,
  allow: readonly Opening[],
  allowHttp: boolean,
): void {
  requireDestination(url, allow, allowHttp);
  // Names of this machine by definition (RFC 6761); OUTBOUND_ALLOW can permit them.
  if (!/(^|\.)localhost\.?$/i.test(url.hostname)) return;
  const literal = new URL(url);
  literal.hostname = '127.0.0.1';
  requireDestination(literal, allow, allowHttp);
}

/** This address and port alone, in the form of OUTBOUND_ALLOW. */
function openingOf(address: string, port: number): string {
  return `${address}/${ipaddr.parse(address).kind() === 'ipv4' ? 32 : 128}:${port}`;
}

/** Returns whether an address is public unicast, or inside one of the operator's exceptions. */
export function isPermitted(address: string, port: number, allow: readonly Opening[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  return isOpened(address, port, allow) || isPublic(ipaddr.process(address));
}

/** Whether an address is inside one of the operator's exceptions. */
function isOpened(address: string, port: number, allow: readonly Opening[]): boolean {
  return allow.some(
    ({ network, ports }) =>
      isIn(address, [network]) && (ports.length === 0 || ports.includes(port)),
  );
}

/**
 * Every named range (private, loopback, linkLocal, carrierGradeNat, reserved, 6to4, teredo, rfc6052
 * …) is not `unicast`.
 */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  // Only 2000::/3 of IPv6 is allocated.
  return address instanceof ipaddr.IPv4 || address.match(ipaddr.IPv6.parseCIDR('2000::/3'));
}

const systemResolve: NonNullable<OutboundOptions['resolve']> = (host, callback) => {
  resolveHost(host, { all: true, verbatim: true }, (error, addresses) =>
    callback(error, addresses ?? []),
  );
};

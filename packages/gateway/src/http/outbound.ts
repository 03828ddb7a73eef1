import { lookup as resolveHost } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, fetch as undiciFetch } from 'undici';
import type { Opening } from '../config.ts';
import { isIn, normalAddress } from './address.ts';
import { postBy, withPost } from './post.ts';

/** A destination that the guard refuses; nothing was sent and nothing was connected to. */
export class ForbiddenDestinationError extends Error {
  override name = 'ForbiddenDestinationError';
  /** What would open it in OUTBOUND_ALLOW; null where nothing does. For the operator only. */
  readonly opening: string | null;

  constructor(message: string, opening: string | null = null) {
    super(message);
    this.opening = opening;
  }
}

export interface OutboundOptions {
  allow: readonly Opening[];
  /** Whether plain http is accepted; test accounts only. Default false. */
  allowHttp?: boolean;
  /** Name resolution; the system's unless a test gives another. */
  resolve?: (host: string, callback: (error: Error | null, addresses: { address: string; family: number }[]) => void) => void;
}

/** How long a connection may take to come about. */
const CONNECT_MS = 5_000;

/**
 * `fetch` for addresses that somebody else chose. Refused are plain http, credentials in the URL, and every destination that
 * is not a public unicast address: on the parsed host (a literal address never asks for a name), and on every address that a
 * name resolves to, at the moment of connecting. Redirects are not followed.
 */
export function createOutbound({ allow, allowHttp = false, resolve = systemResolve }: OutboundOptions): typeof fetch {
  const agents = new Map<number, Agent>();

  /** One agent per port, because an exception is for some ports only and a lookup is not told the port. */
  function agentFor(port: number): Agent {
    const existing = agents.get(port);
    if (existing) return existing;
    const agent = new Agent({
      connect: { timeout: CONNECT_MS, lookup: guardedLookup(port) },
      // The callers have limits of their own; a receiver that hangs must not hold up another one on its host.
      connections: 256,
      pipelining: 1,
      keepAliveTimeout: 10_000,
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      bodyTimeout: 10_000,
    });
    agents.set(port, agent);
    return agent;
  }

  function guardedLookup(port: number): LookupFunction {
    return (host, options, callback) => {
      resolve(host, (error, addresses) => {
        const refused = addresses.find(({ address }) => !isPermitted(address, port, allow));
        const [first] = addresses;
        if (error || !first) return callback(error ?? new Error(`${host} has no address`), '', 0);
        // One private answer among public ones is a trick, not a choice.
        if (refused) {
          const why = `${host} resolves to ${refused.address}, which is not public`;
          return callback(new ForbiddenDestinationError(why, openingOf(refused.address, port)), '', 0);
        }
        return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
      });
    };
  }

  const guarded = (async (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(typeof input === 'object' && 'url' in input ? input.url : input);
    const port = requireDestination(url, allow, allowHttp);
    try {
      return await undiciFetch(url, { ...(init as object), redirect: 'manual', dispatcher: agentFor(port) });
    } catch (error) {
      if (error instanceof TypeError && error.cause instanceof ForbiddenDestinationError) throw error.cause;
      throw error;
    }
  }) as unknown as typeof fetch;
  return withPost(guarded, async (text, options) => {
    const url = new URL(text);
    return postBy(agentFor(requireDestination(url, allow, allowHttp)), url, options);
  });
}

/**
 * What can be said before a name is resolved.
 * @returns the port
 * @throws ForbiddenDestinationError
 */
export function requireDestination(url: URL, allow: readonly Opening[], allowHttp: boolean): number {
  const refuse = (why: string, opening: string | null = null): never => {
    throw new ForbiddenDestinationError(`${url.origin === 'null' ? url.protocol : url.origin} is refused: ${why}`, opening);
  };
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowHttp)) refuse(`${allowHttp ? 'http or https' : 'https'} is needed`);
  if (url.username !== '' || url.password !== '') refuse('an address may not hold a password');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  // `new URL` has turned 0x7f.1, 2130706433 and full-width dots into a plain address already.
  const host = url.hostname.replace(/\.$/, '');
  const literal = normalAddress(host);
  if (literal !== null && !isPermitted(literal, port, allow)) refuse(`${literal} is not public`, openingOf(literal, port));
  if (literal === null && host === '') refuse('it has no host');
  return port;
}

/**
 * What can be said to whoever stated an address, because it says no more than that. A name tells where it leads only when it is
 * connected to, and then nobody but the operator.
 * @throws ForbiddenDestinationError
 */
export function requireStated(url: URL, allow: readonly Opening[], allowHttp: boolean): void {
  requireDestination(url, allow, allowHttp);
  // Names of this machine by definition (RFC 6761); whoever means it opens it in OUTBOUND_ALLOW.
  if (!/(^|\.)localhost\.?$/i.test(url.hostname)) return;
  const literal = new URL(url);
  literal.hostname = '127.0.0.1';
  requireDestination(literal, allow, allowHttp);
}

/** This address and port alone, as OUTBOUND_ALLOW names them. */
function openingOf(address: string, port: number): string {
  return `${address}/${ipaddr.parse(address).kind() === 'ipv4' ? 32 : 128}:${port}`;
}

/** Public unicast, or inside one of the operator's exceptions. */
export function isPermitted(address: string, port: number, allow: readonly Opening[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const opened = allow.some(({ network, ports }) => isIn(address, [network]) && (ports.length === 0 || ports.includes(port)));
  return opened || isPublic(ipaddr.process(address));
}

/** Everything with a name (private, loopback, linkLocal, carrierGradeNat, reserved, 6to4, teredo, rfc6052 …) is not `unicast`. */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  // Of IPv6 only 2000::/3 is given out.
  return address instanceof ipaddr.IPv4 || address.match(ipaddr.IPv6.parseCIDR('2000::/3'));
}

const systemResolve: NonNullable<OutboundOptions['resolve']> = (host, callback) => {
  resolveHost(host, { all: true, verbatim: true }, (error, addresses) => callback(error, addresses ?? []));
};

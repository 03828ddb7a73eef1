import type { Config } from '../config.ts';

type Where = Pick<Config, 'gatewayUrl'>;

const isSecure = ({ gatewayUrl }: Where): boolean => gatewayUrl?.startsWith('https:') ?? false;

/**
 * Over https with the prefix that browsers give to no other host and no plain connection to set. That prefix wants the path `/`;
 * the other places of this service read no cookies.
 */
const nameOf = (config: Where): string => (isSecure(config) ? '__Host-dashboard' : 'dashboard');

/**
 * The session's cookie. `Strict`: the page itself holds no data, so whoever comes by a link from elsewhere gets it without the
 * cookie, and its own requests then bring it.
 */
export function sessionCookie(config: Where, token: string, maxAgeSeconds: number): string {
  const secure = isSecure(config);
  const parts = [`${nameOf(config)}=${token}`, `Path=${secure ? '/' : '/dashboard/'}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly'];
  return [...parts, 'SameSite=Strict', ...(secure ? ['Secure'] : [])].join('; ');
}

/** The token of a request's cookie; null without one, or with more than one. */
export function readCookie(config: Where, header: string | undefined): string | null {
  const mark = `${nameOf(config)}=`;
  const found = (header ?? '').split(';').flatMap((part) => (part.trim().startsWith(mark) ? [part.trim().slice(mark.length)] : []));
  const [token] = found;
  return found.length === 1 && token !== undefined && /^[\w-]{43}$/.test(token) ? token : null;
}

import type { Config } from '../config.ts';

type Where = Pick<Config, 'gatewayUrl'>;

const isSecure = ({ gatewayUrl }: Where): boolean => gatewayUrl?.startsWith('https:') ?? false;

/**
 * Over https the `__Host-` prefix: browsers let no other host and no plain connection set such a
 * cookie. The prefix requires the path `/`; no other part of this service reads cookies.
 */
const nameOf = (config: Where): string => (isSecure(config) ? '__Host-dashboard' : 'dashboard');

/**
 * The session's cookie. `Strict` is enough: the page itself holds no data. A visitor from a link
 * elsewhere gets the page without the cookie, and its own requests then carry it.
 */
export function sessionCookie(config: Where, token: string, maxAgeSeconds: number): string {
  const secure = isSecure(config);
  const parts = [
    `${nameOf(config)}=${token}`,
    `Path=${secure ? '/' : '/dashboard/'}`,
    `Max-Age=${maxAgeSeconds}`,
    'HttpOnly',
  ];
  return [...parts, 'SameSite=Strict', ...(secure ? ['Secure'] : [])].join('; ');
}

/** The token of a request's cookie; null without one, or with more than one. */
export function readCookie(config: Where, header: string | undefined): string | null {
  const mark = `${nameOf(config)}=`;
  const found = (header ?? '')
    .split(';')
    .flatMap((part) => (part.trim().startsWith(mark) ? [part.trim().slice(mark.length)] : []));
  const [token] = found;
  return found.length === 1 && token !== undefined && /^[\w-]{43}$/.test(token) ? token : null;
}

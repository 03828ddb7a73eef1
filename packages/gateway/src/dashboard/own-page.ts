import type { MiddlewareHandler } from 'hono';
import type { Config } from '../config.ts';
import type { Env } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';

/**
 * Set by the dashboard's script; a form cannot set it, and scripts of other origins are not allowed
 * to.
 */
export const OWN_HEADER = 'X-Dashboard';

const SAFE = new Set(['GET', 'HEAD']);

/**
 * Accepts requests of the dashboard's own page only. `SameSite` keeps other sites out, but not
 * other ports of the same host (a shop beside the gateway). So each request is checked: the
 * browser's fetch metadata and, for a write, the origin and a header.
 * @throws ServiceError `PermissionDenied`
 */
export function fromOwnPage({ gatewayUrl }: Pick<Config, 'gatewayUrl'>): MiddlewareHandler<Env> {
  return async (c, next) => {
    const site = c.req.header('sec-fetch-site');
    // `none` is a typed address: reading is allowed.
    const safe = SAFE.has(c.req.method);
    if (site !== undefined && site !== 'same-origin' && !(safe && site === 'none')) throw refused();
    if (
      !safe &&
      !(isOwn(c.req.header('origin'), c.req.url, gatewayUrl) && c.req.header(OWN_HEADER) === '1')
    )
      throw refused();
    await next();
  };
}

/**
 * Behind a proxy that ends TLS the request has another scheme, so the configured address counts
 * too.
 */
function isOwn(origin: string | undefined, requested: string, gatewayUrl: string | null): boolean {
  if (origin === undefined) return false;
  return (
    origin === new URL(requested).origin ||
    (gatewayUrl !== null && origin === new URL(gatewayUrl).origin)
  );
}

function refused(): ServiceError {
  return new ServiceError(
    'PermissionDenied',
    'This may only be asked by the dashboard’s own page, opened at the address of the gateway.',
  );
}

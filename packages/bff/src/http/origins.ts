import type { Context } from 'hono';
import { isHttpUrl } from '@crypto-checkout/protocol/schema/setting';
import { createOnceFilter } from './log-once.ts';
import { HttpError } from './http-error.ts';

export interface OriginOptions {
  publicUrl: string;
  /** Origins of shop pages that embed the element. */
  embedOrigins: readonly string[];
  /** Called once per foreign origin: browsers do not show the reason to its pages. */
  onForeign?: (origin: string) => void;
  now: () => number;
}

const EXPOSED = 'ETag, Date, Retry-After, Checkout-Claim, Checkout-Version';
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'content-type, if-none-match, last-event-id, prefer',
  'access-control-max-age': '7200',
};

/**
 * Decides by the `Origin` header which pages may call the checkout endpoints. Requests of other
 * origins never have credentials.
 */
export function createOrigins({ publicUrl, embedOrigins, onForeign, now }: OriginOptions) {
  const own = new URL(publicUrl).origin;
  const allowed = new Set(embedOrigins);
  const isNew = createOnceFilter(now);
  /** Reports foreign origins of preflights and of reads: without CORS headers both fail. */
  const reportForeign = (c: Context): void => {
    const origin = c.req.header('origin');
    if (onForeign === undefined || origin === undefined || origin === own || allowed.has(origin))
      return;
    if (isListable(origin) && !isSameOrigin(c) && isNew(origin)) onForeign(origin);
  };
  /** Origin of the requesting page, if it is our own or listed. */
  const pageOf = (c: Context): string | null => {
    const origin = c.req.header('origin');
    return origin !== undefined && (origin === own || allowed.has(origin) || isSameOrigin(c))
      ? origin
      : null;
  };

  return {
    /** CORS headers of the checkout endpoints, whose answers no cache may store. */
    headers(c: Context): Record<string, string> {
      const origin = c.req.header('origin');
      reportForeign(c);
      if (origin === undefined || !allowed.has(origin)) return {};
      return {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': EXPOSED,
      };
    },

    preflight(c: Context): Response {
      reportForeign(c);
      const origin = c.req.header('origin');
      const isAllowed = origin !== undefined && allowed.has(origin);
      return c.body(null, 204, {
        vary: 'Origin',
        ...(isAllowed && { 'access-control-allow-origin': origin, ...PREFLIGHT }),
      });
    },

    pageOf,

    /**
     * @throws HttpError 403 for a write from a foreign page; callers other than browsers send no
     * origin
     */
    requireKnown(c: Context): void {
      if (c.req.header('origin') !== undefined && pageOf(c) === null)
        throw new HttpError(
          403,
          'PermissionDenied',
          'This page may not use the checkout; list its origin in EMBED_ORIGINS.',
        );
    },

    requireOwnForm: (c: Context) => requireOwnForm(c, own),
  };
}

export type Origins = ReturnType<typeof createOrigins>;

/**
 * Accepts forms only from our own pages. A page with `Referrer-Policy: no-referrer` sends
 * `Origin: null`, so `Sec-Fetch-Site` decides where browsers send it: on https and on
 * localhost.
 * @throws HttpError 403
 */
function requireOwnForm(c: Context, own: string): void {
  const origin = c.req.header('origin');
  const isOwn =
    origin === undefined || origin === own || (origin === 'null' && own.startsWith('http:'));
  if (!(c.req.header('sec-fetch-site') === undefined ? isOwn : isSameOrigin(c)))
    throw new HttpError(403, 'PermissionDenied', 'Forms are accepted from our own pages only.');
}

/** Set by the browser; scripts cannot change it. */
function isSameOrigin(c: Context): boolean {
  return c.req.header('sec-fetch-site') === 'same-origin';
}

/**
 * Whether EMBED_ORIGINS could list it, or it is the origin of a local file. Nothing else is logged.
 */
function isListable(origin: string): boolean {
  return origin === 'null' || (isHttpUrl(origin) && new URL(origin).origin === origin);
}

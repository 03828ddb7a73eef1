import type { Context } from 'hono';
import { Refusal } from './refusal.ts';

export interface OriginOptions {
  publicUrl: string;
  /** Origins of shop pages that hold the element. */
  embedOrigins: readonly string[];
  /** Hears of each foreign origin once: browsers show their pages nothing of the reason. */
  onForeign?: (origin: string) => void;
}

/** Origins that are told of, at most: anybody can name any. */
const MAX_FOREIGN = 100;

const EXPOSED = 'ETag, Date, Retry-After';

/** Which pages may call the checkout endpoints, by the `Origin` header. Never with credentials: there are none. */
export function createOrigins({ publicUrl, embedOrigins, onForeign }: OriginOptions) {
  const own = new URL(publicUrl).origin;
  const allowed = new Set(embedOrigins);
  const foreign = new Set<string>();
  const meet = (origin: string | undefined): void => {
    if (origin === undefined || origin === own || allowed.has(origin) || foreign.has(origin) || foreign.size >= MAX_FOREIGN) return;
    foreign.add(origin);
    onForeign?.(origin);
  };

  return {
    /** Headers for answers to checkout endpoints; set before the handler answers. */
    headers(c: Context): Record<string, string> {
      const origin = c.req.header('origin');
      if (origin === undefined || !allowed.has(origin)) return { vary: 'Origin' };
      return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' };
    },

    preflight(c: Context): Response {
      const origin = c.req.header('origin');
      meet(origin);
      const headers: Record<string, string> = { vary: 'Origin' };
      if (origin !== undefined && allowed.has(origin)) {
        headers['access-control-allow-origin'] = origin;
        headers['access-control-allow-methods'] = 'GET, POST';
        headers['access-control-allow-headers'] = 'content-type, if-none-match, last-event-id';
        headers['access-control-max-age'] = '7200';
      }
      return c.body(null, 204, headers);
    },

    /** Origin of the page that asks, when it is our own or one that the operator lists. */
    pageOf(c: Context): string | null {
      const origin = c.req.header('origin');
      return origin !== undefined && (origin === own || allowed.has(origin) || isSameOrigin(c)) ? origin : null;
    },

    /** @throws Refusal 403 when a page of another origin writes; callers that are not browsers send no origin */
    requireKnown(c: Context): void {
      const origin = c.req.header('origin');
      if (origin !== undefined && origin !== own && !allowed.has(origin) && !isSameOrigin(c))
        throw new Refusal(403, 'PermissionDenied', 'This page may not use the checkout; the operator lists its origin in EMBED_ORIGINS.');
    },

    /**
     * Forms of our own pages only. A page with `Referrer-Policy: no-referrer` sends `Origin: null`, so `Sec-Fetch-Site` decides
     * where the browser sends it; it does on https and on localhost.
     * @throws Refusal 403
     */
    requireOwnForm(c: Context): void {
      const origin = c.req.header('origin');
      const silent = c.req.header('sec-fetch-site') === undefined;
      const plain = origin === undefined || origin === own || (origin === 'null' && own.startsWith('http:'));
      if (!(silent ? plain : isSameOrigin(c))) throw new Refusal(403, 'PermissionDenied', 'Forms are accepted from our own pages only.');
    },
  };
}

export type Origins = ReturnType<typeof createOrigins>;

/** The browser's own word; a script can't set it. */
function isSameOrigin(c: Context): boolean {
  return c.req.header('sec-fetch-site') === 'same-origin';
}

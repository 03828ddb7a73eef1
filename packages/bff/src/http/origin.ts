import type { Context } from 'hono';
import { isHttp } from './address.ts';
import { createOnce } from './once.ts';
import { Refusal } from './refusal.ts';

export interface OriginOptions {
  publicUrl: string;
  /** Origins of shop pages that hold the element. */
  embedOrigins: readonly string[];
  /** Hears of each foreign origin once: browsers show their pages nothing of the reason. */
  onForeign?: (origin: string) => void;
  now: () => number;
}

const EXPOSED = 'ETag, Date, Retry-After';

/** Which pages may call the checkout endpoints, by the `Origin` header. Never with credentials: there are none. */
export function createOrigins({ publicUrl, embedOrigins, onForeign, now }: OriginOptions) {
  const own = new URL(publicUrl).origin;
  const allowed = new Set(embedOrigins);
  const isNews = createOnce(now);
  /** Whoever asks or only reads: without our headers neither gets anything to see. */
  const meet = (c: Context): void => {
    const origin = c.req.header('origin');
    if (onForeign === undefined || origin === undefined || origin === own || allowed.has(origin)) return;
    if (isListable(origin) && !isSameOrigin(c) && isNews(origin)) onForeign(origin);
  };

  return {
    /** Headers for answers to checkout endpoints; set before the handler answers. */
    headers(c: Context): Record<string, string> {
      const origin = c.req.header('origin');
      meet(c);
      if (origin === undefined || !allowed.has(origin)) return { vary: 'Origin' };
      return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' };
    },

    preflight(c: Context): Response {
      const origin = c.req.header('origin');
      meet(c);
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

/** One that EMBED_ORIGINS could list, or that of a page which was opened as a file. Nothing else goes into a log. */
function isListable(origin: string): boolean {
  return origin === 'null' || (isHttp(origin) && new URL(origin).origin === origin);
}

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Hono, type Context as HonoContext } from 'hono';
import type { Context } from '../context.ts';
import type { Env } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';
import type { DeclaredRoute } from '../http/routing.ts';
import { describeService } from './document.ts';
import { PAGE_POLICY, renderReference } from './page.ts';

/**
 * Serves the description for programs (`/openapi.json`) and people (`/reference/`), unsigned, built
 * on first use.
 * @param declared every route of the app
 */
export function routes({ config }: Context, declared: () => readonly DeclaredRoute[]): Hono<Env> {
  const app = new Hono<Env>();
  const document = once(() => describeService(declared(), config.gatewayUrl));
  const json = once(() => tagged(JSON.stringify(document())));
  const page = once(() => tagged(renderReference(document())));

  app.get('/openapi.json', (c) =>
    answer(c, json(), { 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*' }),
  );

  app.get('/reference/', (c) =>
    answer(c, page(), {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': PAGE_POLICY,
    }),
  );

  // Redirects a browser at the service's root to the reference; programs get a 404.
  app.get('/', (c) => {
    if (!/text\/html/.test(c.req.header('accept') ?? ''))
      throw new ServiceError('NotFound', 'There is nothing at this path.');
    return c.body(null, 302, { Location: 'reference/' });
  });

  return app;
}

interface Tagged {
  text: string;
  gzip: Uint8Array<ArrayBuffer>;
  etag: string;
}

function tagged(text: string): Tagged {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  // Weak: it names the text in every coding.
  return { text, gzip: Uint8Array.from(gzipSync(text)), etag: `W/"${digest}"` };
}

function answer(
  c: HonoContext<Env>,
  { text, gzip, etag }: Tagged,
  headers: Record<string, string>,
): Response {
  const all = {
    ETag: etag,
    'Cache-Control': 'public, max-age=300',
    Vary: 'Accept-Encoding',
    ...headers,
  };
  const tags = (c.req.header('if-none-match') ?? '').split(',').map((tag) => tag.trim());
  // RFC 9110, section 13.1.2: compared weakly; `*` matches everything that exists.
  const opaque = etag.replace('W/', '');
  const known = tags.some((tag) => tag.replace(/^W\//, '') === opaque) || tags.join() === '*';
  if (known) return c.body(null, 304, all);
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(c.req.header('accept-encoding') ?? '')
    ? c.body(gzip, 200, { ...all, 'Content-Encoding': 'gzip' })
    : c.body(text, 200, all);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

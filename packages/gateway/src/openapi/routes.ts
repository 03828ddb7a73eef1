import { createHash } from 'node:crypto';
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
  etag: string;
}

function tagged(text: string): Tagged {
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}

function answer(
  c: HonoContext<Env>,
  { text, etag }: Tagged,
  headers: Record<string, string>,
): Response {
  const all = { ETag: etag, 'Cache-Control': 'public, max-age=300', ...headers };
  const known = (c.req.header('if-none-match') ?? '')
    .split(',')
    .some((tag) => tag.trim().replace(/^W\//, '') === etag);
  return known ? c.body(null, 304, all) : c.body(text, 200, all);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

import { type Context as HonoContext, Hono } from 'hono';
import type { Env } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';
import { type BuiltDashboard, type BuiltFile, builtFolder, readDashboard } from './files.ts';

/**
 * Own files only, no inline style or script, no framing; Lit creates the only Trusted Types policy.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), clipboard-read=()',
  'X-Robots-Tag': 'noindex',
  Vary: 'Accept-Encoding',
};

/** The first path parts that the page's router handles. */
const VIEWS = new Set([
  'sign-in',
  'invoices',
  'transactions',
  'payouts',
  'refunds',
  'balances',
  'rules',
  'callbacks',
  'test',
]);

/**
 * Serves the page and its files. They are the same for everybody and hold no data, so they need no
 * session.
 * @param find returns the build's folder; asked again until there is one
 */
export function pageRoutes(find: () => string | null = builtFolder): Hono<Env> {
  const app = new Hono<Env>();
  let built: BuiltDashboard | null = null;
  const read = (): BuiltDashboard | null => {
    const folder = built === null ? find() : null;
    return (built ??= folder === null ? null : readDashboard(folder));
  };

  const page = (c: HonoContext<Env>, known: boolean): Response => {
    const dashboard = read();
    if (!dashboard)
      return c.text(
        'The dashboard is not built: run `npm run build`, then open this page again.\n',
        503,
        HEADERS,
      );
    return send(c, dashboard.page, 'no-store', known ? 200 : 404);
  };

  app.get('/dashboard/', (c) => page(c, true));

  // File names contain a content hash, so they never expire.
  app.get('/dashboard/files/:name/', (c) => {
    const file = read()?.files.get(c.req.param('name'));
    if (!file) throw new ServiceError('NotFound', 'There is no such file.');
    return send(c, file, 'public, max-age=31536000, immutable', 200);
  });

  app.get('/dashboard/:view/', (c) => page(c, VIEWS.has(c.req.param('view'))));

  app.get('/dashboard/:view/:id/', (c) => {
    const view = c.req.param('view');
    if (view === 'api') throw new ServiceError('NotFound', 'There is nothing at this path.');
    return page(c, VIEWS.has(view));
  });

  return app;
}

function send(
  c: HonoContext<Env>,
  { type, body, brotli }: BuiltFile,
  cache: string,
  status: 200 | 404,
): Response {
  const compressed = brotli !== null && /\bbr\b/.test(c.req.header('accept-encoding') ?? '');
  const headers = { ...HEADERS, 'Content-Type': type, 'Cache-Control': cache };
  return c.body(
    compressed ? brotli : body,
    status,
    compressed ? { ...headers, 'Content-Encoding': 'br' } : headers,
  );
}

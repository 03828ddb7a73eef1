import type { Hono } from 'hono';
import { acceptsBrotli } from '../page/files.ts';
import type { Parts } from '../parts.ts';

/** Checked again after five minutes: shops have this address in their pages, and it follows the version that is built. */
const ALIAS_SECONDS = 300;

/** The script tag that users of this interface have today, at the address at which they expect it. */
export function scriptRoutes(app: Hono, { options, headers }: Parts): void {
  const { elements } = options;
  const name: unknown = elements && (elements.manifest as { sdk?: unknown }).sdk;
  const file = typeof name === 'string' ? elements?.files.get(name) : undefined;
  if (!file) return;
  app.get('/static/js/sdk2.js', (c) => {
    const brotli = file.brotli !== null && acceptsBrotli(c.req.header('accept-encoding')) ? file.brotli : null;
    return new Response(brotli ?? file.body, {
      headers: {
        ...headers.script,
        'content-type': file.type,
        'cache-control': `public, max-age=${ALIAS_SECONDS}`,
        vary: 'Accept-Encoding',
        ...(brotli && { 'content-encoding': 'br' }),
      },
    });
  });
}

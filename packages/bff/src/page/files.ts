import type { Hono } from 'hono';
import { notFound } from '../http/refusal.ts';
import type { ElementFile } from '../options.ts';
import type { Parts } from '../parts.ts';

/** The floating alias is checked again after five minutes; every other address never changes what it holds. */
const ALIAS_SECONDS = 300;
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The scripts: for every origin, and compressed when they were built. */
export function fileRoutes(app: Hono, { options, headers }: Parts): void {
  const { elements } = options;
  if (!elements) return;
  const { manifest, files } = elements;

  const send = (file: ElementFile, cache: string, accepted: string | undefined): Response => {
    const brotli = file.brotli && acceptsBrotli(accepted);
    return new Response(brotli ? file.brotli : file.body, {
      headers: {
        ...headers.script,
        'content-type': file.type,
        'cache-control': cache,
        vary: 'Accept-Encoding',
        ...(brotli && { 'content-encoding': 'br' }),
      },
    });
  };

  app.get('/elements/:version/:file', (c) => {
    const file = c.req.param('version') === manifest.version ? files.get(c.req.param('file')) : undefined;
    if (!file) throw notFound();
    return send(file, IMMUTABLE, c.req.header('accept-encoding'));
  });
  // A name for the newest script, in one line that is right as a module and as a classic script: all that it needs lies beside that one.
  if (files.has(manifest.embed))
    app.get('/crypto-checkout.js', () => {
      const headersOfAlias = {
        ...headers.script,
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': `public, max-age=${ALIAS_SECONDS}`,
      };
      return new Response(`import('./elements/${manifest.version}/${manifest.embed}');\n`, { headers: headersOfAlias });
    });
}

/** Whether `Accept-Encoding` names brotli without refusing it. */
export function acceptsBrotli(accepted: string | undefined): boolean {
  const br = accepted?.split(',').find((coding) => coding.split(';', 1)[0]?.trim().toLowerCase() === 'br');
  return br !== undefined && !/;\s*q=0(?:\.0*)?\s*$/i.test(br);
}

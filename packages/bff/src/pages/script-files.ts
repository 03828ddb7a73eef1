import type { Context, Hono } from 'hono';
import { codedFile } from '../http/content-coding.ts';
import { matchesEntityTag } from '../http/entity-tag.ts';
import type { Services } from '../services.ts';

/**
 * URLs without a version point to the current build, and are revalidated after five minutes. All
 * others are immutable.
 */
const ALIAS_SECONDS = 300;
const IMMUTABLE = 'max-age=31536000, immutable';

/** Serves the scripts to every origin, compressed at build time or at start. */
export function scriptRoutes(app: Hono, { options, headers, metrics }: Services): void {
  const { elements } = options;
  if (!elements) return;
  const { manifest, files } = elements;

  const headersOf = (name: string, type: string): Record<string, string> => {
    if (name.endsWith('.mjs')) return headers.module;
    return type.startsWith('text/javascript') ? headers.script : headers.file;
  };

  const send = (name: string, cache: string, accepted: string | undefined): Response | null => {
    const file = files.get(name);
    if (!file) return null;
    const { body, headers: coding } = codedFile(file, accepted);
    return new Response(body, {
      headers: {
        ...headersOf(name, file.type),
        'content-type': file.type,
        'cache-control': cache,
        vary: 'Accept-Encoding',
        ...coding,
      },
    });
  };

  // With CORS headers, so that a wrong URL is reported as 404 and not as a CORS error.
  const missing = (): Response => {
    metrics.count('bff_refusals_total{status="404"}');
    const text = `Unknown file. The scripts of this server have version ${manifest.version}: /elements/${manifest.version}/${manifest.embed}\n`;
    return new Response(text, { status: 404, headers: { ...headers.plain, ...headers.script } });
  };

  app.get('/elements/:version/:file', (c) => {
    const { version, file } = c.req.param();
    const isCurrent = version === manifest.version;
    return (isCurrent && send(file, IMMUTABLE, c.req.header('accept-encoding'))) || missing();
  });
  app.get('/elements/*', missing);
  const alias = `public, max-age=${ALIAS_SECONDS}`;
  // The name of the newest script. One line works as a module and as a classic script; all other
  // files are relative to the script that it imports.
  const etag = `W/"${manifest.version}"`;
  const isKnown = (c: Context): boolean =>
    matchesEntityTag(c.req.header('if-none-match'), etag.slice(2));
  const unchanged = (): Response =>
    new Response(null, { status: 304, headers: { 'cache-control': alias, etag } });
  if (files.has(manifest.embed))
    app.get('/crypto-checkout.js', (c) => {
      if (isKnown(c)) return unchanged();
      const own = {
        ...headers.script,
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': alias,
        etag,
      };
      const path = `./elements/${manifest.version}/${manifest.embed}`;
      const line = `import(document.currentScript?.src ? new URL('${path}', document.currentScript.src).href : '${path}');\n`;
      return new Response(line, { headers: own });
    });
  // The URL of the script tag of existing integrations.
  const { sdk } = manifest as { sdk?: unknown };
  if (typeof sdk === 'string' && files.has(sdk))
    app.get('/static/js/sdk2.js', (c) => {
      if (isKnown(c)) return unchanged();
      const answer = send(sdk, alias, c.req.header('accept-encoding'))!;
      answer.headers.set('etag', etag);
      return answer;
    });
}

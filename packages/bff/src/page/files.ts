import type { Hono } from 'hono';
import type { ElementFile } from '../options.ts';
import type { Parts } from '../parts.ts';

/** Addresses without a version follow the one that is built, and are checked again after five minutes; no other changes what it holds. */
const ALIAS_SECONDS = 300;
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The scripts: for every origin, and compressed when they were built. */
export function fileRoutes(app: Hono, { options, headers, metrics }: Parts): void {
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

  // For every origin as well: a browser would speak of CORS otherwise, and an address that is wrong looks like an origin that is not let in.
  const missing = (): Response => {
    metrics.count('bff_refusals_total{status="404"}');
    const text = `There is no such file. The scripts here are of version ${manifest.version}: /elements/${manifest.version}/${manifest.embed}\n`;
    return new Response(text, { status: 404, headers: { ...headers.plain, ...headers.script } });
  };

  app.get('/elements/:version/:file', (c) => {
    const file = c.req.param('version') === manifest.version ? files.get(c.req.param('file')) : undefined;
    return file ? send(file, IMMUTABLE, c.req.header('accept-encoding')) : missing();
  });
  app.get('/elements/*', missing);
  const alias = `public, max-age=${ALIAS_SECONDS}`;
  // A name for the newest script, in one line that is right as a module and as a classic script, which has no address of its own when it
  // comes from another origin: all that it needs lies beside that one.
  if (files.has(manifest.embed))
    app.get('/crypto-checkout.js', () => {
      const own = { ...headers.script, 'content-type': 'text/javascript; charset=utf-8', 'cache-control': alias };
      const path = `./elements/${manifest.version}/${manifest.embed}`;
      const line = `import(document.currentScript?.src ? new URL('${path}', document.currentScript.src).href : '${path}');\n`;
      return new Response(line, { headers: own });
    });
  // The script tag that users of this interface have today, at the address at which they expect it.
  const { sdk } = manifest as { sdk?: unknown };
  const file = typeof sdk === 'string' ? files.get(sdk) : undefined;
  if (file) app.get('/static/js/sdk2.js', (c) => send(file, alias, c.req.header('accept-encoding')));
}

/** Whether `Accept-Encoding` names brotli without refusing it. */
export function acceptsBrotli(accepted: string | undefined): boolean {
  const br = accepted?.split(',').find((coding) => coding.split(';', 1)[0]?.trim().toLowerCase() === 'br');
  return br !== undefined && !/;\s*q=0(?:\.0*)?\s*$/i.test(br);
}

import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Live } from '../checkout/book.ts';
import { standingOf } from '../checkout/standing.ts';
import { qrOf, stringsOf } from '../checkout/strings.ts';
import { check, mediaType, readJson, readText, wrongType } from '../http/body.ts';
import { spend } from '../http/limits.ts';
import { Refusal, invalid, notFound, unavailable } from '../http/refusal.ts';
import { invoiceIdOf } from '../order/identity.ts';
import type { Parts } from '../parts.ts';
import { createQrPng, qrSvg, qrText } from './qr.ts';
import { type StatusBytes, isStillPublic } from './status.ts';

const MAX_BODY = 4096;
const MAX_LNURL_ANSWER = 64 * 1024;
const LNURL_TIMEOUT_MS = 8000;
const Asked = z.object({ id: z.string().max(64) });

/** What everybody may read who knows an invoice's id. */
export function publicRoutes(app: Hono, parts: Parts, bytes: StatusBytes): void {
  const { limits, addressOf, now, book, desk, screen, headers } = parts;

  const statusOf = async (id: string): Promise<Uint8Array<ArrayBuffer>> => {
    const { live, invoiceId } = await findInvoice(parts, id);
    await desk.freshen(live);
    const answer = bytes.of(live, invoiceId, screen.serverTime());
    if (!answer) throw notFound();
    return answer;
  };

  // Everything that is known already is answered without waiting for anything; see also `quick`.
  app.get('/sdk/v1/invoices/status', (c): Response | Promise<Response> => {
    spend(limits.read, addressOf(c), now());
    const id = invoiceIdOf(c.req.query('id') ?? '');
    const live = id === null ? undefined : book.peekInvoice(id);
    const ready = id !== null && live && desk.isFresh(live) ? bytes.of(live, id, screen.serverTime()) : null;
    if (ready) return c.body(ready, 200, headers.publicJson);
    return statusOf(requireId(id)).then((answer) => c.body(answer, 200, headers.publicJson));
  });

  app.post('/sdk/v1/invoices/status', async (c) => {
    spend(limits.read, addressOf(c), now());
    return c.body(await statusOf(requireId(invoiceIdOf(await postedId(c)))), 200, headers.publicJson);
  });

  const png = parts.options.host?.png ? createQrPng(parts.options.host.png) : null;
  app.get('/sdk/v1/invoices/qr/:id', async (c) => {
    spend(limits.read, addressOf(c), now());
    const { live, invoiceId } = await findInvoice(parts, c.req.param('id'));
    await desk.freshen(live);
    const text = qrTextOf(parts, live, invoiceId, c);
    const svg = !png || wantsSvg(c);
    const vary = { vary: 'Accept' };
    if (svg) return c.body(qrSvg(text), 200, { ...headers.image, ...vary, 'content-type': 'image/svg+xml' });
    return c.body(png(text), 200, { ...headers.image, ...vary, 'content-type': 'image/png' });
  });

  app.get('/lnurl/*', async (c) => {
    spend(limits.read, addressOf(c), now());
    return handThrough(c, parts);
  });
}

async function findInvoice({ resolver }: Parts, id: string): Promise<{ live: Live; invoiceId: string }> {
  const invoiceId = invoiceIdOf(id);
  const found = invoiceId && (await resolver.invoice(invoiceId));
  if (!found) throw notFound();
  return found;
}

function requireId(id: string | null): string {
  if (id === null) throw invalid('id', 'An invoice id is needed.');
  return id;
}

async function postedId(c: Context): Promise<string> {
  const query = c.req.query('id');
  if (query !== undefined) return query;
  const type = mediaType(c);
  if (type === 'application/json') return (await readJson(c, Asked, MAX_BODY)).id;
  if (type === 'application/x-www-form-urlencoded')
    return check(Asked, Object.fromEntries(new URLSearchParams(await readText(c, MAX_BODY)))).id;
  throw wrongType('application/json or application/x-www-form-urlencoded');
}

function qrTextOf({ screen, profile }: Parts, live: Live, invoiceId: string, c: Context): string {
  const serverTime = screen.serverTime();
  const invoice = live.record.invoices.find(({ id }) => id === invoiceId);
  if (!invoice || !isStillPublic(invoice, serverTime)) throw notFound();
  const standing = standingOf(live.record, { serverTime, profile: profile.peek() });
  const strings = stringsOf(invoice, standing.payments[invoice.id]?.remaining ?? null);
  const on = (name: string): boolean => ['1', 'true'].includes(c.req.query(name) ?? '');
  const text = strings && qrText(strings, { addressOnly: on('address_only'), full: on('full') });
  if (!text || qrOf(text).size === 0) throw notFound();
  return text;
}

function wantsSvg(c: Context): boolean {
  const format = c.req.query('format');
  if (format !== undefined) return format === 'svg';
  const accept = c.req.header('accept') ?? '';
  // A browser's <img> takes both, and lists its favourites first.
  return /image\/svg\+xml/.test(accept) && !/image\/(?:png|\*)|\*\/\*/.test(accept);
}

/** LUD-06: wallets ask the public address, the service answers. Only its JSON comes through, and no redirect is followed. */
async function handThrough(c: Context, { options, headers, request, log }: Parts): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  const path = pathname.slice(pathname.indexOf('/lnurl/'));
  if (!/^\/lnurl(?:\/[\w-]{1,128}){1,6}\/?$/.test(path) || search.length > 2048) throw notFound();
  try {
    const answer = await request(`${options.serviceUrl.replace(/\/+$/, '')}${path}${search}`, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(LNURL_TIMEOUT_MS),
    });
    const text = await answer.text();
    if (answer.status >= 500 || text.length > MAX_LNURL_ANSWER) throw unavailable();
    const status = answer.status === 404 ? 404 : answer.status === 429 ? 429 : answer.ok ? 200 : 400;
    return c.body(JSON.stringify(JSON.parse(text)), status, headers.publicJson);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    log.warn({ error }, 'the service did not answer an LNURL request');
    throw unavailable(error);
  }
}

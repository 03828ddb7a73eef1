import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { LoadedCheckout } from '../checkouts/repository/checkout-repository.ts';
import { checkoutState } from '../checkouts/checkout-state.ts';
import { cachedQr, invoicePaymentStrings } from '../checkouts/presenter/payment-strings.ts';
import { validate, mediaType, readJson, readText, unsupportedMediaType } from '../http/body.ts';
import { spend } from '../http/rate-limits.ts';
import { HttpError, invalid, notFound, unavailable } from '../http/http-error.ts';
import { invoiceIdOf } from '../orders/ids.ts';
import type { Services } from '../services.ts';
import { createQrPng, qrSvg, qrText } from './qr-image.ts';
import { type StatusCache, isStillPublic } from './status-cache.ts';

const MAX_BODY = 4096;
const MAX_ANSWER = 64 * 1024;
const TIMEOUT_MS = 8000;
const StatusRequest = z.object({ id: z.string().max(64) });

/** The endpoints that are public for everyone with an invoice id. */
export function publicRoutes(app: Hono, services: Services, bytes: StatusCache): void {
  const { limits, addressOf, steady, repository, freshness, presenter, headers } = services;

  const statusOf = async (id: string): Promise<Uint8Array<ArrayBuffer>> => {
    const { checkout, invoiceId } = await findInvoice(services, id);
    await freshness.ensureFresh(checkout);
    const answer = bytes.get(checkout, invoiceId, presenter.serverTime());
    if (!answer) throw notFound();
    return answer;
  };

  // A fresh status is answered without any await; see also `status-fast-path.ts`.
  app.get('/sdk/v1/invoices/status', (c): Response | Promise<Response> => {
    spend(limits.read, addressOf(c), steady());
    const id = invoiceIdOf(c.req.query('id') ?? '');
    const checkout = id === null ? undefined : repository.peekByInvoice(id);
    const ready =
      id !== null && checkout && freshness.isFresh(checkout)
        ? bytes.get(checkout, id, presenter.serverTime())
        : null;
    if (ready) return c.body(ready, 200, headers.publicJson);
    return statusOf(requireId(id)).then((answer) => c.body(answer, 200, headers.publicJson));
  });

  app.post('/sdk/v1/invoices/status', async (c) => {
    spend(limits.read, addressOf(c), steady());
    return c.body(
      await statusOf(requireId(invoiceIdOf(await postedId(c)))),
      200,
      headers.publicJson,
    );
  });

  const png = services.options.host?.png ? createQrPng(services.options.host.png) : null;
  app.get('/sdk/v1/invoices/qr/:id', async (c) => {
    spend(limits.read, addressOf(c), steady());
    const { checkout, invoiceId } = await findInvoice(services, c.req.param('id'));
    await freshness.ensureFresh(checkout);
    const text = qrTextOf(services, checkout, invoiceId, c);
    const svg = !png || wantsSvg(c);
    const vary = { vary: 'Accept' };
    if (svg)
      return c.body(qrSvg(text), 200, {
        ...headers.image,
        ...vary,
        'content-type': 'image/svg+xml',
      });
    return c.body(png(text), 200, { ...headers.image, ...vary, 'content-type': 'image/png' });
  });

  app.get('/lnurl/*', async (c) => {
    spend(limits.read, addressOf(c), steady());
    const { pathname, search } = new URL(c.req.url);
    const path = pathname.slice(pathname.indexOf('/lnurl/'));
    if (!/^\/lnurl(?:\/[\w-]{1,128}){1,6}\/?$/.test(path) || search.length > 2048) throw notFound();
    return proxyToService(c, services, path + search);
  });

  // The keys that verify receipts. A page pins its own, and never takes them from here.
  app.get('/.well-known/crypto-checkout-keys/:file', async (c) => {
    spend(limits.read, addressOf(c), steady());
    const file = c.req.param('file');
    if (!/^[\da-f-]{36}\.json$/.test(file)) throw notFound();
    return proxyToService(c, services, `/.well-known/crypto-checkout-keys/${file}`);
  });
}

async function findInvoice(
  { resolver }: Services,
  id: string,
): Promise<{ checkout: LoadedCheckout; invoiceId: string }> {
  const invoiceId = invoiceIdOf(id);
  const found = invoiceId && (await resolver.resolveInvoice(invoiceId));
  if (!found) throw new HttpError(404, 'NotFound', 'There is no invoice with this id.');
  return found;
}

function requireId(id: string | null): string {
  if (id === null)
    throw invalid(
      'id',
      'id must be the id of an invoice, such as payment.invoice_id of a checkout; a checkout itself is at /checkouts/{id}.',
    );
  return id;
}

async function postedId(c: Context): Promise<string> {
  const query = c.req.query('id');
  if (query !== undefined) return query;
  const type = mediaType(c);
  if (type === 'application/json') return (await readJson(c, StatusRequest, MAX_BODY)).id;
  if (type === 'application/x-www-form-urlencoded')
    return validate(
      StatusRequest,
      Object.fromEntries(new URLSearchParams(await readText(c, MAX_BODY))),
    ).id;
  throw unsupportedMediaType('application/json or application/x-www-form-urlencoded');
}

function qrTextOf(
  { presenter, profile }: Services,
  checkout: LoadedCheckout,
  invoiceId: string,
  c: Context,
): string {
  const serverTime = presenter.serverTime();
  const invoice = checkout.record.invoices.find(({ id }) => id === invoiceId);
  if (!invoice || !isStillPublic(invoice, serverTime)) throw notFound();
  const state = checkoutState(checkout.record, { serverTime, profile: profile.peek() });
  const strings = invoicePaymentStrings(invoice, state.payments[invoice.id]?.remaining ?? null);
  const isOn = (name: string): boolean => ['1', 'true'].includes(c.req.query(name) ?? '');
  const text =
    strings && qrText(strings, { addressOnly: isOn('address_only'), full: isOn('full') });
  if (!text || cachedQr(text).size === 0) throw notFound();
  return text;
}

function wantsSvg(c: Context): boolean {
  const format = c.req.query('format');
  if (format !== undefined) return format === 'svg';
  const accept = c.req.header('accept') ?? '';
  // An <img> of a browser accepts both, its preferred types first.
  return /image\/svg\+xml/.test(accept) && !/image\/(?:png|\*)|\*\/\*/.test(accept);
}

/**
 * Forwards a public request to the service. Only JSON is returned, and
 * redirects are not followed.
 */
async function proxyToService(
  c: Context,
  { options, headers, request, log }: Services,
  path: string,
): Promise<Response> {
  try {
    const answer = await request(`${options.serviceUrl.replace(/\/+$/, '')}${path}`, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answer.text();
    if (answer.status >= 500 || text.length > MAX_ANSWER) throw unavailable();
    const status =
      answer.status === 404 ? 404 : answer.status === 429 ? 429 : answer.ok ? 200 : 400;
    return c.body(JSON.stringify(JSON.parse(text)), status, headers.publicJson);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    log.warn(
      { event: 'public_request_failed', error, path },
      'a public request to the service failed',
    );
    throw unavailable(error);
  }
}

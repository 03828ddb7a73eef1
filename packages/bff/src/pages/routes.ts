import { type Page, isTerminal } from '@crypto-checkout/page';
import type { Context, Hono } from 'hono';
import { storeRequestedSuccessUrl } from '../checkouts/routes.ts';
import type { ResolvedCheckout } from '../checkouts/checkout-resolver.ts';
import { hasExpired, displayedInvoice } from '../checkouts/displayed-invoice.ts';
import { mediaType } from '../http/body.ts';
import { spend } from '../http/rate-limits.ts';
import { HttpError, notFound } from '../http/http-error.ts';
import { successLink } from '../orders/success-link.ts';
import type { Services } from '../services.ts';
import { isPrefetch } from './prefetch.ts';
import { VARY, readerOf, sendPage, sendText } from './send.ts';

type Place = 'pay' | 'invoice' | 'frame';

/**
 * The hosted page: for a checkout, for an invoice by its public id, and for the frame in a shop's
 * page.
 */
export function pageRoutes(app: Hono, services: Services, page: Page): void {
  const { options, limits, addressOf, steady, resolver, freshness, presenter } = services;
  const basePath = new URL(options.publicUrl).pathname.replace(/\/$/, '');

  const show = async (c: Context, target: ResolvedCheckout, place: Place): Promise<Response> => {
    await storeRequestedSuccessUrl(services, target.checkout, c.req.query('success_url'));
    await Promise.all([freshness.ensureFresh(target.checkout), freshness.loadProfileAndRates()]);
    const request = {
      checkout: presenter.present(target).view,
      acceptLanguage: c.req.header('accept-language') ?? null,
      lang: c.req.query('lang') ?? null,
      show: c.req.query('show') ?? null,
      basePath,
      path: `/${place}/${target.invoiceId ?? target.checkout.id}/`,
      publicUrl: options.publicUrl,
      successUrl: null,
      secure: options.publicUrl.startsWith('https:'),
      // A browser that shows the page says so; it needs no tags for previews.
      preview: c.req.header('sec-fetch-mode') !== 'navigate',
      frame:
        place === 'frame'
          ? { origins: options.embedOrigins ?? [], theme: c.req.query('theme') ?? null }
          : null,
    };
    if (place !== 'frame' && readerOf(c) === 'text') {
      const colours =
        isTerminal(c.req.header('user-agent') ?? null) &&
        !/text\/plain/i.test(c.req.header('accept') ?? '');
      return sendText(services, page.renderText({ ...request, colours }), 200);
    }
    return sendPage(c, services, page.render(request), 200);
  };

  app.get('/pay/:id', async (c) => {
    if (readerOf(c) === 'json') return sendJsonView(app, c, c.req.param('id'));
    spend(limits.read, addressOf(c), steady());
    return show(c, await resolver.resolve(c.req.param('id')), 'pay');
  });

  app.get('/invoice/:id', async (c) => {
    spend(limits.read, addressOf(c), steady());
    const target = await requireInvoice(services, c.req.param('id'));
    return readerOf(c) === 'json'
      ? sendJsonView(app, c, target.invoiceId ?? '')
      : show(c, target, 'invoice');
  });

  app.get('/frame/:id', async (c) => {
    spend(limits.read, addressOf(c), steady());
    return show(c, await resolver.resolve(c.req.param('id')), 'frame');
  });

  renewRoute(app, services, basePath);
}

/**
 * By the interface, opening this URL requests a new price. Only a person may do so, and only after
 * expiry.
 */
function renewRoute(app: Hono, services: Services, basePath: string): void {
  const { limits, addressOf, steady, freshness, presenter, invoices, headers } = services;
  app.get('/invoice/:id/renew', async (c) => {
    spend(limits.read, addressOf(c), steady());
    const target = await requireInvoice(services, c.req.param('id'));
    await freshness.ensureFresh(target.checkout);
    const invoice = displayedInvoice(
      target.checkout.record,
      target.invoiceId,
      presenter.serverTime(),
    );
    if (
      invoice &&
      hasExpired(invoice, presenter.serverTime()) &&
      c.req.raw.method === 'GET' &&
      !isPrefetch(c.req.raw.headers)
    ) {
      spend(limits.write, addressOf(c), steady());
      // The page shows why a renewal is not possible.
      await invoices
        .renew(target.checkout, target.invoiceId, { extend: false })
        .catch(ignoreRefusal);
    }
    const query = new URL(c.req.url).search;
    return c.body(null, 303, {
      ...headers.redirect,
      location: `${basePath}/invoice/${target.invoiceId}/${query}`,
    });
  });
}

/** The JSON at a payment link is the response of the checkout's own endpoint. */
async function sendJsonView(app: Hono, c: Context, id: string): Promise<Response> {
  const { search } = new URL(c.req.url);
  const { method, headers } = c.req.raw;
  const url = new URL(`/checkouts/${encodeURIComponent(id)}${search}`, c.req.url);
  const answer = await app.fetch(new Request(url, { method, headers }), c.env);
  const headersWithVary = new Headers(answer.headers);
  headersWithVary.append('vary', VARY);
  return new Response(answer.body, { status: answer.status, headers: headersWithVary });
}

async function requireInvoice({ resolver }: Services, id: string): Promise<ResolvedCheckout> {
  const target = await resolver.resolve(id);
  if (target.invoiceId === null) throw notFound();
  return target;
}

/** Whether an error is shown to a person: on a page, or after a form from a page or a terminal. */
export function wantsErrorPage(c: Context): boolean {
  const isPage = /\/(?:pay|invoice|frame)\//.test(c.req.path) || formOf(c) !== null;
  return isPage && (readerOf(c) === 'text' || /text\/html/.test(c.req.header('accept') ?? ''));
}

/** The form request and the checkout id of its path; null for a form that opens a checkout. */
function formOf(c: Context): { id: string | null } | null {
  if (c.req.method !== 'POST' || mediaType(c) !== 'application/x-www-form-urlencoded') return null;
  // A shop's server sends its secret; no form of a page does.
  if (c.req.header('authorization') !== undefined) return null;
  const address = /\/checkouts(?:\/([\w-]{1,64})\/(?:payment|renew|refund))?\/?$/.exec(c.req.path);
  return address && { id: address[1] ?? null };
}

/** Sends an error as a page or a text of one sentence. */
export function sendErrorPage(
  c: Context,
  services: Services,
  page: Page,
  refusal: HttpError,
): Response {
  const form = formOf(c);
  const framed =
    c.req.path.includes('/frame/') ||
    (form !== null && c.req.header('sec-fetch-dest') === 'iframe');
  const asText = !framed && readerOf(c) === 'text';
  const language = {
    acceptLanguage: c.req.header('accept-language') ?? null,
    lang: c.req.query('lang') ?? null,
  };
  // The link text is the URL, which needs no translation.
  const id = form?.id ?? null;
  const back =
    id !== null && refusal.status !== 404
      ? `${services.options.publicUrl}/${framed ? 'frame' : 'pay'}/${id}/`
      : null;
  const message = page.renderMessage({
    status: refusal.status,
    ...language,
    shop: { url: shopOf(c, services), contact: services.options.supportUrl ?? null },
    ...(back !== null && !asText && { link: { href: back, text: back } }),
    secure: services.options.publicUrl.startsWith('https:'),
    frameAncestors: framed ? (services.options.embedOrigins ?? []) : [],
  });
  const more = { ...message, headers: { ...message.headers, ...refusal.headers } };
  if (!asText) return sendPage(c, services, more, refusal.status);
  // A person who writes the form by hand needs the reason.
  const text =
    back !== null && refusal.status < 500
      ? `${message.text}\n${refusal.message}\n${back}\n`
      : message.text;
  const { 'content-language': own = 'en' } = message.headers;
  return sendText(services, { text, language: own, headers: refusal.headers }, refusal.status);
}

/** The front page of the shop, if only one is possible: an unknown order has none of its own. */
function shopOf(
  c: Context,
  { options: { successOrigins = [], embedOrigins = [] } }: Services,
): string | null {
  const requested = successLink(c.req.query('success_url'), 'query', {
    successOrigins,
    checkoutId: '',
  });
  const origins = requested
    ? [new URL(requested).origin]
    : [...new Set([...successOrigins, ...embedOrigins])];
  return origins.length === 1 ? `${origins[0]}/` : null;
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof HttpError) || error.status >= 500) throw error;
}

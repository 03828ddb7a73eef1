import { type Page, isTerminal } from '@crypto-checkout/page';
import type { Context, Hono } from 'hono';
import { remember } from '../checkout/routes.ts';
import type { Resolved } from '../checkout/resolver.ts';
import { hasExpired, shownInvoice } from '../checkout/shown.ts';
import { mediaType } from '../http/body.ts';
import { spend } from '../http/limits.ts';
import { Refusal, notFound } from '../http/refusal.ts';
import { successLink } from '../order/success-link.ts';
import type { Parts } from '../parts.ts';
import { isLookedAhead } from './prefetch.ts';
import { VARY, readerOf, sendPage, sendText } from './send.ts';

type Place = 'pay' | 'invoice' | 'frame';

/** The hosted page: for a checkout, for an invoice by its public address, and for our own frame in a shop's page. */
export function pageRoutes(app: Hono, parts: Parts, page: Page): void {
  const { options, limits, addressOf, now, resolver, desk, screen, payments, headers } = parts;
  const basePath = new URL(options.publicUrl).pathname.replace(/\/$/, '');

  const show = async (c: Context, look: Resolved, place: Place): Promise<Response> => {
    await remember(parts, look.live, c.req.query('success_url'));
    await Promise.all([desk.freshen(look.live), desk.prepare()]);
    const request = {
      checkout: screen.show(look).view,
      acceptLanguage: c.req.header('accept-language') ?? null,
      lang: c.req.query('lang') ?? null,
      show: c.req.query('show') ?? null,
      basePath,
      path: `/${place}/${look.invoiceId ?? look.live.id}/`,
      publicUrl: options.publicUrl,
      successUrl: null,
      secure: options.publicUrl.startsWith('https:'),
      frame: place === 'frame' ? { origins: options.embedOrigins ?? [], theme: c.req.query('theme') ?? null } : null,
    };
    if (place !== 'frame' && readerOf(c) === 'text') {
      const colours = isTerminal(c.req.header('user-agent') ?? null) && !/text\/plain/i.test(c.req.header('accept') ?? '');
      return sendText(parts, page.renderText({ ...request, colours }), 200);
    }
    return sendPage(c, parts, page.render(request), 200);
  };

  app.get('/pay/:id', async (c) => {
    if (readerOf(c) === 'json') return viewOf(app, c, c.req.param('id'));
    spend(limits.read, addressOf(c), now());
    return show(c, await resolver.resolve(c.req.param('id')), 'pay');
  });

  app.get('/invoice/:id', async (c) => {
    spend(limits.read, addressOf(c), now());
    const look = await requireInvoice(parts, c.req.param('id'));
    return readerOf(c) === 'json' ? viewOf(app, c, look.invoiceId ?? '') : show(c, look, 'invoice');
  });

  app.get('/frame/:id', async (c) => {
    spend(limits.read, addressOf(c), now());
    return show(c, await resolver.resolve(c.req.param('id')), 'frame');
  });

  // Opening this address asks for a new price, as the interface says; only a person may, and only when the old one ran out.
  app.get('/invoice/:id/renew', async (c) => {
    spend(limits.read, addressOf(c), now());
    const look = await requireInvoice(parts, c.req.param('id'));
    await desk.freshen(look.live);
    const invoice = shownInvoice(look.live.record, look.invoiceId, screen.serverTime());
    if (invoice && hasExpired(invoice, screen.serverTime()) && c.req.raw.method === 'GET' && !isLookedAhead(c.req.raw.headers)) {
      spend(limits.write, addressOf(c), now());
      // What does not let it be renewed is on the page.
      await payments.renew(look.live, look.invoiceId, { extend: false }).catch(ignoreRefusal);
    }
    const query = new URL(c.req.url).search;
    return c.body(null, 303, { ...headers.redirect, location: `${basePath}/invoice/${look.invoiceId}/${query}` });
  });
}

/** What a program reads at a payment link: the very answer of the checkout's own address. */
async function viewOf(app: Hono, c: Context, id: string): Promise<Response> {
  const { search } = new URL(c.req.url);
  const { method, headers } = c.req.raw;
  const url = new URL(`/checkouts/${encodeURIComponent(id)}${search}`, c.req.url);
  const answer = await app.fetch(new Request(url, { method, headers }), c.env);
  const own = new Headers(answer.headers);
  own.append('vary', VARY);
  return new Response(answer.body, { status: answer.status, headers: own });
}

async function requireInvoice({ resolver }: Parts, id: string): Promise<Resolved> {
  const look = await resolver.resolve(id);
  if (look.invoiceId === null) throw notFound();
  return look;
}

/** Whether what goes wrong at this address is told to a person: at a page, or after a form that a page or a terminal has sent. */
export function isForPeople(c: Context): boolean {
  const isPage = /\/(?:pay|invoice|frame)\//.test(c.req.path) || formOf(c) !== null;
  return isPage && (readerOf(c) === 'text' || /text\/html/.test(c.req.header('accept') ?? ''));
}

/** A form, and the checkout in its address: none yet where one opens it. */
function formOf(c: Context): { id: string | null } | null {
  if (c.req.method !== 'POST' || mediaType(c) !== 'application/x-www-form-urlencoded') return null;
  const address = /\/checkouts(?:\/([\w-]{1,64})\/(?:payment|renew))?\/?$/.exec(c.req.path);
  return address && { id: address[1] ?? null };
}

/** A page, or a text, of one sentence, for what cannot be shown. */
export function sendMessage(c: Context, parts: Parts, page: Page, refusal: Refusal): Response {
  const form = formOf(c);
  const framed = c.req.path.includes('/frame/') || (form !== null && c.req.header('sec-fetch-dest') === 'iframe');
  const asText = !framed && readerOf(c) === 'text';
  const language = { acceptLanguage: c.req.header('accept-language') ?? null, lang: c.req.query('lang') ?? null };
  // An address reads the same in every language.
  const id = form?.id ?? null;
  const back = id !== null && refusal.status !== 404 ? `${parts.options.publicUrl}/${framed ? 'frame' : 'pay'}/${id}/` : null;
  const message = page.renderMessage({
    status: refusal.status,
    ...language,
    shop: { url: shopOf(c, parts), contact: parts.options.supportUrl ?? null },
    ...(back !== null && !asText && { link: { href: back, text: back } }),
    secure: parts.options.publicUrl.startsWith('https:'),
    frameAncestors: framed ? (parts.options.embedOrigins ?? []) : [],
  });
  const more = { ...message, headers: { ...message.headers, ...refusal.headers } };
  if (!asText) return sendPage(c, parts, more, refusal.status);
  // Whoever types a form by hand reads what is wrong with it.
  const text = back !== null && refusal.status < 500 ? `${message.text}\n${refusal.message}\n${back}\n` : message.text;
  const { 'content-language': own = 'en' } = message.headers;
  return sendText(parts, { text, language: own, headers: refusal.headers }, refusal.status);
}

/** The front page of the shop, where only one can be meant: an order that nobody knows has none of its own. */
function shopOf(c: Context, { options: { successOrigins = [], embedOrigins = [] } }: Parts): string | null {
  const wish = successLink(c.req.query('success_url'), 'query', { successOrigins, checkoutId: '' });
  const origins = wish ? [new URL(wish).origin] : [...new Set([...successOrigins, ...embedOrigins])];
  return origins.length === 1 ? `${origins[0]}/` : null;
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refusal) || error.status >= 500) throw error;
}

import { isFinalStage, PAYMENT_SOURCES } from '@crypto-checkout/protocol/checkout';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { check, mediaType, readJson, readText, wrongType } from '../http/body.ts';
import { requireTrust, spend } from '../http/limits.ts';
import { Refusal, unavailable } from '../http/refusal.ts';
import { readRequest } from '../order/request.ts';
import { successLink } from '../order/success-link.ts';
import type { Parts } from '../parts.ts';
import { requireStream, sendEvents } from './event-stream.ts';
import type { Resolved } from './resolver.ts';

const MAX_BODY = 32 * 1024;
/** All that a form may open a checkout with: what the shop has signed. */
const SignedOrder = z.object({ order: z.string().optional() });
const Wish = z.object({ success_url: z.string().max(2048).optional() });
const Choice = z.object({ kind: z.string().min(1).max(64), from: z.enum(PAYMENT_SOURCES).optional() });
const Renewal = z.object({ extend: z.boolean().default(false) });

/** The endpoints that the element talks to. */
export function checkoutRoutes(app: Hono, parts: Parts): void {
  const { limits, origins, addressOf, now, resolver, opener, payments, desk, screen, headers } = parts;

  const answer = (c: Context, look: Resolved, status: 200 | 201): Response => {
    const { view, etag } = screen.show(look);
    const own = { ...headers.json, ...origins.headers(c), etag, date: new Date(screen.serverTime()).toUTCString() };
    if (status === 200 && c.req.method === 'GET' && c.req.header('if-none-match') === etag) return c.body(null, 304, own);
    return c.body(JSON.stringify(view), status, own);
  };

  app.options('/checkouts', origins.preflight);
  app.options('/checkouts/*', origins.preflight);

  app.post('/checkouts', async (c) => {
    const form = isForm(c);
    // What the shop has signed may come from any page: a form is how one sends it that has no scripts.
    if (!form) origins.requireKnown(c);
    // Any page can make its visitors send forms: they keep nobody from opening checkouts otherwise.
    const address = form ? `form ${addressOf(c)}` : addressOf(c);
    requireTrust(limits.failure, address, now());
    spend(limits.write, address, now());
    const body = form ? check(SignedOrder, await readForm(c)) : await readJson(c, z.looseObject({}), MAX_BODY);
    const request = readRequest(body);
    try {
      const live = await opener.open(request, bearer(c), origins.pageOf(c));
      await remember(parts, live, check(Wish, body).success_url);
      await desk.prepare();
      if (!parts.profile.peek()) throw unavailable();
      if (form) return backToPage(c, parts, { live, invoiceId: null });
      c.header('location', `${parts.options.publicUrl}/pay/${live.id}/`);
      return answer(c, { live, invoiceId: null }, 201);
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) limits.failure.take(address, now());
      throw error;
    }
  });

  app.get('/checkouts/:id', async (c) => {
    spend(limits.read, addressOf(c), now());
    const look = await resolver.resolve(c.req.param('id'));
    await remember(parts, look.live, c.req.query('success_url'));
    await Promise.all([desk.freshen(look.live), desk.prepare()]);
    return answer(c, look, 200);
  });

  app.get('/checkouts/:id/events', async (c) => {
    const address = addressOf(c);
    spend(limits.read, address, now());
    requireStream(parts, address);
    const look = await resolver.resolve(c.req.param('id'));
    await Promise.all([desk.freshen(look.live), desk.prepare()]);
    const { view } = screen.show(look);
    // Nothing will follow: 204 tells a browser to stop coming back.
    if (isFinalStage(view.stage) && c.req.header('last-event-id') === String(view.version))
      return c.body(null, 204, { ...headers.empty, ...origins.headers(c) });
    return sendEvents(c, parts, look, address);
  });

  app.post('/checkouts/:id/payment', async (c) => {
    const form = isForm(c);
    const look = await admit(c, parts, form);
    const choice = check(Choice, form ? await readForm(c) : await readJson(c, z.looseObject({}), MAX_BODY));
    await payments.choose(look.live, choice, look.invoiceId);
    return form ? backToPage(c, parts, look) : answer(c, look, 200);
  });

  app.post('/checkouts/:id/renew', async (c) => {
    const form = isForm(c);
    const look = await admit(c, parts, form);
    const renewal = check(Renewal, form ? await readExtend(c) : await readRenewal(c));
    await payments.renew(look.live, look.invoiceId, renewal);
    return form ? backToPage(c, parts, look) : answer(c, look, 200);
  });
}

/** What both ways of changing a payment begin with. Forms are our own pages' only; scripts are also the shops'. */
async function admit(c: Context, { origins, limits, addressOf, now, resolver }: Parts, form: boolean): Promise<Resolved> {
  if (form) origins.requireOwnForm(c);
  else origins.requireKnown(c);
  spend(limits.write, addressOf(c), now());
  return resolver.resolve(c.req.param('id') ?? '');
}

/** Keeps a success link that somebody asked for, when its origin is one that the operator lists and the order has none of its own. */
export async function remember({ book, options, onLostWish }: Parts, live: Resolved['live'], link: string | undefined): Promise<void> {
  const links = { successOrigins: options.successOrigins ?? [], checkoutId: live.id };
  const { wish, terms } = live.record;
  if (!link || link === wish || successLink(terms.success_url, terms.source, links)) return;
  if (!successLink(link, 'query', links)) return onLostWish(link);
  await book.change(live, (record) => (record.wish === link ? record : { ...record, wish: link }));
}

/** Where the form was: a page that may not be framed must not be the answer inside a frame. */
function pagePath(c: Context, { live, invoiceId }: Resolved): string {
  if (c.req.header('sec-fetch-dest') === 'iframe') return `/frame/${invoiceId ?? live.id}/`;
  return invoiceId === null ? `/pay/${live.id}/` : `/invoice/${invoiceId}/`;
}

/** 303: the browser asks for the page with GET, and a reload repeats nothing. It stays in the language that the visitor chose. */
function backToPage(c: Context, { options, headers }: Parts, look: Resolved): Response {
  const lang = c.req.query('lang');
  const query = lang && /^[a-z\d-]{1,35}$/i.test(lang) ? `?lang=${lang}` : '';
  return c.body(null, 303, {
    ...headers.redirect,
    location: `${new URL(options.publicUrl).pathname.replace(/\/$/, '')}${pagePath(c, look)}${query}`,
  });
}

function bearer(c: Context): string | null {
  const header = c.req.header('authorization');
  if (header === undefined) return null;
  const token = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(header)?.[1];
  if (token === undefined) throw new Refusal(401, 'InvalidApiKey', "Authorization must be Bearer and the shop's secret.");
  return token;
}

const isForm = (c: Context): boolean => mediaType(c) === 'application/x-www-form-urlencoded';

async function readForm(c: Context): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(await readText(c, MAX_BODY)));
}

async function readExtend(c: Context): Promise<{ extend: boolean }> {
  return { extend: (await readForm(c))['extend'] === 'true' };
}

/** A renewal needs no body. */
async function readRenewal(c: Context): Promise<unknown> {
  if (mediaType(c) === 'application/json') return readJson(c, z.looseObject({}), MAX_BODY);
  if (mediaType(c) !== '' || (await readText(c, MAX_BODY)) !== '') throw wrongType('application/json');
  return {};
}

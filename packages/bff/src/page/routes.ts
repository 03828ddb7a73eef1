import type { Page } from '@crypto-checkout/page';
import type { Context, Hono } from 'hono';
import { remember } from '../checkout/routes.ts';
import type { Resolved } from '../checkout/resolver.ts';
import { hasExpired, shownInvoice } from '../checkout/view.ts';
import { spend } from '../http/limits.ts';
import { Refusal, notFound } from '../http/refusal.ts';
import type { Parts } from '../parts.ts';
import { acceptsBrotli } from './files.ts';
import { isLookedAhead } from './prefetch.ts';

/** The hosted page: for a checkout, and for an invoice by its public address. */
export function pageRoutes(app: Hono, parts: Parts, page: Page): void {
  const { options, limits, addressOf, now, resolver, desk, screen, payments } = parts;
  const basePath = new URL(options.publicUrl).pathname.replace(/\/$/, '');

  const show = async (c: Context, look: Resolved): Promise<Response> => {
    await remember(parts, look.live, c.req.query('success_url'));
    await Promise.all([desk.freshen(look.live), desk.prepare()]);
    const { html, headers } = page.render({
      checkout: screen.show(look).view,
      acceptLanguage: c.req.header('accept-language') ?? null,
      lang: c.req.query('lang') ?? null,
      basePath,
      publicUrl: options.publicUrl,
      successUrl: null,
      secure: options.publicUrl.startsWith('https:'),
    });
    return sendPage(c, parts, html, headers, 200);
  };

  app.get('/pay/:id', async (c) => {
    spend(limits.read, addressOf(c), now());
    return show(c, await resolver.resolve(c.req.param('id')));
  });

  app.get('/invoice/:id', async (c) => {
    spend(limits.read, addressOf(c), now());
    return show(c, await requireInvoice(parts, c.req.param('id')));
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
    return c.body(null, 303, { location: `${basePath}/invoice/${look.invoiceId}/${query}`, 'cache-control': 'no-store' });
  });
}

async function requireInvoice({ resolver }: Parts, id: string): Promise<Resolved> {
  const look = await resolver.resolve(id);
  if (look.invoiceId === null) throw notFound();
  return look;
}

/** A page of one sentence, for what cannot be shown. */
export function sendMessage(c: Context, parts: Parts, page: Page, refusal: Refusal): Response {
  const { html, headers } = page.renderMessage({
    status: refusal.status,
    acceptLanguage: c.req.header('accept-language') ?? null,
    lang: c.req.query('lang') ?? null,
    secure: parts.options.publicUrl.startsWith('https:'),
  });
  return sendPage(c, parts, html, { ...headers, ...refusal.headers }, refusal.status);
}

function sendPage(c: Context, { options }: Parts, html: string, headers: Record<string, string>, status: number): Response {
  const brotli = acceptsBrotli(c.req.header('accept-encoding')) ? options.host?.brotli : undefined;
  return new Response(brotli ? brotli(html) : html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...headers,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding, Accept-Language',
      ...(brotli && { 'content-encoding': 'br' }),
    },
  });
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refusal) || error.status >= 500) throw error;
}

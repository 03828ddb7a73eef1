import type { Page } from '@crypto-checkout/page';
import type { Hono } from 'hono';
import { sendPage } from './send.ts';
import type { Services } from '../services.ts';
import { notFound } from '../http/http-error.ts';

/**
 * The page at the root of the server, for browsers only: a short description and a link to the
 * shop.
 */
export function frontPageRoute(app: Hono, services: Services, page: Page): void {
  const { merchantName, publicUrl, embedOrigins = [] } = services.options;
  const [shop] = embedOrigins;
  const message = page.renderMessage({
    status: 200,
    title: `Payments for ${merchantName ?? new URL(publicUrl).hostname}`,
    text: `Each payment has a page of its own here; its address comes from the shop. For the shop's pages, ${publicUrl}/crypto-checkout.js draws the checkout.`,
    ...(shop !== undefined && { link: { href: shop, text: 'To the shop' } }),
    lang: 'en',
    secure: publicUrl.startsWith('https:'),
  });
  app.get('/', (c) => {
    if (!/text\/html/.test(c.req.header('accept') ?? '')) throw notFound();
    return sendPage(c, services, message, 200);
  });
}

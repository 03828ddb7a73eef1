import type { Page } from '@crypto-checkout/page';
import type { Hono } from 'hono';
import { sendPage } from '../page/send.ts';
import type { Parts } from '../parts.ts';
import { notFound } from './refusal.ts';

/** Who opens the server's own address with a browser reads what is here; payments have addresses of their own. */
export function frontRoute(app: Hono, parts: Parts, page: Page): void {
  const { merchantName, publicUrl, embedOrigins = [] } = parts.options;
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
    return sendPage(c, parts, message, 200);
  });
}

import type { Page } from '@crypto-checkout/page';
import type { Context, Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import { z } from 'zod';
import type { ResolvedCheckout } from '../checkouts/checkout-resolver.ts';
import { readForm } from '../checkouts/form-request.ts';
import { mailsReceipts } from '../checkouts/presenter/view.ts';
import { validate } from '../http/body.ts';
import { isMailAddress } from '../http/mail-address.ts';
import { spend } from '../http/rate-limits.ts';
import { createReceiptLimits } from '../receipts/mail-limits.ts';
import { mailReceipt } from '../receipts/mail.ts';
import { claimsOf, nameOf, receiptOf, requestFor } from '../receipts/signed-receipt.ts';
import { notFound } from '../http/http-error.ts';
import { isStillPublic } from '../public/status-cache.ts';
import type { Services } from '../services.ts';
import { VARY, readerOf, sendPage } from './send.ts';

const SENT_COOKIE = 'receipt_sent';
/** Time in which a reload still says that the receipt was sent. */
const SENT_S = 600;

/**
 * The signed receipt of a paid order as page, JSON or file: by the checkout's link for ever, by an
 * invoice's id as long as its other facts are public.
 */
export function receiptRoutes(app: Hono, services: Services, page: Page): void {
  const { limits, addressOf, steady, resolver } = services;
  const send = async (c: Context, target: ResolvedCheckout): Promise<Response> => {
    requirePublic(services, target);
    return show(c, services, page, target);
  };

  app.get('/pay/:id/receipt', async (c) => {
    spend(limits.write, addressOf(c), steady());
    return send(c, await resolver.resolve(c.req.param('id')));
  });

  const limitsOfMail = createReceiptLimits(services);
  app.post('/pay/:id/receipt', async (c) => {
    services.origins.requireOwnForm(c);
    spend(limits.write, addressOf(c), steady());
    const target = await resolver.resolve(c.req.param('id'));
    const { email } = validate(MailFields, await readForm(c));
    await mailReceipt(c, services, page, { target, email, limits: limitsOfMail });
    // A reload must not send it again.
    const lang = c.req.query('lang');
    const query = new URLSearchParams({ ...(lang && { lang }), mailed: '1' });
    return c.body(null, 303, {
      ...services.headers.redirect,
      location: `?${query.toString()}`,
      'set-cookie': sentCookie(target.checkout.id, services),
    });
  });

  app.get('/invoice/:id/receipt', async (c) => {
    spend(limits.write, addressOf(c), steady());
    const target = await resolver.resolve(c.req.param('id'));
    if (target.invoiceId === null) throw notFound();
    return send(c, target);
  });
}

/** An invoice's id, in any path, shows its facts for a limited time. */
function requirePublic({ presenter }: Services, { checkout, invoiceId }: ResolvedCheckout): void {
  if (invoiceId === null) return;
  const invoice = checkout.record.invoices.find(({ id }) => id === invoiceId);
  if (!invoice || !isStillPublic(invoice, presenter.serverTime())) throw notFound();
}

async function show(
  c: Context,
  services: Services,
  page: Page,
  target: ResolvedCheckout,
): Promise<Response> {
  const { headers } = services;
  const receipt = await receiptOf(services, target);
  const claims = claimsOf(receipt);
  const format = formatOf(c);
  const vary = { vary: VARY };
  const name = nameOf(claims);
  if (format === 'jws')
    return c.body(receipt, 200, {
      ...headers.plain,
      ...vary,
      'content-type': 'application/jose',
      'content-disposition': `attachment; filename="${name}.jws"`,
    });
  if (format === 'json')
    return c.body(JSON.stringify({ receipt, claims }), 200, { ...headers.json, ...vary });
  const rendered = page.renderReceipt({
    ...requestFor(c, services, claims),
    files: [
      { href: '?format=jws', name: `${name}.jws` },
      { href: '?format=json', name: `${name}.json` },
    ],
    mail: isMailed(c, target) ? 'sent' : canMail(services, target) ? 'form' : null,
  });
  return sendPage(c, services, rendered, 200);
}

/** An invoice's id, which others may have, sends no e-mail. */
const canMail = ({ options }: Services, { checkout, invoiceId }: ResolvedCheckout): boolean =>
  invoiceId === null && mailsReceipts(checkout.record, options);

/** Whether this is the page after the form. A link, which may be shared, does not make it. */
const isMailed = (c: Context, { checkout }: ResolvedCheckout): boolean =>
  c.req.query('mailed') === '1' && getCookie(c, SENT_COOKIE) === checkout.id;

/** Marks the browser that had the receipt sent, on this page and for a short time. */
function sentCookie(id: string, { options: { publicUrl } }: Services): string {
  const { pathname, protocol } = new URL(publicUrl);
  const path = `${pathname.replace(/\/$/, '')}/pay/${id}/receipt`;
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${SENT_COOKIE}=${id}; Path=${path}; Max-Age=${SENT_S}; HttpOnly; SameSite=Lax${secure}`;
}

const MailFields = z.object({
  email: z.string().trim().refine(isMailAddress, 'must be one e-mail address'),
});

type Format = 'page' | 'json' | 'jws';

/** A link can name the format; otherwise `Accept` does. A terminal gets the file. */
function formatOf(c: Context): Format {
  const named = c.req.query('format');
  if (named === 'jws' || named === 'json') return named;
  if (/^\s*application\/jose\b/i.test(c.req.header('accept') ?? '')) return 'jws';
  const reader = readerOf(c);
  return reader === 'html' ? 'page' : reader === 'json' ? 'json' : 'jws';
}

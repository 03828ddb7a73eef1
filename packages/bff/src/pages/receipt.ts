import type { Page } from '@crypto-checkout/page';
import { isPaidStage } from '@crypto-checkout/protocol/checkout';
import { fromBase64Url } from '@crypto-checkout/protocol/bytes';
import { type Receipt, receiptClaims } from '@crypto-checkout/protocol/schema/receipt';
import type { Context, Hono } from 'hono';
import type { ResolvedCheckout } from '../checkouts/checkout-resolver.ts';
import { spend } from '../http/rate-limits.ts';
import { HttpError, notFound, unavailable } from '../http/http-error.ts';
import { isStillPublic } from '../public/status-cache.ts';
import type { Services } from '../services.ts';
import { VARY, readerOf, sendPage } from './send.ts';

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
  const { headers, options } = services;
  const receipt = await receiptOf(services, target);
  const claims = claimsOf(receipt);
  const format = formatOf(c);
  const vary = { vary: VARY };
  const name = `receipt-${(claims.order_id ?? claims.invoice_id).replaceAll(/[^\w.-]+/g, '-')}`;
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
    claims,
    merchantName: options.merchantName ?? new URL(options.publicUrl).hostname,
    files: [
      { href: '?format=jws', name: `${name}.jws` },
      { href: '?format=json', name: `${name}.json` },
    ],
    acceptLanguage: c.req.header('accept-language') ?? null,
    lang: c.req.query('lang') ?? null,
    secure: options.publicUrl.startsWith('https:'),
  });
  return sendPage(c, services, rendered, 200);
}

/** The receipt of the invoice that was paid last; it names the payments of the others. */
async function receiptOf(services: Services, target: ResolvedCheckout): Promise<string> {
  const { checkout, invoiceId } = target;
  await services.freshness.ensureFresh(checkout);
  const paid = checkout.record.invoices.filter(
    ({ id, status }) => isPaidStage(status) && (invoiceId === null || id === invoiceId),
  );
  const newest = paid.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))[0];
  const receipt = newest && (await services.service.receipt(newest.id));
  if (receipt) return receipt;
  throw new HttpError(409, 'InvalidState', 'There is a receipt once the order is paid.');
}

/** The claims as the service signed them; a reader verifies the signature with its own keys. */
function claimsOf(receipt: string): Receipt {
  const payload = fromBase64Url(receipt.split('.')[1] ?? '');
  try {
    return receiptClaims.parse(JSON.parse(new TextDecoder().decode(payload ?? undefined)));
  } catch (cause) {
    throw unavailable(cause);
  }
}

type Format = 'page' | 'json' | 'jws';

/** A link can name the format; otherwise `Accept` does. A terminal gets the file. */
function formatOf(c: Context): Format {
  const named = c.req.query('format');
  if (named === 'jws' || named === 'json') return named;
  if (/^\s*application\/jose\b/i.test(c.req.header('accept') ?? '')) return 'jws';
  const reader = readerOf(c);
  return reader === 'html' ? 'page' : reader === 'json' ? 'json' : 'jws';
}

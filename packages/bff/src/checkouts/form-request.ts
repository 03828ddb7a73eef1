import type { Context } from 'hono';
import { mediaType, readText } from '../http/body.ts';
import { spend } from '../http/rate-limits.ts';
import type { ResolvedCheckout } from './checkout-resolver.ts';
import type { CheckoutRouteServices } from './route-services.ts';

export const MAX_BODY = 32 * 1024;

export const isForm = (c: Context): boolean => mediaType(c) === 'application/x-www-form-urlencoded';

export async function readForm(c: Context): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(await readText(c, MAX_BODY)));
}

/**
 * The common checks of all write endpoints. Forms are accepted from our own pages only; scripts
 * also from shop pages.
 */
export async function resolveForWrite(
  c: Context,
  { origins, limits, addressOf, steady, resolver }: CheckoutRouteServices,
  isFormRequest: boolean,
): Promise<ResolvedCheckout> {
  if (isFormRequest) origins.requireOwnForm(c);
  else origins.requireKnown(c);
  spend(limits.write, addressOf(c), steady());
  return resolver.resolve(c.req.param('id') ?? '');
}

/** The page of the form: inside a frame the answer must be the page that allows framing. */
function pagePath(c: Context, { checkout, invoiceId }: ResolvedCheckout): string {
  if (c.req.header('sec-fetch-dest') === 'iframe') return `/frame/${invoiceId ?? checkout.id}/`;
  return invoiceId === null ? `/pay/${checkout.id}/` : `/invoice/${invoiceId}/`;
}

/**
 * 303: the browser requests the page with GET, and a reload repeats nothing. The page keeps its
 * language.
 */
export function backToPage(
  c: Context,
  { options, headers }: Pick<CheckoutRouteServices, 'options' | 'headers'>,
  target: ResolvedCheckout,
  more: Record<string, string> = {},
): Response {
  const lang = c.req.query('lang');
  const query = lang && /^[a-z\d-]{1,35}$/i.test(lang) ? `?lang=${lang}` : '';
  return c.body(null, 303, {
    ...headers.redirect,
    ...more,
    location: `${new URL(options.publicUrl).pathname.replace(/\/$/, '')}${pagePath(c, target)}${query}`,
  });
}

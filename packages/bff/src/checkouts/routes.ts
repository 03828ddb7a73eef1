import { isSettled, PAYMENT_SOURCES } from '@crypto-checkout/protocol/checkout';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { validate, mediaType, readJson, readText, unsupportedMediaType } from '../http/body.ts';
import { codedText } from '../http/content-coding.ts';
import { matchesEntityTag } from '../http/entity-tag.ts';
import { requireFewFailures, spend } from '../http/rate-limits.ts';
import { HttpError, unavailable } from '../http/http-error.ts';
import { parseOpenRequest } from '../orders/open-request.ts';
import { successLink } from '../orders/success-link.ts';
import { claimHeaders, isUnclaimed, takeClaim } from '../refunds/claim.ts';
import { backToPage, isForm, MAX_BODY, readForm, resolveForWrite } from './form-request.ts';
import type { CheckoutRouteServices } from './route-services.ts';
import { requireStreamQuota, sendEvents } from './event-stream.ts';
import type { ResolvedCheckout } from './checkout-resolver.ts';
import type { LoadedCheckout } from './repository/checkout-repository.ts';

/** A form may open a checkout only with a signed order. */
const SignedOrder = z.object({ order: z.string().optional() });
const SuccessUrlRequest = z.object({ success_url: z.string().max(2048).optional() });
const Choice = z.object({
  kind: z.string().min(1).max(64),
  from: z.enum(PAYMENT_SOURCES).optional(),
  /** One code for bitcoin and lightning; a form sends a text. */
  with_lightning: z.union([z.boolean(), z.literal('true').transform(() => true)]).default(false),
});
const Renewal = z.object({ extend: z.boolean().default(false) });

/** The endpoints of the element. */
export function checkoutRoutes(app: Hono, services: CheckoutRouteServices): void {
  const { origins } = services;
  app.options('/checkouts', origins.preflight);
  app.options('/checkouts/*', origins.preflight);
  openRoute(app, services);
  readRoutes(app, services);
  writeRoutes(app, services);
}

function openRoute(app: Hono, services: CheckoutRouteServices): void {
  const { limits, origins, addressOf, steady, opener, freshness } = services;
  app.post('/checkouts', async (c) => {
    // A server that sends the shop's secret forgot the content type: `curl -d` sends a form.
    if (isForm(c) && bearer(c) !== null) throw unsupportedMediaType('application/json');
    const isFormRequest = isForm(c);
    // A signed order may come from any page: a form opens it without scripts.
    if (!isFormRequest) origins.requireKnown(c);
    // Any page can make its visitors send forms: a separate limit keeps them from blocking other
    // requests of the address.
    const address = isFormRequest ? `form ${addressOf(c)}` : addressOf(c);
    requireFewFailures(limits.failure, address, steady());
    spend(limits.write, address, steady());
    const body = isFormRequest
      ? validate(SignedOrder, await readForm(c))
      : await readJson(c, z.looseObject({}), MAX_BODY);
    const request = parseOpenRequest(body);
    try {
      const { checkout, isBuyer } = await opener.open(request, bearer(c), origins.pageOf(c));
      await storeRequestedSuccessUrl(
        services,
        checkout,
        validate(SuccessUrlRequest, body).success_url,
      );
      await freshness.loadProfileAndRates();
      if (!services.profile.peek()) throw unavailable();
      const claim = isBuyer ? await claimHeaders(c, checkout.id, claimOptions(services)) : {};
      const target = { checkout, invoiceId: null };
      if (isFormRequest) return backToPage(c, services, target, claim);
      c.header('location', `${services.options.publicUrl}/pay/${checkout.id}/`);
      return sendView(c, services, target, 201, claim);
    } catch (error) {
      if (error instanceof HttpError && error.status === 401)
        limits.failure.take(address, steady());
      throw error;
    }
  });
}

function readRoutes(app: Hono, services: CheckoutRouteServices): void {
  const { limits, origins, addressOf, steady, resolver, freshness, presenter, headers } = services;
  app.get('/checkouts/:id', async (c) => {
    spend(limits.read, addressOf(c), steady());
    const target = await resolver.resolve(c.req.param('id'));
    await storeRequestedSuccessUrl(services, target.checkout, c.req.query('success_url'));
    await Promise.all([freshness.ensureFresh(target.checkout), freshness.loadProfileAndRates()]);
    return sendView(c, services, target, 200);
  });

  app.get('/checkouts/:id/events', async (c) => {
    const address = addressOf(c);
    spend(limits.read, address, steady());
    requireStreamQuota(services, address);
    const target = await resolver.resolve(c.req.param('id'));
    await Promise.all([freshness.ensureFresh(target.checkout), freshness.loadProfileAndRates()]);
    const { view } = presenter.present(target);
    // A final stage has no more changes: 204 ends reconnection.
    if (isSettled(view) && c.req.header('last-event-id') === String(view.version))
      return c.body(null, 204, { ...headers.empty, ...origins.headers(c) });
    return sendEvents(c, services, target, address);
  });
}

function writeRoutes(app: Hono, services: CheckoutRouteServices): void {
  const { invoices, repository } = services;
  app.post('/checkouts/:id/payment', async (c) => {
    const isFormRequest = isForm(c);
    const target = await resolveForWrite(c, services, isFormRequest);
    const choice = validate(
      Choice,
      isFormRequest ? await readForm(c) : await readJson(c, z.looseObject({}), MAX_BODY),
    );
    const mayClaim = isUnclaimed(target);
    const claimOnce = async (): Promise<Record<string, string>> =>
      mayClaim && (await takeClaim(repository, target.checkout))
        ? claimHeaders(c, target.checkout.id, claimOptions(services))
        : {};
    try {
      await invoices.choose(target.checkout, choice, target.invoiceId);
    } catch (error) {
      // An attempt with an unknown outcome is the first choice, too.
      if (error instanceof HttpError && target.checkout.record.attempts.length > 0)
        Object.assign(error.headers, await claimOnce());
      throw error;
    }
    const claim = await claimOnce();
    return isFormRequest
      ? backToPage(c, services, target, claim)
      : sendChange(c, services, target, claim);
  });

  app.post('/checkouts/:id/renew', async (c) => {
    const isFormRequest = isForm(c);
    const target = await resolveForWrite(c, services, isFormRequest);
    const renewal = validate(Renewal, isFormRequest ? await readExtend(c) : await readRenewal(c));
    await invoices.renew(target.checkout, target.invoiceId, renewal);
    return isFormRequest ? backToPage(c, services, target) : sendChange(c, services, target);
  });
}

const claimOptions = ({ options: { orderSecret, publicUrl }, hmac }: CheckoutRouteServices) => ({
  orderSecret,
  publicUrl,
  hmac,
});

function sendView(
  c: Context,
  { options, presenter, headers, origins }: CheckoutRouteServices,
  target: ResolvedCheckout,
  status: 200 | 201,
  more: Record<string, string> = {},
): Response {
  const { view, etag } = presenter.present(target);
  const own = {
    ...headers.json,
    ...origins.headers(c),
    vary: 'Origin, Accept-Encoding',
    etag,
    date: new Date(presenter.serverTime()).toUTCString(),
    ...more,
  };
  const reads = c.req.method === 'GET' || c.req.method === 'HEAD';
  if (reads && matchesEntityTag(c.req.header('if-none-match'), etag)) return c.body(null, 304, own);
  const accepted = c.req.header('accept-encoding');
  const { body, headers: coding } = codedText(JSON.stringify(view), options.host, accepted);
  // A strong tag would stand for the bytes of one coding.
  const tag = body instanceof Uint8Array ? { etag: `W/${etag}` } : {};
  return c.body(body, status, { ...own, ...tag, ...coding });
}

/**
 * Answers a change with the view; with its version alone where the client asks for a minimal answer
 * (RFC 7240) and an event stream delivers the view. A claim in a header needs the view beside it.
 */
function sendChange(
  c: Context,
  services: CheckoutRouteServices,
  target: ResolvedCheckout,
  claim: Record<string, string> = {},
): Response {
  const { headers, origins, presenter, streams } = services;
  const isMinimal =
    /\breturn=minimal\b/.test(c.req.header('prefer') ?? '') &&
    streams.watches(target.checkout) &&
    !('checkout-claim' in claim);
  if (!isMinimal) return sendView(c, services, target, 200, claim);
  return c.body(null, 204, {
    ...headers.empty,
    ...origins.headers(c),
    ...claim,
    'checkout-version': String(presenter.present(target).view.version),
  });
}

/** Stores a requested success URL if SUCCESS_ORIGINS lists its origin and the order has none. */
export async function storeRequestedSuccessUrl(
  { repository, options, onRejectedSuccessUrl }: CheckoutRouteServices,
  checkout: LoadedCheckout,
  link: string | undefined,
): Promise<void> {
  const links = { successOrigins: options.successOrigins ?? [], checkoutId: checkout.id };
  const { requested_success_url, terms } = checkout.record;
  if (
    !link ||
    link === requested_success_url ||
    successLink(terms.success_url, terms.source, links)
  )
    return;
  if (!successLink(link, 'query', links)) return onRejectedSuccessUrl(link);
  await repository.update(checkout, (record) =>
    record.requested_success_url === link ? record : { ...record, requested_success_url: link },
  );
}

function bearer(c: Context): string | null {
  const header = c.req.header('authorization');
  if (header === undefined) return null;
  const token = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(header)?.[1];
  if (token === undefined)
    throw new HttpError(
      401,
      'InvalidApiKey',
      "Authorization must be Bearer and the shop's secret.",
    );
  return token;
}

async function readExtend(c: Context): Promise<{ extend: boolean }> {
  return { extend: (await readForm(c))['extend'] === 'true' };
}

/** The body of a renewal is optional. */
async function readRenewal(c: Context): Promise<unknown> {
  if (mediaType(c) === 'application/json') return readJson(c, z.looseObject({}), MAX_BODY);
  if (mediaType(c) !== '' || (await readText(c, MAX_BODY)) !== '')
    throw unsupportedMediaType('application/json');
  return {};
}

import type { Page } from '@crypto-checkout/page';
import type { Checkout, CheckoutRefundable } from '@crypto-checkout/protocol/checkout';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import {
  backToPage,
  isForm,
  MAX_BODY,
  readForm,
  resolveForWrite,
} from '../checkouts/form-request.ts';
import type { ResolvedCheckout } from '../checkouts/checkout-resolver.ts';
import { readJson, validate } from '../http/body.ts';
import { HttpError } from '../http/http-error.ts';
import { spend } from '../http/rate-limits.ts';
import { sendPage } from '../pages/send.ts';
import type { Services } from '../services.ts';
import { type BuyerRefund, requestRefund, type ShownRefund } from './buyer-refund.ts';
import { claimInCookie } from './claim.ts';

/** A text area may hold the line breaks of a letter, which no address has. */
const pasted = z.string().transform((text) => text.replace(/\s+/g, ''));
const address = pasted.pipe(z.string().min(1).max(4096));
const transaction = z.string().min(1).max(256);
const RefundBody = z.object({
  transaction,
  address,
  tag: z.string().max(120).nullish(),
  order: z.string().max(8192).nullish(),
  claim: z.string().max(256).nullish(),
  expected_amount: z.string().max(64).nullish(),
  estimate: z.boolean().nullish(),
});
/** The entries of the page, which shows wrong ones again. */
const RefundFields = z.object({
  transaction,
  address: pasted.default(''),
  tag: z.string().trim().default(''),
  /** The entries and the amount that the page has shown to be right. */
  checked: z.string().default(''),
  /** Set by the button that leads back to the entries. */
  edit: z.string().optional(),
});
const ValidEntries = RefundBody.pick({ address: true, tag: true });

/** The buyer's request for money back (docs/shop/http-api.md), and its page. */
export function refundRoutes(app: Hono, services: Services, page: Page): void {
  const { headers, origins, limits, addressOf, steady, resolver } = services;
  app.post('/checkouts/:id/refund', async (c) => {
    const isFormRequest = isForm(c);
    const target = await resolveForWrite(c, services, isFormRequest);
    if (isFormRequest) return answerForm(c, services, page, target);
    const body = validate(RefundBody, await readJson(c, z.looseObject({}), MAX_BODY));
    const refund = await ask(services, target, {
      transaction: body.transaction,
      address: body.address,
      tag: body.tag ?? null,
      order: body.order ?? null,
      claim: body.claim ?? claimInCookie(c),
      expectedAmount: body.expected_amount ?? null,
      isEstimate: body.estimate === true,
    });
    return c.json({ refund }, 200, { ...headers.json, ...origins.headers(c) });
  });

  app.get('/pay/:id/refund', async (c) => {
    spend(limits.write, addressOf(c), steady());
    const target = await resolver.resolve(c.req.param('id'));
    await readAgain(services, target);
    return show(c, services, page, target, null);
  });
}

async function ask(
  services: Services,
  target: ResolvedCheckout,
  request: BuyerRefund,
): Promise<ShownRefund> {
  const { options, hmac, now, service, profile, freshness, presenter, reader, log } = services;
  const { checkout } = target;
  await Promise.all([freshness.ensureFresh(checkout), freshness.loadProfileAndRates()]);
  if (request.expectedAmount !== null) await requireSameAmount(services, target, request);
  const { orderSecret } = options;
  const asked = requestRefund(checkout.record, request, {
    service,
    profile: profile.peek(),
    serverTime: presenter.serverTime(),
    orderSecret,
    hmac,
    now: now(),
  });
  const refund = await asked.catch(async (error: unknown) => {
    // Another request came first, or the shop has decided: the page shows it at once.
    if (error instanceof HttpError && error.reason === 'AlreadyExists')
      await readAgain(services, target);
    throw error;
  });
  const paid = checkout.record.transactions.find(
    ({ id, txid }) => id === request.transaction || txid === request.transaction,
  );
  // The callback may come later, or get lost: the next view has the refund.
  if (!request.isEstimate && paid?.invoice)
    await reader.readFresh(checkout, paid.invoice.id).catch((error: unknown) => {
      log.warn({ event: 'refund_not_read', error }, 'the refund is not shown yet');
    });
  return refund;
}

/**
 * A buyer agrees to the amount on the screen: the shop may have offered another one since.
 * @throws HttpError 409 if the service returns another amount now
 */
async function requireSameAmount(
  services: Services,
  target: ResolvedCheckout,
  { transaction, expectedAmount }: BuyerRefund,
): Promise<void> {
  await readAgain(services, target);
  const amount = amountOf(services, target, transaction);
  // Without an amount nothing can come back, or a refund is requested already: the service says so.
  if (amount === null || amount === expectedAmount) return;
  throw new HttpError(409, 'InvalidState', `The amount of this refund is ${amount} now.`, {
    errors: [{ field: 'expected_amount', message: `is ${amount} now` }],
  });
}

/** Offers of the shop come without a callback. */
async function readAgain(
  { reader, freshness }: Services,
  { checkout }: ResolvedCheckout,
): Promise<void> {
  const { invoices, transactions } = checkout.record;
  const paid = invoices.filter(({ id }) => transactions.some(({ invoice }) => invoice?.id === id));
  await Promise.all([
    freshness.loadProfileAndRates(),
    ...paid.map(({ id }) => reader.readFresh(checkout, id).catch(() => undefined)),
  ]);
}

/**
 * Without a script: the first request checks the address, the second one asks, or leads back to the
 * entries.
 */
async function answerForm(
  c: Context,
  services: Services,
  page: Page,
  target: ResolvedCheckout,
): Promise<Response> {
  const { checked, edit, ...entry } = validate(RefundFields, await readForm(c));
  if (checked !== '') await readAgain(services, target);
  const amount = amountOf(services, target, entry.transaction);
  const isEstimate = checked !== page.checkedRefund({ ...entry, amount });
  const form = { ...entry, amount, problem: null, received: null };
  if (edit !== undefined) return show(c, services, page, target, form);
  try {
    validate(ValidEntries, entry);
    const { received } = await ask(services, target, {
      ...entry,
      tag: entry.tag || null,
      order: null,
      claim: claimInCookie(c),
      // The entries that were checked contain the amount.
      expectedAmount: null,
      isEstimate,
    });
    if (!isEstimate) return backToPage(c, services, target);
    return show(c, services, page, target, { ...form, received });
  } catch (error) {
    if (!(error instanceof HttpError) || error.status === 404 || error.status >= 500) throw error;
    const isTaken = error.reason === 'AlreadyExists';
    if (isTaken && amountOf(services, target, entry.transaction) === null)
      return backToPage(c, services, target);
    return show(c, services, page, target, { ...form, problem: page.refundProblem(error) }, error);
  }
}

/** The refund of a payment as the page shows it: the check is for this amount. */
const amountOf = (
  { presenter }: Services,
  target: ResolvedCheckout,
  transaction: string,
): string | null =>
  moneyIn(presenter.present(target).view).find((one) => one.transaction === transaction)?.amount ??
  null;

/** All money that can be asked for, also under a request that a proven one replaces. */
const moneyIn = ({ refundable = [], replaceable = [] }: Checkout): CheckoutRefundable[] => [
  ...refundable,
  ...replaceable,
];

function show(
  c: Context,
  services: Services,
  page: Page,
  target: ResolvedCheckout,
  form: Parameters<Page['renderRefund']>[0]['form'],
  refusal?: HttpError,
): Response {
  const { options, presenter } = services;
  const checkout = presenter.present(target).view;
  if (!moneyIn(checkout).some(({ ready }) => ready)) return backToPage(c, services, target);
  const rendered = page.renderRefund({
    checkout,
    form,
    acceptLanguage: c.req.header('accept-language') ?? null,
    lang: c.req.query('lang') ?? null,
    basePath: new URL(options.publicUrl).pathname.replace(/\/$/, ''),
    secure: options.publicUrl.startsWith('https:'),
  });
  return sendPage(c, services, rendered, refusal?.status ?? 200);
}

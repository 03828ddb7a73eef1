import { equalInConstantTime, toBase64Url } from '@crypto-checkout/protocol/bytes';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { ResolvedCheckout } from '../checkouts/checkout-resolver.ts';
import type {
  CheckoutRepository,
  LoadedCheckout,
} from '../checkouts/repository/checkout-repository.ts';

const LABEL = 'crypto-checkout claim 1';
const COOKIE = 'claim';
/** The longest that browsers keep a cookie. */
const MAX_AGE_S = 400 * 24 * 3600;

export interface ClaimOptions {
  orderSecret: string;
  hmac: Hmac;
}

/**
 * The claim secret of a checkout: the browser that opened it proves with it that its buyer asks for
 * a refund. It is in no link, view, receipt or mail, and nothing of it is stored.
 */
export async function claimOf(
  checkoutId: string,
  { orderSecret, hmac }: ClaimOptions,
): Promise<string> {
  return toBase64Url(await hmac(await hmac(orderSecret, LABEL), checkoutId));
}

export async function isClaim(
  claim: string | null,
  checkoutId: string,
  options: ClaimOptions,
): Promise<boolean> {
  return claim !== null && equalInConstantTime(claim, await claimOf(checkoutId, options));
}

/** The claim of a browser on our own pages. */
export const claimInCookie = (c: Context): string | null => getCookie(c, COOKIE) ?? null;

/**
 * Hands the claim to a browser: as a cookie that no script reads on our own pages, and as a header
 * for an element in a shop's page, which keeps it, and for our page in a frame.
 */
export async function claimHeaders(
  c: Context,
  checkoutId: string,
  { publicUrl, ...options }: ClaimOptions & { publicUrl: string },
): Promise<Record<string, string>> {
  const claim = await claimOf(checkoutId, options);
  const { origin, protocol, pathname } = new URL(publicUrl);
  const isOwnPage =
    c.req.header('sec-fetch-site') === 'same-origin' || c.req.header('origin') === origin;
  const isForm = c.req.header('content-type')?.startsWith('application/x-www-form-urlencoded');
  // A browser keeps no cookie for a frame of another site: there our page hands it to the shop's.
  const isFramed = c.req.header('checkout-frame') !== undefined;
  if (!isForm && (isFramed || !isOwnPage)) return { 'checkout-claim': claim };
  const path = `${pathname.replace(/\/$/, '')}/checkouts/${checkoutId}`;
  const secure = protocol === 'https:' ? '; Secure' : '';
  return {
    'set-cookie': `${COOKIE}=${claim}; Path=${path}; Max-Age=${MAX_AGE_S}; HttpOnly; SameSite=Lax${secure}`,
  };
}

/** Whether a browser may become the buyer of a checkout that the shop's server opened. */
export const isUnclaimed = ({ checkout: { record }, invoiceId }: ResolvedCheckout): boolean =>
  invoiceId === null &&
  record.terms.source === 'shop' &&
  !record.claimed &&
  record.invoices.length === 0 &&
  record.attempts.length === 0;

/** Marks the checkout as claimed. False if another browser was faster. */
export async function takeClaim(
  repository: CheckoutRepository,
  checkout: LoadedCheckout,
): Promise<boolean> {
  let isTaken = false;
  await repository.update(checkout, (record) => {
    isTaken = !record.claimed;
    return isTaken ? { ...record, claimed: true } : record;
  });
  return isTaken;
}

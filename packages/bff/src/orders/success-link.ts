import type { PriceSource } from './terms.ts';

const MAX_LENGTH = 2048;

/**
 * A host in ASCII, then printable characters without those that parsers repair: space, quotes,
 * angle brackets, backslash.
 */
const PLAIN_URL =
  /^https?:\/\/[a-z0-9.[\]:-]+(?:[/?#](?:[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7e]|\p{L}|\p{M}|\p{N})*)?$/iu;

export interface SuccessLinkOptions {
  /** Exact origins that any link may lead to. */
  successOrigins: readonly string[];
  checkoutId: string;
}

/**
 * The success URL of a paid checkout, or null. A link is allowed if its exact origin is listed, or
 * if it is https and the shop itself set it (signed order, shop's secret, catalogue). Any other
 * link is ignored, and the page does not contain it.
 */
export function successLink(
  link: string | null | undefined,
  source: PriceSource | 'query',
  options: SuccessLinkOptions,
): string | null {
  const url = link ? parseLink(link) : null;
  if (!url) return null;
  const isListed = options.successOrigins.includes(url.origin);
  const isFromShop = source === 'token' || source === 'shop' || source === 'catalogue';
  if (!isListed && !(isFromShop && url.protocol === 'https:')) return null;
  return fillPlaceholders(link ?? '', options.checkoutId);
}

/**
 * The link back to the shop. It has the same syntax and is only shown as a link, so any web address
 * from the shop is allowed.
 */
export function shopLink(link: string | null, source: PriceSource): string | null {
  return link && source !== 'none' && parseLink(link) ? new URL(link).href : null;
}

/**
 * Parses an absolute http or https URL in plain characters without user info. Everything that
 * browsers repair (backslashes, missing slashes, spaces, tabs, line ends) is rejected: two parsers
 * may read it differently.
 */
function parseLink(link: string): URL | null {
  if (link.length > MAX_LENGTH || !PLAIN_URL.test(link)) return null;
  const url = URL.canParse(link) ? new URL(link) : null;
  return url && url.username === '' && url.password === '' && url.hostname !== '' ? url : null;
}

function fillPlaceholders(link: string, checkoutId: string): string {
  return new URL(
    link.replaceAll('{checkout_id}', checkoutId).replaceAll('%7Bcheckout_id%7D', checkoutId),
  ).href;
}

/** Why the success URL of an order is not followed, for the log. */
export const reasonNotFollowed = (link: string): string =>
  parseLink(link) === null
    ? 'it is not an absolute https URL, such as https://shop.example/thanks'
    : 'it is not https, and SUCCESS_ORIGINS does not list its origin';

const MAX_LOGGED_LENGTH = 200;

/**
 * Describes a rejected success URL for the log. Anyone can send one: only printable ASCII is kept,
 * because control characters could manipulate a terminal.
 */
export function describeRejectedSuccessUrl(link: string): {
  fields: { success_url: string };
  origin: string;
  message: string;
} {
  const success_url = link.slice(0, MAX_LOGGED_LENGTH).replace(/[^\x20-\x7e]/g, '?');
  const origin = parseLink(link)?.origin;
  const why = origin
    ? 'SUCCESS_ORIGINS does not list its origin'
    : 'it is not an absolute http or https URL with an origin from SUCCESS_ORIGINS';
  return {
    fields: { success_url },
    origin: origin ?? success_url,
    message: `requested success_url rejected: ${why}`,
  };
}

import type { PriceSource } from './terms.ts';

const MAX_LENGTH = 2048;

/** A host in ASCII; then printable characters without those that some parser repairs: space, quotes, angle brackets, backslash. */
const PLAIN = /^https?:\/\/[a-z0-9.[\]:-]+(?:[/?#](?:[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7e]|\p{L}|\p{M}|\p{N})*)?$/iu;

export interface SuccessLinkOptions {
  /** Exact origins that a link may lead to, whoever names it. */
  successOrigins: readonly string[];
  checkoutId: string;
}

/**
 * The address that a paid checkout leads to, or null. A link counts when its exact origin is listed, or when the shop itself named
 * it (signed order, shop's secret, catalogue) and it is https. Anything else is ignored, and nothing on the page names it.
 */
export function successLink(link: string | null | undefined, source: PriceSource | 'query', options: SuccessLinkOptions): string | null {
  const url = link ? parseLink(link) : null;
  if (!url) return null;
  const listed = options.successOrigins.includes(url.origin);
  const vouched = source === 'token' || source === 'shop' || source === 'catalogue';
  if (!listed && !(vouched && url.protocol === 'https:')) return null;
  return filled(link ?? '', options.checkoutId);
}

/** A way back to the shop: same syntax, shown as a link only, so any web address that the shop itself named will do. */
export function shopLink(link: string | null, source: PriceSource): string | null {
  return link && source !== 'none' && parseLink(link) ? new URL(link).href : null;
}

/**
 * An absolute http or https address in plain characters, without user name. Everything that browsers repair (backslashes, missing
 * slashes, spaces, tabs, line ends) is refused, because what one parser repairs another reads as something else.
 */
function parseLink(link: string): URL | null {
  if (link.length > MAX_LENGTH || !PLAIN.test(link)) return null;
  const url = URL.canParse(link) ? new URL(link) : null;
  return url && url.username === '' && url.password === '' && url.hostname !== '' ? url : null;
}

function filled(link: string, checkoutId: string): string {
  return new URL(link.replaceAll('{checkout_id}', checkoutId).replaceAll('%7Bcheckout_id%7D', checkoutId)).href;
}

const LONGEST_TOLD = 200;

/** Why a page's success link is not followed, for the operator's log; only characters that move nothing on a terminal, because anybody can ask for any. */
export function lostWish(link: string): { about: { success_url: string }; origin: string; sentence: string } {
  const success_url = link.slice(0, LONGEST_TOLD).replace(/[^\x20-\x7e]/g, '?');
  const origin = parseLink(link)?.origin;
  const why = origin ? 'SUCCESS_ORIGINS does not list its origin' : 'it is no whole http or https address at one of SUCCESS_ORIGINS';
  return {
    about: { success_url },
    origin: origin ?? success_url,
    sentence: `This success_url, which a page names, is not followed: ${why}.`,
  };
}

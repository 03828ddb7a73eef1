import '@crypto-checkout/elements/embed';
import * as after from '@crypto-checkout/elements/server';
import * as exchange from '@crypto-checkout/elements/exchange';
import * as handOff from '@crypto-checkout/elements/hand-off';
import {
  provideExchange,
  provideHandOff,
  providePicker,
  provideReceipt,
  provideRefund,
  provideStatus,
  provideTrouble,
} from '@crypto-checkout/elements/lazy-registry';
import * as picker from '@crypto-checkout/elements/picker';
import * as receipt from '@crypto-checkout/elements/receipt';
import * as refund from '@crypto-checkout/elements/refund';
import { type CSSResultOrNative, type LitElement, unsafeCSS } from 'lit';
import { CODE_FIRST, NO_SCRIPT } from './before-script.ts';
import { styleHash } from './headers.ts';
import { FRAME_CSS, MESSAGE_CSS, ONRAMP_CSS, PAGE_CSS, RECEIPT_CSS, REFUND_CSS } from './sheet.ts';

// A server loads every stage at once.
provideStatus(after);
provideTrouble(after);
provideExchange(exchange);
provideReceipt(receipt);
provideHandOff(handOff);
providePicker(picker);
provideRefund(refund);

/** Every element that appears on a page. */
const TAGS = [
  'crypto-checkout',
  'crypto-coin-picker',
  'crypto-amount',
  'crypto-address',
  'crypto-qr',
  'crypto-countdown',
  'crypto-status',
  'crypto-hand-off',
  'crypto-copy-list',
  'crypto-refund',
];

const sheetsOf = (tag: string): CSSResultOrNative[] =>
  (customElements.get(tag) as typeof LitElement | undefined)?.elementStyles ?? [];
const textOf = (sheet: CSSResultOrNative): string => ('cssText' in sheet ? sheet.cssText : '');

/** The sheet of all elements, which is the first of each, and that of the card, its second. */
const [sheet, cardSheet] = sheetsOf('crypto-checkout').map(textOf);
const BASE = unsafeCSS(sheet + textOf(NO_SCRIPT));
for (const tag of TAGS) sheetsOf(tag)[0] = BASE;
sheetsOf('crypto-checkout')[1] = unsafeCSS(cardSheet + textOf(CODE_FIRST));

/** The styles that Lit writes for the elements. */
const ELEMENT_CSS = [...new Set(TAGS.flatMap(sheetsOf).map(textOf))];

/** The styles of payment details and print, which most pages have no use for before the script. */
const PROOF = `<style>${after.proofSheet.cssText}</style>`;

/** Leaves out the styles of payment details where a page draws none. */
export const withoutIdleStyles = (html: string): string =>
  html.includes('part="facts"') ? html : html.replaceAll(PROOF, '');

/** Every known style, with its source expression; and the shop's colours, once they have theirs. */
const HASHES = new Map(
  await Promise.all(
    [
      ...new Set([
        PAGE_CSS,
        FRAME_CSS,
        MESSAGE_CSS,
        ONRAMP_CSS,
        RECEIPT_CSS,
        REFUND_CSS,
        ...ELEMENT_CSS,
      ]),
    ].map(async (css) => [css, await styleHash(css)] as const),
  ),
);

/** Source expressions for a policy that allows the elements' styles. */
export const ELEMENT_HASHES: readonly string[] = ELEMENT_CSS.map((css) => HASHES.get(css)!);

/**
 * The same for the styles of this page only: a script adopts its styles, which needs no permission.
 */
export function hashesOf(html: string): string {
  const used = new Set(
    Array.from(html.matchAll(/<style>([^<]*)<\/style>/g), ([, css = '']) => HASHES.get(css)),
  );
  return [...used].filter(Boolean).join(' ');
}

/**
 * The style for the shop's colour, lighter on a dark page. Empty until its hash is known: a policy
 * without it would refuse the style.
 */
export function createColorStyle(
  color: string | null,
  tag: 'crypto-checkout' | 'crypto-refund',
): () => string {
  if (color === null) return () => '';
  const css = `${tag}{--crypto-checkout-accent:light-dark(${color},color-mix(in oklab,${color} 45%,#fff))}`;
  void styleHash(css).then((hash) => HASHES.set(css, hash));
  return () => (HASHES.has(css) ? css : '');
}

import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html } from 'lit';
import { msg, str } from '../../i18n/locale.ts';
import { formatPrice } from '../../i18n/number.ts';
import type { StageTexts } from '../../core/panel.ts';

/** Heading and sentence of the stage `choose`. */
export const chooseTexts = (): StageTexts => ({
  title: msg('Choose a coin', { id: 'choose.title' }),
  text: msg('You’ll see the exact amount next.', { id: 'choose.text' }),
});

export const searchLabel = (): string => msg('Search', { id: 'search' });

export const networkText = (): string => msg('Choose a network', { id: 'choose.network' });

export const moreText = (more: readonly unknown[]): string =>
  msg(str`More networks (+${more.length})`, { id: 'choose.more' });

/** Draws the usual network fee and duration. */
export const drawUsual = (coin: CheckoutCoin, language: string): TemplateResult =>
  html`<small part="usual">${costHint(coin, language)}</small>`;

/** A network fee below one cent is not worth comparing. */
const LEAST_FEE = 0.01;

/** The usual network fee and duration, as a hint for the choice: `~$1.20 fee · 1 min`. */
export function costHint({ fee_usd, seconds }: CheckoutCoin, language: string): string {
  const usd = Number(fee_usd ?? NaN);
  const dollars = (value: number): string =>
    formatPrice({ amount: value.toFixed(2), currency: 'USD' }, language);
  const sum = usd < LEAST_FEE ? `<${dollars(LEAST_FEE)}` : `~${dollars(usd)}`;
  return [
    usd >= 0 && msg(str`${sum} fee`, { id: 'coin.fee' }),
    seconds ? formatDuration(seconds, language, 'short') : '',
  ]
    .filter(Boolean)
    .join(' ·\u00a0');
}

/**
 * Formats a duration. Same as `formatDuration` in `i18n/time.ts`: sharing it would create another
 * file to wait for before a coin can be chosen. A test compares both.
 */
export function formatDuration(
  seconds: number,
  language: string,
  unitDisplay: 'long' | 'short' = 'long',
): string {
  const [value, unit]: [number, string] =
    seconds < 60
      ? [seconds, 'second']
      : seconds < 7200
        ? [seconds / 60, 'minute']
        : [seconds / 3600, 'hour'];
  return new Intl.NumberFormat(`${language}-u-nu-latn`, {
    style: 'unit',
    unit,
    unitDisplay,
    maximumFractionDigits: 0,
  }).format(value);
}

import { type TemplateResult, html, nothing } from 'lit';
import type { CheckoutErrorCode } from '../events/checkout-events.ts';
import type { Problems } from '../core/contracts.ts';
import { msg, str } from '../i18n/locale.ts';
import { drawNote } from '../components/checkout/note.ts';
import { drawContactLink } from './return-to-shop.ts';
import { formatTime } from '../i18n/time.ts';

/**
 * The error text for the buyer.
 * @param otherCoin - A payment in one coin was refused, and the shop takes others.
 */
export function errorText(code: CheckoutErrorCode, otherCoin = false): string {
  if (otherCoin)
    return msg('This coin can’t be used right now. Please choose another one.', {
      id: 'error.coin',
    });
  switch (code) {
    case 'setup':
      return msg('This checkout isn’t set up yet. Please contact the shop.', {
        id: 'error.setup',
      });
    case 'unavailable':
    case 'busy':
      return msg('The payment server is busy at the moment. Please try again soon.', {
        id: 'error.unavailable',
      });
    case 'not_found':
      return msg('We can’t find this payment. Check the link or ask the shop for a new one.', {
        id: 'error.not_found',
      });
    case 'refused':
      return msg(
        'The payment server did not accept this. Please go back to the shop and try again.',
        { id: 'error.refused' },
      );
    case 'malformed':
    case 'tampered':
      return msg('We couldn’t load this payment.', {
        id: 'error.malformed',
      });
    case 'network':
    default:
      return msg('The payment server cannot be reached. Please check your connection.', {
        id: 'error.network',
      });
  }
}

/**
 * Text about the lost connection, since when, and its consequence; or that it is back.
 * @param until - End of the price on this device's clock, while it holds.
 */
export function connectionText(lostAt: number, language: string, until = 0): string {
  if (!lostAt) return msg('Connected again.', { id: 'connection.back' });
  const [since, end] = [formatTime(lostAt, language), formatTime(until, language)];
  return until > lostAt
    ? msg(
        str`No connection since ${since}. You can still pay until ${end}: this page catches up by itself.`,
        { id: 'connection.until' },
      )
    : msg(
        str`No connection since ${since}. A payment you have sent is safe: this page catches up by itself.`,
        { id: 'connection.lost' },
      );
}

/**
 * Draws the notes above the stage. A request that failed for the lost connection shares its note;
 * a choice of a coin replaces the text, because there is nothing to pay yet.
 */
export const drawProblems = ({
  lostAt,
  refused,
  language,
  until,
  otherCoin,
  coinsLink,
}: Problems): TemplateResult => {
  const same = lostAt > 0 && refused === 'network';
  const lost = lostAt > 0 && connectionText(lostAt, language, until);
  const text = !same && refused && errorText(refused, otherCoin);
  return html`<div class="stack afloat">
    ${drawNote(same && !coinsLink ? errorText(refused) : lost, same ? 'bad' : 'warn')}${drawNote(
      text && otherCoin && coinsLink
        ? html`${text}
            <a href=${coinsLink} data-show="coins">${msg('Change coin', { id: 'other' })}</a>`
        : text,
      'bad',
    )}
  </div>`;
};

/** Errors that the shop can mend: missing attribute, expired token, ended link. */
const SHOPS: readonly CheckoutErrorCode[] = ['setup', 'refused', 'not_found'];

const drawRetry = (onRetry: () => void, isMain: boolean): TemplateResult =>
  html`<button class=${isMain ? 'primary' : ''} part="retry" @click=${onRetry}>
    ${msg('Try again', { id: 'error.retry' })}
  </button>`;

const drawError = (code: CheckoutErrorCode): TemplateResult =>
  html`<crypto-status part="status" .stage=${'error'} .text=${errorText(code)}></crypto-status>`;

/** Draws an error that a retry may mend, in place of the stage. */
export const drawBroken = (code: CheckoutErrorCode, onRetry: () => void): TemplateResult =>
  html`${drawError(code)}${drawRetry(onRetry, true)}`;

/**
 * Draws any error in place of the stage, with a way out: the shop's help where the page names it,
 * or else its front page. That is the main action where only the shop can mend it. A link that was
 * not found may exist a moment later.
 */
export const drawFailure = (
  code: CheckoutErrorCode,
  onRetry: () => void,
  contact?: string | null,
): TemplateResult => {
  const isShops = SHOPS.includes(code);
  const help = drawContactLink(contact, isShops);
  // An origin of `null`, in a sandboxed frame, has no front page.
  const isLost = help === nothing && location.origin.startsWith('http');
  return html`${drawError(code)}${
    isShops && code !== 'not_found' ? nothing : drawRetry(onRetry, !isShops)
  }${
    isLost
      ? html`<a
          class="button ${isShops ? 'primary' : ''}"
          part="shop-link"
          href="${location.origin}/"
          >${msg('Back to the shop', { id: 'back' })}</a
        >`
      : help
  }`;
};

import { type TemplateResult, html, nothing } from 'lit';
import type { CheckoutErrorCode } from '../event.ts';
import { msg, str } from '../locale.ts';
import { drawNote } from '../panel.ts';
import { clock } from './time.ts';

/** What went wrong, for the buyer. */
export function sentenceOfFailure(code: CheckoutErrorCode): string {
  switch (code) {
    case 'setup':
      return msg('The shop has not set up this checkout completely. Please tell the shop.', { id: 'error.setup' });
    case 'unavailable':
    case 'busy':
      return msg('The payment server is busy at the moment. Please try again soon.', { id: 'error.unavailable' });
    case 'not_found':
      return msg('This payment does not exist, or its link has ended.', { id: 'error.not_found' });
    case 'refused':
      return msg('The payment server did not accept this. Please go back to the shop and try again.', { id: 'error.refused' });
    case 'malformed':
    case 'tampered':
      return msg('The payment server answered something that this page does not understand.', { id: 'error.malformed' });
    case 'network':
    default:
      return msg('The payment server cannot be reached. Please check your connection.', { id: 'error.network' });
  }
}

/**
 * That the connection is lost, since when, and what it means; or that it is back.
 * @param until - While a price holds: until when, on this device's clock.
 */
export function connection(lostAt: number, language: string, until = 0): string {
  if (!lostAt) return msg('Connected again.', { id: 'connection.back' });
  const [since, end] = [clock(lostAt, language), clock(until, language)];
  return until > lostAt
    ? msg(str`No connection since ${since}. You can still pay until ${end}: this page catches up by itself.`, { id: 'connection.until' })
    : msg(str`No connection since ${since}. A payment you have sent is safe: this page catches up by itself.`, { id: 'connection.lost' });
}

/** What stands in the way, above the stage. That a wish has met the lost connection is one thing, told once and louder. */
export const drawTrouble = (lostAt: number, refused: CheckoutErrorCode | null, language: string, until = 0): TemplateResult => {
  const same = lostAt > 0 && refused === 'network';
  const lost = lostAt ? connection(lostAt, language, until) : '';
  return html`${drawNote(lost, same ? 'bad' : 'warn')}${drawNote(same ? '' : refused && sentenceOfFailure(refused), 'bad')}`;
};

/** What is answered the same however often it is asked: an attribute is missing, the token is too old, the link has ended. */
const SETTLED: readonly CheckoutErrorCode[] = ['setup', 'not_found', 'refused'];

/** In place of the stage: that there is none, and another try where it can help. */
export const drawFailure = (code: CheckoutErrorCode, onRetry: () => void): TemplateResult =>
  html`<crypto-status part="status" .stage=${'error'} .text=${sentenceOfFailure(code)}></crypto-status>${
      SETTLED.includes(code)
        ? nothing
        : html`<button class="primary" part="retry" @click=${onRetry}>${msg('Try again', { id: 'error.retry' })}</button>`
    }`;

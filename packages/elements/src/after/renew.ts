import { type TemplateResult, html, nothing } from 'lit';
import { CLOCK, icon } from '../icon.ts';
import { msg, str } from '../locale.ts';
import type { Drawn, Panel } from '../panel.ts';
import { clock } from './time.ts';

/** The form that asks for a new price. */
export function drawRenew({ checkout, url, busy }: Panel): Drawn {
  return checkout.payment?.renewable
    ? html`<form part="renew" method="post" action="${url}/renew">
        <button class="primary" part="renew-button" aria-disabled=${Boolean(busy)}>
          ${msg('Get a new price', { id: 'expired.renew' })}
        </button>
      </form>`
    : nothing;
}

/**
 * The form that asks for more time at the same price (WCAG 2.2.1). Without a script nothing can tell when it is time for it: there it is
 * offered as long as the server allows it, and says until when the price holds, as no clock does.
 */
export function drawMore({ checkout, url, busy, moreTime, language }: Panel): Drawn {
  const { payment } = checkout;
  if (!payment?.extendable) return nothing;
  // An exchange's form has said it.
  const until = moreTime || payment.from === 'exchange' ? '' : holdsUntil(payment.expires_at, language);
  return html`<form class="note row more ${moreTime ? '' : 'noscript'}" part="more" method="post" action="${url}/renew">
    <input type="hidden" name="extend" value="true" />
    ${icon(CLOCK)}<span>${until && `${until} `}${msg('Do you need more time? The price can be held longer.', { id: 'more.text' })}</span>
    <button part="more-button" aria-disabled=${Boolean(busy)}>${msg('More time', { id: 'more.button' })}</button>
  </form>`;
}

/** Until when a price holds; nothing of one that holds forever. */
export function holdsUntil(expiresAt: string | null, language: string): string {
  const end = Date.parse(expiresAt ?? '');
  if (!end) return '';
  const until = clock(end, language);
  return msg(str`This price holds until ${until}.`, { id: 'pay.until' });
}

/** The page again, for who has no script and no refresh. */
export const drawCheck = ({ page }: Panel): TemplateResult =>
  html`<a class="button noscript" part="check-link" href=${page}>${msg('Look again', { id: 'check' })}</a>`;

import { html, nothing } from 'lit';
import { CLOCK, icon } from '../styles/icons.ts';
import { msg, str } from '../i18n/locale.ts';
import type { Drawn, Panel } from '../core/panel.ts';
import { formatTime } from '../i18n/time.ts';

/**
 * Draws the form for more time at the same price (WCAG 2.2.1). Without a script it is shown as long
 * as the server allows it, with the end of the price in place of a countdown.
 */
export function drawMoreTimeForm({ checkout, url, busy, moreTime, language }: Panel): Drawn {
  const { payment } = checkout;
  if (!payment?.extendable) return nothing;
  // The exchange form already contains it.
  const until =
    moreTime || payment.from === 'exchange' ? '' : holdsUntil(payment.expires_at, language);
  return html`<form
    class="note row more ${moreTime ? '' : 'noscript'}"
    part="more"
    method="post"
    action="${url}/renew"
  >
    <input type="hidden" name="extend" value="true" />
    ${icon(CLOCK)}<span>${until && `${until} `}${msg('Need more time?', { id: 'more.text' })}</span>
    <button part="more-button" aria-disabled=${Boolean(busy)}>
      ${msg('Hold this price longer', { id: 'more.button' })}
    </button>
  </form>`;
}

/** End of the price as text; empty if there is none. */
export function holdsUntil(expiresAt: string | null, language: string): string {
  const end = Date.parse(expiresAt ?? '');
  if (!end) return '';
  const until = formatTime(end, language);
  return msg(str`This price holds until ${until}.`, { id: 'pay.until' });
}

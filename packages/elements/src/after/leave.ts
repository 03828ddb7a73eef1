import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import type { CryptoCheckout } from '../checkout.ts';
import { pageLink } from '../link.ts';
import { msg, str } from '../locale.ts';
import { type Drawn, type Panel, drawNote } from '../panel.ts';
import { speakFor, unsay } from '../voice.ts';
import { hasConcern } from './came.ts';
import { duration } from './time.ts';

/** Enough to hear that the page goes back to the shop, and to keep it here with one key (WCAG 2.2.1). Who is in a hurry goes on at once. */
const LEAVE_SECONDS = 20;

/** What a buyer can do who is about to be taken back. */
interface Leaving {
  seconds: number;
  /** Time does not pass while the way to stay is in the reader's hands. */
  hold(): void;
  stay(): void;
}
const leaving = new WeakMap<Element, Leaving>();

/**
 * Takes the buyer back to the shop, unless `close` says no, the buyer has gone on to do something else here or has put it away, or there
 * is something to ask of the shop, which is told here alone.
 */
export function leave(host: CryptoCheckout, close: () => boolean): void {
  const linkOf = (): string | undefined => (host.checkout && !hasConcern(host.checkout) ? pageLink(host.checkout.success_url) : undefined);
  const link = linkOf();
  // Where nothing of it is seen, nobody could stay.
  if (!link || !isShown(host)) return;
  const hold = (): void => clearInterval(timer);
  const end = (): void => {
    hold();
    host.removeEventListener('click', stay);
    host.removeEventListener('checkout-change', look);
    leaving.delete(host);
    unsay(host.renderRoot, 'leaving');
    host.requestUpdate();
  };
  const stay = (): void => {
    end();
    host.say(() => msg('You stay on this page.', { id: 'success.stayed' }));
  };
  // A dialog that was closed meanwhile is an answer, and a payment that was taken back is no longer paid.
  const isOn = (): boolean => host.isConnected && isShown(host) && linkOf() === link;
  const look = (): void => void (isOn() || end());
  const going = { seconds: LEAVE_SECONDS, hold, stay };
  const timer = setInterval(() => {
    going.seconds -= 1;
    host.requestUpdate();
    const goes = isOn();
    if (goes && going.seconds > 0) return;
    end();
    if (goes && close()) location.assign(link);
  }, 1000);
  host.addEventListener('click', stay);
  host.addEventListener('checkout-change', look);
  leaving.set(host, going);
  host.requestUpdate();
  void speakFor(host, () => wordsOfLeaving(LEAVE_SECONDS, host.language), { about: 'leaving' });
}

/** Whether the buyer has it before the eyes; the element itself may have no box, as with `display: contents`. */
const isShown = ({ renderRoot }: CryptoCheckout): boolean => Boolean(renderRoot.querySelector('[part=base]')?.getClientRects().length);
const wordsOfLeaving = (seconds: number, language: string): string =>
  `${msg('Taking you back to the shop…', { id: 'success.leaving' })} (${duration(seconds, language)})`;

/** The way back, at every stage. */
export function drawWayBack({ shop_url, order }: Checkout, onLeave: (event: Event) => void): TemplateResult {
  const link = pageLink(shop_url);
  return html`${link ? html`<a part="shop-link" href=${link} @click=${onLeave}>${msg('Back to the shop', { id: 'back' })}</a>` : nothing}${
    order.order_id ? html`<small>${msg(str`Order ${order.order_id}`, { id: 'order' })}</small>` : nothing
  }`;
}

/** The way on after paying. */
export function drawContinue({ host, checkout, language, onLeave }: Panel): Drawn {
  const link = pageLink(checkout.success_url);
  const going = leaving.get(host);
  return link
    ? html`${going ? drawNote(wordsOfLeaving(going.seconds, language), 'wait') : nothing}<a
          class="button primary"
          part="success-link"
          href=${link}
          @click=${onLeave}
          >${msg('Continue', { id: 'continue' })}</a
        >${
          going
            ? html`<button part="stay-button" type="button" @focus=${going.hold} @blur=${going.stay} @click=${going.stay}>
                ${msg('Stay here', { id: 'success.stay' })}
              </button>`
            : nothing
        }`
    : nothing;
}

/** A link to the hosted page, in place of the stage. */
export const drawRedirect = ({ page, onLeave }: Panel): TemplateResult =>
  html`<a class="button primary" part="redirect-link" href=${page} @click=${onLeave}
    >${msg('Pay with cryptocurrency', { id: 'redirect.link' })}</a
  >`;

const MAIL = /^mailto:[^\s"'<>\\`@]+@[^\s"'<>\\`]+$/i;

/** The link to the shop's help, when it is one. */
export const contactOf = ({ contact }: Checkout['merchant']): string | undefined =>
  pageLink(contact) ?? (contact && MAIL.test(contact) ? contact : undefined);

/** The shop's help, wherever a buyer may need it. */
export function drawContact({ checkout }: Panel): Drawn {
  const link = contactOf(checkout.merchant);
  return link
    ? html`<a class="button" part="contact-link" href=${link} target=${MAIL.test(link) ? nothing : '_blank'} rel="noreferrer"
        >${msg('Contact the shop', { id: 'contact' })}</a
      >`
    : nothing;
}

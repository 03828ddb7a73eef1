import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import type { CheckoutHost } from '../core/contracts.ts';
import { pageLink } from '../server/safe-link.ts';
import { msg, str } from '../i18n/locale.ts';
import type { Drawn, Panel } from '../core/panel.ts';
import { drawNote } from '../components/checkout/note.ts';
import { speakIn, cancelSpeech } from './live-region.ts';
import { needsShop } from './received.ts';
import { formatDuration } from '../i18n/time.ts';

/**
 * Time to hear the announcement and to cancel with one key (WCAG 2.2.1). The link continues at
 * once.
 */
const REDIRECT_SECONDS = 20;
const LONGEST_SECONDS = 60;

/** Seconds until the redirect, as the shop's page asks for; null for none. */
export function redirectSeconds(wanted: string | null | undefined): number | null {
  if (wanted === 'off') return null;
  if (wanted === 'now') return 0;
  const seconds = /^\d+$/.test(wanted ?? '') ? Number(wanted) : REDIRECT_SECONDS;
  return Math.min(Math.max(seconds, REDIRECT_SECONDS), LONGEST_SECONDS);
}

/** A running redirect. */
interface Leaving {
  seconds: number;
  /** Pauses while the cancel button has the focus. */
  hold(): void;
  stay(): void;
}
const leaving = new WeakMap<Element, Leaving>();

/**
 * Redirects the buyer to the shop after a delay, unless the page prevents it, the buyer interacts
 * or closes the dialog, or the buyer needs to contact the shop.
 */
export function startReturn(host: CheckoutHost, close: () => boolean): void {
  const linkOf = (): string | undefined =>
    host.checkout && !needsShop(host.checkout) ? pageLink(host.checkout.success_url) : undefined;
  const link = linkOf();
  const wait = redirectSeconds(host.redirectAfter);
  // An invisible checkout cannot be cancelled.
  if (!link || wait === null || !isShown(host)) return;
  if (!wait) {
    if (close()) location.assign(link);
    return;
  }
  const hold = (): void => clearInterval(timer);
  const end = (): void => {
    hold();
    host.removeEventListener('click', stay);
    host.removeEventListener('checkout-change', look);
    leaving.delete(host);
    cancelSpeech(host.renderRoot, 'leaving');
    host.requestUpdate();
  };
  const stay = (): void => {
    end();
    host.say(() => msg('You stay on this page.', { id: 'success.stayed' }));
  };
  // A closed dialog cancels the redirect; so does a payment that is no longer paid.
  const isOn = (): boolean => host.isConnected && isShown(host) && linkOf() === link;
  const look = (): void => void (isOn() || end());
  const going = { seconds: wait, hold, stay };
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
  void speakIn(host, () => redirectText(wait, host.language), { about: 'leaving' });
}

/** Whether the checkout is visible; the host itself may have no box (`display: contents`). */
const isShown = ({ renderRoot }: CheckoutHost): boolean =>
  Boolean(renderRoot.querySelector('[part=base]')?.getClientRects().length);
const redirectText = (seconds: number, language: string): string =>
  `${msg('Taking you back to the shop…', { id: 'success.leaving' })} (${formatDuration(seconds, language)})`;

/** Draws the link to the shop and the order's id. */
export function drawShopLink(
  { shop_url, order }: Checkout,
  onLeave: (event: Event) => void,
): TemplateResult {
  const link = pageLink(shop_url);
  return html`${link ? html`<a part="shop-link" href=${link} @click=${onLeave}>${msg('Back to the shop', { id: 'back' })}</a>` : nothing}${
    order.order_id
      ? html`<small>${msg(str`Order ${order.order_id}`, { id: 'order' })}</small>`
      : nothing
  }`;
}

/** Draws the link to the success page, with the running redirect. */
export function drawContinue({ host, checkout, language, onLeave }: Panel): Drawn {
  const link = pageLink(checkout.success_url);
  const going = leaving.get(host);
  return link
    ? html`${going ? drawNote(redirectText(going.seconds, language), 'wait') : nothing}<a
          class="button ${needsShop(checkout) ? '' : 'primary'}"
          part="success-link"
          href=${link}
          @click=${onLeave}
          >${msg(str`Return to ${checkout.merchant.name}`, { id: 'success.return' })}</a
        >`
    : nothing;
}

/** Draws the button that cancels the running redirect. */
export function drawStay({ host }: Panel): Drawn {
  const going = leaving.get(host);
  return going
    ? html`<button
        part="stay-button"
        type="button"
        @focus=${going.hold}
        @blur=${going.stay}
        @click=${going.stay}
      >
        ${msg('Stay here', { id: 'success.stay' })}
      </button>`
    : nothing;
}

/** Draws a link to the hosted page, in place of the stage. */
export const drawRedirect = ({ page, onLeave }: Panel): TemplateResult =>
  html`<a class="button primary" part="redirect-link" href=${page} @click=${onLeave}
    >${msg('Pay with cryptocurrency', { id: 'redirect.link' })}</a
  >`;

const MAIL = /^mailto:[^\s"'<>\\`@]+@[^\s"'<>\\`]+$/i;

/** The address of the shop's help, if it is a valid link. */
export const contactOf = ({
  contact = null,
}: Partial<Pick<Checkout['merchant'], 'contact'>>): string | undefined =>
  pageLink(contact) ?? (contact && MAIL.test(contact) ? contact : undefined);

/** Draws the link to the shop's help. */
export const drawContact = ({ checkout }: Panel, main = false): Drawn =>
  drawContactLink(checkout.merchant.contact, main);

/** Draws a link to a page or an e-mail address for help, if it is valid. */
export function drawContactLink(contact: string | null | undefined, main: boolean): Drawn {
  const link = contactOf({ contact: contact ?? null });
  return link
    ? html`<a
        class="button ${main ? 'primary' : ''}"
        part="contact-link"
        href=${link}
        target=${MAIL.test(link) ? nothing : '_blank'}
        rel="noreferrer"
        >${msg('Contact the shop', { id: 'contact' })}</a
      >`
    : nothing;
}

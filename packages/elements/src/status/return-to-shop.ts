import { type Checkout, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import type { CheckoutHost } from '../core/contracts.ts';
import { pageLink } from '../server/safe-link.ts';
import { msg, str } from '../i18n/locale.ts';
import type { Drawn, Panel } from '../core/panel.ts';
import { drawNote } from '../components/checkout/note.ts';
import { needsShop } from './received.ts';
import { formatDuration } from '../i18n/time.ts';

/** A running redirect. */
export interface Leaving {
  seconds: number;
  /** Pauses while the cancel button has the focus. */
  hold(): void;
  stay(): void;
}
export const leaving = new WeakMap<Element, Leaving>();

/** The success page, unless the buyer needs to contact the shop first. */
export const linkAfterPaid = (checkout: Checkout | null): string | undefined =>
  checkout && !needsShop(checkout) ? pageLink(checkout.success_url) : undefined;

/**
 * Redirects the buyer to the shop after a delay. Most orders have no link for it, and load nothing.
 */
export function startReturn(host: CheckoutHost, close: () => boolean): void {
  if (!linkAfterPaid(host.checkout)) return;
  // Without the file, the buyer still has the link.
  void import('./redirect.ts').then(
    ({ startRedirect }) => startRedirect(host, close),
    () => undefined,
  );
}

export const redirectText = (seconds: number, language: string): string =>
  `${msg('Taking you back to the shop…', { id: 'success.leaving' })} (${formatDuration(seconds, language)})`;

/** Draws the link to the shop, unless the success page is linked above, and the order’s id. */
export function drawShopLink(
  { stage, shop_url, success_url, order }: Checkout,
  onLeave: (event: Event) => void,
): TemplateResult {
  const link = !(isPaidStage(stage) && pageLink(success_url)) && pageLink(shop_url);
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

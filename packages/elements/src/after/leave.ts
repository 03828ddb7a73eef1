import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import type { CryptoCheckout } from '../checkout.ts';
import { pageLink } from '../link.ts';
import { msg, str } from '../locale.ts';
import type { Drawn, Panel } from '../panel.ts';

/** Time to read that it is paid, before the page goes back to the shop. */
const LEAVE_MS = 3000;
/** Elements whose buyers are about to be taken back. */
const leaving = new WeakSet<Element>();

/** Takes the buyer back to the shop, unless `close` says no. */
export function leave(host: CryptoCheckout, close: () => boolean): void {
  const link = pageLink(host.checkout?.success_url ?? null);
  if (!link) return;
  leaving.add(host);
  host.requestUpdate();
  setTimeout(() => {
    if (host.isConnected && close()) location.assign(link);
    leaving.delete(host);
    host.requestUpdate();
  }, LEAVE_MS);
}

/** The way back, at every stage. */
export function drawWayBack({ shop_url, order }: Checkout, onLeave: (event: Event) => void): TemplateResult {
  const link = pageLink(shop_url);
  return html`${link ? html`<a part="shop-link" href=${link} @click=${onLeave}>${msg('Back to the shop', { id: 'back' })}</a>` : nothing}${
    order.order_id ? html`<small>${msg(str`Order ${order.order_id}`, { id: 'order' })}</small>` : nothing
  }`;
}

/** The way on after paying. */
export function drawContinue({ host, checkout, onLeave }: Panel): Drawn {
  const link = pageLink(checkout.success_url);
  return link
    ? html`<a class="button primary" part="success-link" href=${link} @click=${onLeave}
        >${leaving.has(host) ? msg('Taking you back to the shop…', { id: 'success.leaving' }) : msg('Continue', { id: 'continue' })}</a
      >`
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

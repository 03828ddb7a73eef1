import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { statusModule } from '../../core/lazy-registry.ts';
import { msg } from '../../i18n/locale.ts';
import { formatPrice } from '../../i18n/number.ts';
import { drawLogo } from './merchant-logo.ts';
import { drawNote } from './note.ts';

const leftText = (checkout: Checkout, language: string): string =>
  statusModule()?.troubleIn(checkout)?.leftText(checkout, language) ?? '';

/** The order's price, or the part of it that is left to pay; empty for any amount. */
export const priceText = (checkout: Checkout, language: string): string =>
  leftText(checkout, language) ||
  (checkout.order.amount ? formatPrice(checkout.order.amount, language) : '');

/** Draws the merchant, description and amount of the order. */
export function drawOrder(checkout: Checkout, language: string, bare: boolean): TemplateResult {
  const { merchant, order, notes } = checkout;
  const { amount, description } = order;
  const left = leftText(checkout, language);
  // Two templates: the longer text replaces the price and does not move it.
  const total = left
    ? html`<bdi part="total">${left}</bdi>`
    : amount
      ? html`<bdi part="total">${formatPrice(amount, language)}</bdi>`
      : nothing;
  return html`${
    bare
      ? nothing
      : html`<div class="row line" part="header">
          <div>
            ${drawLogo(merchant)}<b part="merchant"><bdi>${merchant.name}</bdi></b
            ><small><bdi>${description}</bdi></small>
          </div>
          ${total}
        </div>`
  }
  ${notes.includes('test_network') ? drawNote(msg('Test network: these coins have no value.', { id: 'test' }), 'wait') : nothing}`;
}

import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { pageLink } from './link.ts';
import { msg, str } from './locale.ts';
import { formatMoney } from './number.ts';
import { drawNote } from './panel.ts';

/** What is paid, and to whom. */
export function drawOrder({ merchant, order, notes }: Checkout, language: string): TemplateResult {
  const { amount, description } = order;
  return html`<header class="row line" part="header">
      <div>
        <b part="merchant"><bdi>${merchant.name}</bdi></b
        ><small><bdi>${description}</bdi></small>
      </div>
      ${amount ? html`<bdi part="total">${formatMoney(amount.amount, language)} ${amount.currency}</bdi>` : nothing}
    </header>
    ${notes.includes('test_network') ? drawNote(msg('Test network: these coins have no value.', { id: 'test' })) : nothing}`;
}

/** The way back, at every stage. */
export function drawWayBack({ shop_url, order }: Checkout, onLeave: (event: Event) => void): TemplateResult {
  const link = pageLink(shop_url);
  return html`<footer class="row" part="footer">
    ${
      link ? html`<a part="shop-link" href=${link} @click=${onLeave}>${msg('Back to the shop', { id: 'back' })}</a>` : nothing
    }${order.order_id ? html`<small>${msg(str`Order ${order.order_id}`, { id: 'order' })}</small>` : nothing}
  </footer>`;
}

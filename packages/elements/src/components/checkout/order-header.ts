import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { msg } from '../../i18n/locale.ts';
import { formatMoney } from '../../i18n/number.ts';
import { drawLogo } from './merchant-logo.ts';
import { drawNote } from './note.ts';

/** Draws the merchant, description and amount of the order. */
export function drawOrder({ merchant, order, notes }: Checkout, language: string): TemplateResult {
  const { amount, description } = order;
  return html`<div class="row line" part="header">
      <div>
        ${drawLogo(merchant)}<b part="merchant"><bdi>${merchant.name}</bdi></b
        ><small><bdi>${description}</bdi></small>
      </div>
      ${amount ? html`<bdi part="total">${formatMoney(amount.amount, language)} ${amount.currency}</bdi>` : nothing}
    </div>
    ${notes.includes('test_network') ? drawNote(msg('Test network: these coins have no value.', { id: 'test' }), 'wait') : nothing}`;
}

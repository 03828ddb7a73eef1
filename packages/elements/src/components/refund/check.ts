import type { CheckoutRefundable } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { msg } from '../../i18n/locale.ts';
import type { RefundEntry } from '../../server/refund-request.ts';
import { drawNote } from '../checkout/note.ts';
import { drawFacts } from './facts.ts';
import { rowsOf } from './fields.ts';
import { tagName } from './refunds.ts';

/** An address of the XRP Ledger without a tag in it: an X-address and `r…:123` have one. */
const CLASSIC = /^r\w+$/;

/**
 * Draws the second step: the checked entries in full, what arrives there, and the way back to
 * change them.
 * @param checked - All that was checked, for a form without a script.
 */
export const drawCheck = (
  { address, tag }: RefundEntry,
  money: CheckoutRefundable,
  { received, checked, busy }: { received: string; checked: string; busy: boolean },
  coins: (sum: string) => string,
): TemplateResult =>
  html`<h3 part="refund-check" tabindex="-1">
      ${msg('Check before you confirm', { id: 'refund.check.title' })}
    </h3>
    ${drawNote(checkText())}
    <input type="hidden" name="transaction" .value=${money.transaction} />
    <input type="hidden" name="checked" .value=${checked} />
    ${drawEntry(
      msg('Address', { id: 'address' }),
      html`<textarea name="address" rows=${rowsOf(address)} .value=${address} readonly></textarea>`,
    )}${
      tag
        ? drawEntry(tagName(), html`<input name="tag" .value=${tag} readonly />`)
        : money.tagged && CLASSIC.test(address)
          ? html`<small>${`${tagName()}: —`}</small>`
          : nothing
    }
    ${drawFacts(money, received, coins)}
    <div class="row ends">
      <button class="primary" part="submit" aria-disabled=${busy}>
        ${msg('Confirm refund', { id: 'refund.confirm' })}</button
      ><button part="refund-edit" name="edit" value="1">
        ${msg('Back', { id: 'picker.back' })}
      </button>
    </div>`;

/**
 * Draws an entry in full. A field for reading, because the guard against changed payment details
 * takes a long word on the page that the server did not send for a foreign address.
 */
const drawEntry = (label: string, field: TemplateResult): TemplateResult =>
  html`<label><span>${label}</span>${field}</label>`;

const checkText = (): string =>
  msg('Check the address carefully. A refund can’t be reversed.', { id: 'refund.check' });

import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { html, nothing } from 'lit';
import type { Drawn } from '../core/panel.ts';
import { drawNote } from '../components/checkout/note.ts';
import { msg } from '../i18n/locale.ts';

/**
 * The sentence that the coin was shown with another address, or with another tag where all payments
 * share an address; empty if not.
 */
export function otherAddressText({ other_address, tag }: CheckoutPayment): string {
  if (!other_address) return '';
  return tag === null
    ? msg('Not the address shown before. Payments to either one count.', { id: 'address.other' })
    : msg('Not the tag shown before. Payments with either one count.', { id: 'tag.other' });
}

/** Draws it below the address. */
export const drawOtherAddress = (payment: CheckoutPayment): Drawn => {
  const text = otherAddressText(payment);
  return text ? html`<small part="other-address">${text}</small>` : nothing;
};

/** A hint before the price starts to run; only where the answers follow. */
export const drawRecipientHint = ({ merchant }: Checkout): Drawn =>
  merchant.legal?.asked
    ? drawNote(
        msg(
          'Paying from an exchange? Above 1,000 EUR it asks who receives the money. The answers will be shown with the address.',
          { id: 'recipient.hint' },
        ),
      )
    : nothing;

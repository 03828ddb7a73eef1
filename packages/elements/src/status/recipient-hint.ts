import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { nothing } from 'lit';
import type { Drawn } from '../core/panel.ts';
import { drawNote } from '../components/checkout/note.ts';
import { msg } from '../i18n/locale.ts';

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

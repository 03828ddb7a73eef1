import { type CheckoutPayment, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { msg } from '../locale.ts';
import { type Drawn, type Panel, drawNote } from '../panel.ts';
import { drawContact, drawContinue } from './leave.ts';
import { drawDetails, drawReceiptLink } from './receipt.ts';
import { drawCheck, drawRenew } from './renew.ts';

/** Stages in which a buyer can only wait, or has what is needed: the shop need not be asked. */
const CALM = ['choose', 'pay', 'seen'];
/** Notes that are no matter for the shop. */
const PLAIN = ['test_network', 'reusable'];
/** Stages that no page comes back to by itself. */
const STILL = ['expired', 'late'];

/**
 * What to do next, below what has happened.
 * @param payment - Null while the payment itself is asked for.
 * @param other - The way to the other coins.
 */
export function drawNext(panel: Panel, payment: CheckoutPayment | null, other: Drawn): TemplateResult {
  const { stage, notes } = panel.checkout;
  const asking = !CALM.includes(stage) || notes.some((note) => !PLAIN.includes(note));
  const paid = isPaidStage(stage);
  return html`${drawContinue(panel)}${payment && !paid ? drawRenew(panel) : nothing}
    <div class="row fill">
      ${paid && payment ? drawReceiptLink(panel) : nothing}${other}${asking ? drawContact(panel) : nothing}${
        STILL.includes(stage) ? drawCheck(panel) : nothing
      }
    </div>
    ${payment ? drawDetails(panel, payment) : nothing}`;
}

/** In place of a choice. */
export const drawNoCoins = (panel: Panel): Drawn =>
  html`${drawNote(msg('No coin can be used at the moment. Please ask the shop.', { id: 'choose.none' }))}${drawContact(panel)}`;

/** What the hosted page is called. */
export const pageName = (): string => msg('Payment', { id: 'checkout.label' });

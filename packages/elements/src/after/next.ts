import { type CheckoutPayment, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { msg } from '../locale.ts';
import type { Drawn, Panel } from '../panel.ts';
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
  const ways = [
    paid && payment ? drawReceiptLink(panel) : nothing,
    other,
    asking ? drawContact(panel) : nothing,
    STILL.includes(stage) ? drawCheck(panel) : nothing,
  ].filter((way) => way !== nothing);
  return html`${drawContinue(panel)}${payment && !paid ? drawRenew(panel) : nothing}${
    ways.length ? html`<div class="row fill">${ways}</div>` : nothing
  }${payment ? drawDetails(panel, payment) : nothing}`;
}

/** What the hosted page is called. */
export const pageName = (): string => msg('Payment', { id: 'checkout.label' });

import { type CheckoutPayment, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { msg } from '../locale.ts';
import { type Drawn, type Panel, canChange } from '../panel.ts';
import { isLost } from './came.ts';
import { drawContact, drawContinue, drawRedirect } from './leave.ts';
import { drawDetails, drawKeep, drawReceipt, drawReceiptLink } from './receipt.ts';
import { drawCheck, drawRenew } from './renew.ts';
import { wear } from './sheet.ts';

/** Stages in which a buyer can only wait, or has what is needed: the shop need not be asked. */
const CALM = ['choose', 'pay', 'seen'];
/** Notes that are no matter for the shop. */
const PLAIN = ['test_network', 'reusable'];
/** Stages that no page comes back to by itself. */
const STILL = ['expired', 'late'];

/**
 * What to do next, below what has happened.
 * @param payment - Null while the payment itself is asked for.
 */
export function drawNext(panel: Panel, payment: CheckoutPayment | null): TemplateResult {
  const { stage, notes, received } = panel.checkout;
  const asking = !CALM.includes(stage) || notes.some((note) => !PLAIN.includes(note)) || received.some(isLost);
  const paid = isPaidStage(stage);
  const contact = asking ? drawContact(panel) : nothing;
  const ways = [
    paid && payment ? drawReceiptLink(panel) : nothing,
    // Whoever paid too late should ask before paying once more.
    ...(stage === 'late' ? [contact, drawOther(panel)] : [drawOther(panel), contact]),
    STILL.includes(stage) ? drawCheck(panel) : nothing,
  ].filter((way) => way !== nothing);
  return html`${drawContinue(panel)}${payment && !paid ? drawRenew(panel) : nothing}${
    ways.length ? html`<div class="row fill">${ways}</div>` : nothing
  }${payment ? drawDetails(panel, payment) : nothing}${paid && payment ? drawKeep(panel, payment, 'paper') : nothing}`;
}

/** The other coins are a page of their own: most buyers never look at them, and they are many. */
const drawOther = ({ checkout, page }: Panel): Drawn =>
  canChange(checkout)
    ? html`<a class="button" part="other-coin" href="${page}?show=coins" data-show="coins"
        >${msg('Pay with another coin', { id: 'other' })}</a
      >`
    : nothing;

/** What takes the place of the stage: a link to the hosted page where the shop wants that, or the receipt. */
export function drawInstead(panel: Panel): TemplateResult | undefined {
  const { host, checkout, redirect, show } = panel;
  wear(host);
  if (redirect && !isPaidStage(checkout.stage)) return drawRedirect(panel);
  return show === 'receipt' && checkout.payment ? drawReceipt(panel, checkout.payment) : undefined;
}

/** What the hosted page is called. */
export const pageName = (): string => msg('Payment', { id: 'checkout.label' });

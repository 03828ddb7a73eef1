import { isPaidStage } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { msg } from '../i18n/locale.ts';
import type { Drawn, Panel } from '../core/panel.ts';
import { receipt } from '../core/lazy-registry.ts';
import { troubleIn } from '../core/trouble.ts';
import { canChange } from '../core/payment.ts';
import { drawPayments } from './progress.ts';
import { isLate } from './received.ts';
import { drawContact, drawContinue, drawRedirect, drawStay } from './return-to-shop.ts';
import { drawDetails, drawKeepLink, drawReceiptLink } from './details.ts';
import { applyStatusStyles } from './sheet.ts';

/** Stages in which the shop need not be contacted. */
const CALM = ['choose', 'pay', 'seen'];
/** Notes that do not concern the shop. */
const PLAIN = ['test_network', 'reusable'];
/**
 * Draws the next steps below the stage.
 * @param asks - The payment details are on the screen. If not, the received payments are drawn
 * here, below a new price.
 */
export function drawNextSteps(panel: Panel, asks: boolean | null | undefined): TemplateResult {
  const { stage, notes, received, payment: last } = panel.checkout;
  const payment = asks ? null : last;
  // Money without its tag never shows here: only the shop can find it.
  const asking =
    (asks && last?.tag) ||
    !CALM.includes(stage) ||
    notes.some((note) => !PLAIN.includes(note)) ||
    received.some(isLate);
  const paid = isPaidStage(stage);
  const trouble = troubleIn(panel.checkout);
  const main = trouble?.needsShopFirst(panel.checkout) ?? false;
  const contact = asking ? drawContact(panel, main) : nothing;
  const ways = [
    drawStay(panel),
    // In trouble, contacting the shop comes before paying again.
    main ? contact : nothing,
    paid && payment ? drawReceiptLink(panel) : nothing,
    drawOther(panel),
    main ? nothing : contact,
    trouble?.drawCheckLink(panel) ?? nothing,
  ].filter((way) => way !== nothing);
  return html`${payment && !paid ? trouble?.drawRenewForm(panel) : nothing}${asks ? nothing : drawPayments(panel)}${drawContinue(panel)}${
    ways.length ? html`<div class="row fill">${ways}</div>` : nothing
  }${payment ? drawDetails(panel, payment) : nothing}${last && received.length ? drawKeepLink(panel, paid && !trouble ? 'paper' : '') : nothing}`;
}

/** The other coins are a view of their own: they are many, and most buyers do not need them. */
const drawOther = ({ checkout, page }: Panel): Drawn =>
  canChange(checkout)
    ? html`<a class="button" part="other-coin" href="${page}?show=coins" data-show="coins"
        >${msg('Change coin', { id: 'other' })}</a
      >`
    : nothing;

/**
 * Draws what replaces the stage: a link to the hosted page with `mode="redirect"`, or the receipt.
 */
export function drawInstead(panel: Panel): TemplateResult | undefined {
  const { host, checkout, redirect, show } = panel;
  applyStatusStyles(host);
  if (redirect && !isPaidStage(checkout.stage)) return drawRedirect(panel);
  return show === 'receipt' && checkout.payment
    ? receipt()?.drawReceipt(panel, checkout.payment)
    : undefined;
}

/** Title of the hosted page. */
export const pageName = (): string => msg('Payment', { id: 'checkout.label' });

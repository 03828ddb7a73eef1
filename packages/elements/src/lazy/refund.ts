/** Getting money back; loaded once there is money to return, or a refund to show. */
import { html } from 'lit';
import type { CheckoutHost } from '../core/contracts.ts';
import type { Drawn, Panel } from '../core/panel.ts';
import { statusModule } from '../core/lazy-registry.ts';
import '../components/refund/refund.ts';
import { askText, nextRefund } from '../components/refund/refunds.ts';
export {
  askText,
  drawRefunds,
  refundName,
  refundRows,
  refundText,
  replaceText,
  waitText,
} from '../components/refund/refunds.ts';
export { checkedText, type RefundForm } from '../components/refund/refund.ts';
export { type Refusal, type RefundProblem, refundProblem } from '../server/refund-request.ts';

/** Draws the form in place of the stage; undefined once nothing can be asked for. */
export function drawRefundForm({ host, checkout, url, page }: Panel): Drawn | undefined {
  if (!nextRefund(checkout)) return undefined;
  const done = (): void => {
    const element = host as CheckoutHost;
    element.show = 'stage';
    element.refresh();
  };
  return html`<div class="stack" part="stage">
    <h2 part="heading" tabindex="-1">${askText()}</h2>
    <crypto-refund
      part="refund-form"
      .checkout=${checkout}
      .action="${url}/refund"
      .done=${done}
    ></crypto-refund>
    ${statusModule()?.drawCloseLink(page)}
  </div>`;
}

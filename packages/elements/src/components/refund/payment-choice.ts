import type { Checkout, CheckoutRefundable } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html } from 'lit';
import { trouble } from '../../core/lazy-registry.ts';
import { msg } from '../../i18n/locale.ts';
import { formatShortTimestamp } from '../../i18n/time.ts';
import { joinFacts } from '../../status/progress.ts';
import { coinSum } from '../../status/received.ts';
import { refundText, replacedBy, shortOf } from './refunds.ts';

/** Draws the payments that can come back, for the buyer to choose one: each is a request. */
export const drawPaymentChoice = (
  payments: readonly CheckoutRefundable[],
  chosen: CheckoutRefundable,
  checkout: Checkout,
  language: string,
): TemplateResult =>
  html`<fieldset part="refund-payments">
    <legend><b>${msg('Transaction', { id: 'details.transaction' })}</b></legend>
    ${payments.map(
      (one) =>
        html`<label part="refund-payment"
          ><input
            type="radio"
            name="transaction"
            .value=${one.transaction}
            ?checked=${one === chosen}
          /><span
            ><bdi>${coinSum(one.amount, one.symbol, checkout.payment, language)}</bdi>
            <small>${factsOf(one, checkout, language)}</small></span
          ></label
        >`,
    )}
  </fieldset>`;

/** Reason, time and short transaction id, which tell payments apart, and an earlier request. */
function factsOf(money: CheckoutRefundable, checkout: Checkout, language: string): unknown {
  const { transaction } = money;
  const payment = checkout.received.find(({ txid }) => txid === transaction);
  const replaced = replacedBy(money, checkout);
  return joinFacts([
    (payment && trouble()?.paymentMark(payment, checkout, language)) ?? reasonOf(money),
    payment ? formatShortTimestamp(payment.created_at, language) : null,
    shortOf(transaction),
    replaced ? `${refundText(replaced.status)} → ${shortOf(replaced.address)}` : null,
  ]);
}

/** The stage or note whose heading says why the money can come back. */
const REASONS: Readonly<Record<string, string>> = {
  late: 'late',
  excess: 'overpaid',
  expired: 'underpaid',
};

const reasonOf = ({ cause }: CheckoutRefundable): string | null =>
  trouble()?.troubleTexts(REASONS[cause] ?? '')?.title ?? null;

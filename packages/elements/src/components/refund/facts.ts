import type { CheckoutRefundable } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { networkName } from '../../core/payment.ts';
import { msg, str } from '../../i18n/locale.ts';
import { feeOf, feeText, receiveText, refundName } from './refunds.ts';

/**
 * Draws the amount that arrives, above the refund and the network fee. It is an estimate until the
 * approval, also after the check.
 * @param exact - The amount of the check; null before it.
 */
export function drawFacts(
  { kind, amount, network: fullName, fee, received, cause }: CheckoutRefundable,
  exact: string | null,
  coins: (sum: string) => string,
): TemplateResult {
  const network = networkName({ kind, network: fullName });
  const arrives = exact ?? received;
  const cost = exact === null ? fee : feeOf(amount, exact);
  const hasFee = Boolean(cost && cost !== '0');
  const about = hasFee ? '~' : '';
  const rows = [
    [receiveText(), arrives && about + coins(arrives), 'sum'] as const,
    [
      refundName(),
      html`${[
        network ? msg(str`${coins(amount)} on ${network}`, { id: 'coin.on' }) : coins(amount),
        hasFee && feeText(about + coins(cost!)),
      ]
        .filter(Boolean)
        .join(' · ')}${cause === 'excess' ? html`<br /><small>${partText()}</small>` : nothing}`,
    ],
  ];
  return html`<dl part="facts">
    ${rows.map(([label, value, look]) =>
      value
        ? html`<div part="fact">
            <dt>${label}</dt>
            <dd class=${look ?? ''}><bdi>${value}</bdi></dd>
          </div>`
        : nothing,
    )}
  </dl>`;
}

const partText = (): string => msg('Only this part goes back.', { id: 'refund.part' });

import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, isServer, nothing } from 'lit';
import { msg } from '../i18n/locale.ts';
import { formatPrice } from '../i18n/number.ts';
import type { Fact, Panel } from '../core/panel.ts';
import { coinName, networkName } from '../core/payment.ts';
import { coinSum, isGone, paymentRate, receivedAmount } from './received.ts';
import { joinFacts } from './progress.ts';

/** Draws the payment's facts in a `<details>` element. */
export function drawDetails(panel: Panel, payment: CheckoutPayment): TemplateResult {
  return html`<details part="details">
    <summary>${msg('Payment details', { id: 'details.title' })}</summary>
    ${drawRows([...orderRows(panel), ...paymentRows(panel, payment)])}
  </details>`;
}

/**
 * Draws the link to the receipt, which works for ever where this checkout's own link is known.
 * @param look - `paper` for print only.
 */
export function drawKeepLink({ page }: Panel, className = ''): TemplateResult {
  const proof = `${page}?show=receipt`;
  // Only a browser can resolve the relative address of a server-drawn page.
  const text =
    isServer || !URL.canParse(proof, document.baseURI)
      ? proof
      : new URL(proof, document.baseURI).href;
  return html`<p class=${className} part="keep">
    ${msg('Save this link to see this payment any time.', { id: 'receipt.keep' })}
    <a part="keep-link" href=${proof} target="_blank"><bdi>${text}</bdi></a>
  </p>`;
}

export function orderRows({ checkout, language }: Panel): Fact[] {
  const { merchant, order, received } = checkout;
  // The recipient is named only if something arrived.
  const came = receivedAmount(checkout, language) || received.some((one) => !isGone(one));
  return [
    [msg('Paid to', { id: 'details.merchant' }), came && merchant.name],
    [msg('Order number', { id: 'details.order' }), order.order_id],
    [msg('Amount', { id: 'amount' }), order.amount && formatPrice(order.amount, language)],
  ];
}

export function paymentRows(panel: Panel, payment: CheckoutPayment): Fact[] {
  const { checkout, language } = panel;
  const { symbol, name, network, due, address, tag, invoice_id } = payment;
  return [
    [msg('Coin', { id: 'details.coin' }), coinText(name, symbol, network)],
    [
      msg('Price', { id: 'details.price' }),
      joinFacts([
        due && coinSum(due, symbol, payment, language),
        paymentRate(payment, checkout, language),
      ]),
    ],
    receivedRow(panel),
    [msg('Address', { id: 'address' }), address],
    [msg('Destination tag', { id: 'tag' }), tag],
    [msg('Invoice', { id: 'details.invoice' }), invoice_id],
  ];
}

/** "Tether (USDT), TRON (TRC20)"; a coin with the name of its network stands alone. */
export function coinText(name: string, symbol: string, network: string): string {
  const chain = networkName({ kind: symbol, network });
  return `${coinName({ name, symbol })}${chain === name ? '' : `, ${chain}`}`;
}

export const receivedRow = ({ checkout, language }: Panel): Fact => [
  msg('Received', { id: 'details.received' }),
  receivedAmount(checkout, language),
];

export const drawRows = (rows: readonly Fact[]): TemplateResult =>
  html`<dl part="facts">
    ${rows.map(([label, value]) =>
      value
        ? html`<div part="fact">
            <dt>${label}</dt>
            <dd><bdi>${value}</bdi></dd>
          </div>`
        : nothing,
    )}
  </dl>`;

/** Draws the link to the receipt. */
export const drawReceiptLink = ({ page }: Panel): TemplateResult =>
  html`<a class="button" part="receipt-link" href="${page}?show=receipt" data-show="receipt"
    >${msg('Receipt', { id: 'receipt' })}</a
  >`;

/** Draws the link back to the stage. */
export const drawCloseLink = (page: string, text = msg('Close', { id: 'close' })): TemplateResult =>
  html`<a class="button" part="close-link" href=${page} data-show="stage">${text}</a>`;

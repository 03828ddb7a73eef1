import {
  type CheckoutPayment,
  type CheckoutReceived,
  isPaidStage,
} from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, isServer, nothing } from 'lit';
import { msg } from '../i18n/locale.ts';
import { formatCoins, formatPrice } from '../i18n/number.ts';
import type { Drawn, Fact, Panel } from '../core/panel.ts';
import { refund } from '../core/lazy-registry.ts';
import { rateOf } from '../core/payment.ts';
import { stageTexts } from '../components/status/lazy-stage-texts.ts';
import { receivedAmount, isGone, paymentRate, paymentValue } from './received.ts';
import {
  drawExplorer,
  drawFacts,
  lateNote,
  paymentMark,
  noteText,
  confirmationsText,
} from './notes.ts';
import { sentences } from '../i18n/sentences.ts';
import { formatTimestamp } from '../i18n/time.ts';

/** Draws the payment's facts in a `<details>` element. */
export function drawDetails(panel: Panel, payment: CheckoutPayment): TemplateResult {
  return html`<details part="details">
    <summary>${msg('Payment details', { id: 'details.title' })}</summary>
    ${drawRows([...orderRows(panel), ...paymentRows(panel, payment)])}
  </details>`;
}

/** Draws the receipt, for printing. */
export function drawReceipt(panel: Panel, payment: CheckoutPayment): TemplateResult {
  const { checkout, language, page } = panel;
  const { stage, notes, received } = checkout;
  // Several payments, or a payment to another invoice than the current one.
  const several =
    received.length > 1 || received.some(({ invoice_id }) => invoice_id !== payment.invoice_id);
  return html`<div class="stack receipt" part="receipt">
    <h2 part="heading" tabindex="-1">${msg('Receipt', { id: 'receipt' })}</h2>
    ${drawRows([
      [
        msg('Status', { id: 'details.status' }),
        sentences(
          stageTexts(stage).title,
          finality(panel),
          ...notes.map((note) => noteText(note, checkout, language)),
          lateNote(checkout, language),
        ),
      ],
      ...orderRows(panel),
      ...(several ? [receivedRow(panel)] : paymentRows(panel, payment)),
    ])}
    ${received.map((one) => drawRows(receivedRows(panel, one, several)))}
    ${refund()?.refundRows(panel).map(drawRows)}
    ${drawKeepLink(panel, payment)}${drawFile(panel)}${drawMailLink(panel)}
    <button
      class="primary script"
      type="button"
      part="print-button"
      @click=${() => globalThis.print()}
    >
      ${msg('Print', { id: 'receipt.print' })}
    </button>
    ${drawCloseLink(page)}
  </div>`;
}

/**
 * Draws the link to the receipt that the payment service has signed; a demonstration has none. Its
 * text is the file's name.
 */
const drawFile = ({ checkout, host, page }: Panel): Drawn =>
  isPaidStage(checkout.stage) && !('demo' in host && host.demo)
    ? html`<a class="button" part="receipt-file" href="${page}receipt?format=jws" download
        >receipt.jws</a
      >`
    : nothing;

/** Draws the link to the page that sends the receipt. */
const drawMailLink = ({ checkout, page }: Panel): Drawn =>
  checkout.mails_receipt
    ? html`<a class="button" part="receipt-mail" href="${page}receipt">${mailText()}</a>`
    : nothing;

export const mailText = (): string => msg('Send this receipt by email', { id: 'receipt.mail' });

export const sentText = (): string => msg('Receipt sent.', { id: 'receipt.mailed' });

/**
 * Draws the permanent link to the invoice, which stays valid whatever happens to the order.
 * @param look - `paper` for print only.
 */
export function drawKeepLink(
  { page }: Panel,
  { invoice_id }: CheckoutPayment,
  className = '',
): TemplateResult {
  const proof = page.replace(
    /pay\/[^/]+\/$/,
    `invoice/${encodeURIComponent(invoice_id)}/?show=receipt`,
  );
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

/** Confirmations until finality: part of the proof, but of no use while waiting. */
const finality = ({ checkout: { stage, payment } }: Panel): string =>
  stage === 'paid' && payment?.confirmations.final
    ? confirmationsText(payment.confirmations.have, payment.confirmations.final)
    : '';

function orderRows({ checkout, language }: Panel): Fact[] {
  const { merchant, order, received } = checkout;
  // The recipient is named only if something arrived.
  const came = receivedAmount(checkout, language) || received.some((one) => !isGone(one));
  return [
    [msg('Paid to', { id: 'details.merchant' }), came && merchant.name],
    [msg('Order number', { id: 'details.order' }), order.order_id],
    [msg('Amount', { id: 'amount' }), order.amount && formatPrice(order.amount, language)],
  ];
}

function paymentRows(panel: Panel, payment: CheckoutPayment): Fact[] {
  const { checkout, language } = panel;
  const { symbol, name, network, due, address, tag, invoice_id } = payment;
  return [
    [msg('Coin', { id: 'details.coin' }), `${name} (${symbol}), ${network}`],
    [
      msg('Price', { id: 'details.price' }),
      drawFacts([due && `${formatCoins(due, language)} ${symbol}`, rateOf(checkout, language)]),
    ],
    receivedRow(panel),
    [msg('Address', { id: 'address' }), address],
    [msg('Destination tag', { id: 'tag' }), tag],
    [msg('Invoice', { id: 'details.invoice' }), invoice_id],
  ];
}

const receivedRow = ({ checkout, language }: Panel): Fact => [
  msg('Received', { id: 'details.received' }),
  receivedAmount(checkout, language),
];

/**
 * Facts of one payment; coin, rate, destination and invoice unless they are listed above for all.
 */
function receivedRows(
  { checkout, language }: Panel,
  one: CheckoutReceived,
  alone: boolean,
): Fact[] {
  const { name, symbol, network, txid, explorer_url, created_at, invoice_id, address, tag } = one;
  const worth = paymentValue(one, checkout, language);
  return [
    [
      msg('Transaction', { id: 'details.transaction' }),
      drawExplorer(explorer_url, txid, html`<bdi>${txid}</bdi>`),
    ],
    [msg('Amount', { id: 'amount' }), isGone(one) ? html`<s>${worth}</s>` : worth],
    [msg('Status', { id: 'details.status' }), paymentMark(one, checkout)],
    [msg('Time', { id: 'details.time' }), formatTimestamp(created_at, language)],
    [msg('Price', { id: 'details.price' }), alone && paymentRate(one, checkout, language)],
    [msg('Coin', { id: 'details.coin' }), alone && `${name} (${symbol}), ${network}`],
    [msg('Address', { id: 'address' }), alone && address],
    [msg('Destination tag', { id: 'tag' }), alone && tag],
    [msg('Invoice', { id: 'details.invoice' }), alone && invoice_id],
  ];
}

const drawRows = (rows: readonly Fact[]): TemplateResult =>
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
export const drawCloseLink = (page: string): TemplateResult =>
  html`<a class="button" part="close-link" href=${page} data-show="stage"
    >${msg('Close', { id: 'close' })}</a
  >`;

import type { CheckoutPayment, CheckoutReceived } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, isServer, nothing } from 'lit';
import { msg } from '../locale.ts';
import { formatCoins, formatMoney } from '../number.ts';
import { type Panel, rateOf } from '../panel.ts';
import { wordsOf } from '../stage.ts';
import { arrived, isGone, priceOf, worthOf } from './came.ts';
import { drawExplorer, drawFacts, lateFigures, markOf, noteOf, wordsOfConfirmations } from './news.ts';
import { sentences } from './sentence.ts';
import { moment } from './time.ts';

type Row = readonly [label: string, value: unknown];

/** What a buyer needs to prove a payment, when the payment itself is no longer asked for. */
export function drawDetails(panel: Panel, payment: CheckoutPayment): TemplateResult {
  return html`<details part="details">
    <summary>${msg('Payment details', { id: 'details.title' })}</summary>
    ${drawRows([...orderRows(panel), ...paymentRows(panel, payment)])}
  </details>`;
}

/** All of it on one sheet, to print and to keep. */
export function drawReceipt(panel: Panel, payment: CheckoutPayment): TemplateResult {
  const { checkout, language, page } = panel;
  const { stage, notes, received } = checkout;
  // In several parts, or to another invoice than the one that is shown.
  const several = received.length > 1 || received.some(({ invoice_id }) => invoice_id !== payment.invoice_id);
  return html`<div class="stack receipt" part="receipt">
    <h2 part="heading" tabindex="-1">${msg('Receipt', { id: 'receipt' })}</h2>
    ${drawRows([
      [
        msg('Status', { id: 'details.status' }),
        sentences(
          wordsOf(stage).title,
          finality(panel),
          ...notes.map((note) => noteOf(note, checkout, language)),
          lateFigures(checkout, language),
        ),
      ],
      ...orderRows(panel),
      ...(several ? [receivedRow(panel)] : paymentRows(panel, payment)),
    ])}
    ${received.map((one) => drawRows(receivedRows(panel, one, several)))} ${drawKeep(panel, payment)}
    <button class="primary script" type="button" part="print-button" @click=${() => globalThis.print()}>
      ${msg('Print', { id: 'receipt.print' })}
    </button>
    ${drawClose(page)}
  </div>`;
}

/**
 * The address that proves it: that of the invoice, which is shown for as long as the service knows it, whatever becomes of the order.
 * @param look - `paper` where a receipt can be opened instead.
 */
export function drawKeep({ page }: Panel, { invoice_id }: CheckoutPayment, look = ''): TemplateResult {
  const proof = page.replace(/pay\/[^/]+\/$/, `invoice/${encodeURIComponent(invoice_id)}/?show=receipt`);
  // A server that draws its own page leaves it to that to say where it is reached.
  const text = isServer || !URL.canParse(proof, document.baseURI) ? proof : new URL(proof, document.baseURI).href;
  return html`<p class=${look} part="keep">
    ${msg('Keep this link: it always shows this payment.', { id: 'receipt.keep' })}
    <a part="keep-link" href=${proof} target="_blank"><bdi>${text}</bdi></a>
  </p>`;
}

/** How far it is from what nothing can change: of no use to a buyer who waits, but a part of the proof. */
const finality = ({ checkout: { stage, payment } }: Panel): string =>
  stage === 'paid' && payment?.confirmations.final ? wordsOfConfirmations(payment.confirmations.have, payment.confirmations.final) : '';

function orderRows({ checkout, language }: Panel): Row[] {
  const { merchant, order, received } = checkout;
  // Of nothing that came it is not said to whom it was paid.
  const came = arrived(checkout, language) || received.some((one) => !isGone(one));
  return [
    [msg('Paid to', { id: 'details.merchant' }), came && merchant.name],
    [msg('Order number', { id: 'details.order' }), order.order_id],
    [msg('Amount', { id: 'amount' }), order.amount && `${formatMoney(order.amount.amount, language)} ${order.amount.currency}`],
  ];
}

function paymentRows(panel: Panel, payment: CheckoutPayment): Row[] {
  const { checkout, language } = panel;
  const { symbol, name, network, due, address, tag, invoice_id } = payment;
  return [
    [msg('Coin', { id: 'details.coin' }), `${name} (${symbol}), ${network}`],
    [msg('Price', { id: 'details.price' }), drawFacts([due && `${formatCoins(due, language)} ${symbol}`, rateOf(checkout, language)])],
    receivedRow(panel),
    [msg('Address', { id: 'address' }), address],
    [msg('Destination tag', { id: 'tag' }), tag],
    [msg('Invoice', { id: 'details.invoice' }), invoice_id],
  ];
}

const receivedRow = ({ checkout, language }: Panel): Row => [msg('Received', { id: 'details.received' }), arrived(checkout, language)];

/** What proves one payment; the coin, its price, where it went and its invoice where they are not told above for all of it. */
function receivedRows({ checkout, language }: Panel, one: CheckoutReceived, alone: boolean): Row[] {
  const { name, symbol, network, txid, explorer_url, created_at, invoice_id, address, tag } = one;
  const worth = worthOf(one, checkout, language);
  return [
    [msg('Transaction', { id: 'details.transaction' }), drawExplorer(explorer_url, txid, html`<bdi>${txid}</bdi>`)],
    [msg('Amount', { id: 'amount' }), isGone(one) ? html`<s>${worth}</s>` : worth],
    [msg('Status', { id: 'details.status' }), markOf(one, checkout)],
    [msg('Time', { id: 'details.time' }), moment(created_at, language)],
    [msg('Price', { id: 'details.price' }), alone && priceOf(one, checkout, language)],
    [msg('Coin', { id: 'details.coin' }), alone && `${name} (${symbol}), ${network}`],
    [msg('Address', { id: 'address' }), alone && address],
    [msg('Destination tag', { id: 'tag' }), alone && tag],
    [msg('Invoice', { id: 'details.invoice' }), alone && invoice_id],
  ];
}

const drawRows = (rows: readonly Row[]): TemplateResult =>
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

/** The way to the receipt, once there is something to prove. */
export const drawReceiptLink = ({ page }: Panel): TemplateResult =>
  html`<a class="button" part="receipt-link" href="${page}?show=receipt" data-show="receipt">${msg('Receipt', { id: 'receipt' })}</a>`;

/** The way back to the stage. */
export const drawClose = (page: string): TemplateResult =>
  html`<a class="button" part="close-link" href=${page} data-show="stage">${msg('Close', { id: 'close' })}</a>`;

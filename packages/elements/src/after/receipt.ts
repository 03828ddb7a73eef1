import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { pageLink } from '../link.ts';
import { msg } from '../locale.ts';
import { formatMoney, isPositive } from '../number.ts';
import { type Panel, rateOf } from '../panel.ts';
import { wordsOf } from '../stage.ts';
import { drawExplorer, noteOf, wordsOfConfirmations } from './news.ts';
import { moment } from './time.ts';

type Row = readonly [label: string, value: unknown];

/** What a buyer needs to prove a payment, when the payment itself is no longer asked for. */
export function drawDetails(panel: Panel, payment: CheckoutPayment): TemplateResult {
  return html`<details part="details" ?open=${panel.checkout.stage === 'expired'}>
    <summary>${msg('Payment details', { id: 'details.title' })}</summary>
    ${drawRows([...orderRows(panel), ...paymentRows(panel, payment)])}
  </details>`;
}

/** All of it on one sheet, to print and to keep. */
export function drawReceipt(panel: Panel, payment: CheckoutPayment): TemplateResult {
  const { checkout, language, page } = panel;
  const { stage, notes } = checkout;
  return html`<div class="stack receipt" part="receipt">
    <h2 part="heading" tabindex="-1">${msg('Receipt', { id: 'receipt' })}</h2>
    ${drawRows([
      [
        msg('Status', { id: 'details.status' }),
        [wordsOf(stage).title, finality(panel), ...notes.map((note) => noteOf(note, payment))].filter(Boolean).join('. '),
      ],
      ...orderRows(panel),
      ...paymentRows(panel, payment),
      ...payment.transactions.flatMap((transaction): Row[] => [
        [
          msg('Transaction', { id: 'details.transaction' }),
          drawExplorer(transaction.explorer_url, transaction.txid, html`<bdi>${transaction.txid}</bdi>`),
        ],
        [msg('Amount', { id: 'amount' }), notes.includes('wrong_coin') ? transaction.amount : `${transaction.amount} ${payment.symbol}`],
        [msg('Time', { id: 'details.time' }), moment(transaction.created_at, language)],
      ]),
    ])}
    <p part="keep">
      ${msg('Keep this link: it always shows this payment.', { id: 'receipt.keep' })}
      ${pageLink(page) ? html`<a part="keep-link" href=${page}><bdi>${page}</bdi></a>` : nothing}
    </p>
    <button class="primary script" type="button" part="print-button" @click=${() => globalThis.print()}>
      ${msg('Print', { id: 'receipt.print' })}
    </button>
    ${drawClose(page)}
  </div>`;
}

/** How far it is from what nothing can change: of no use to a buyer who waits, but a part of the proof. */
const finality = ({ checkout: { stage, payment } }: Panel): string =>
  stage === 'paid' && payment?.confirmations.final ? wordsOfConfirmations(payment.confirmations.have, payment.confirmations.final) : '';

function orderRows({ checkout, language }: Panel): Row[] {
  const { merchant, order } = checkout;
  return [
    [msg('Paid to', { id: 'details.merchant' }), merchant.name],
    [msg('Order number', { id: 'details.order' }), order.order_id],
    [msg('Amount', { id: 'amount' }), order.amount && `${formatMoney(order.amount.amount, language)} ${order.amount.currency}`],
  ];
}

function paymentRows({ checkout, language }: Panel, payment: CheckoutPayment): Row[] {
  const { symbol, name, network, due, paid, address, tag, invoice_id } = payment;
  return [
    [msg('Coin', { id: 'details.coin' }), `${name} (${symbol}), ${network}`],
    [msg('Price', { id: 'details.price' }), [due && `${due} ${symbol}`, rateOf(checkout, language)].filter(Boolean).join(' · ')],
    [msg('Received', { id: 'details.received' }), isPositive(paid) && `${paid} ${symbol}`],
    [msg('Address', { id: 'address' }), address],
    [msg('Destination tag', { id: 'tag' }), tag],
    [msg('Invoice', { id: 'details.invoice' }), invoice_id],
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

import {
  type CheckoutPayment,
  type CheckoutReceived,
  isPaidStage,
} from '@crypto-checkout/protocol/checkout';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open-stages';
import { type TemplateResult, html, nothing } from 'lit';
import { msg, str } from '../i18n/locale.ts';
import type { Drawn, Fact, Panel } from '../core/panel.ts';
import { refund } from '../core/lazy-registry.ts';
import { troubleIn } from '../core/trouble.ts';
import { stageTexts } from '../components/status/lazy-stage-texts.ts';
import {
  drawCloseLink,
  coinText,
  drawKeepLink,
  drawRows,
  orderRows,
  paymentRows,
  receivedRow,
} from './details.ts';
import { isGone, paymentRate, paymentValue } from './received.ts';
import { drawExplorer, confirmationsText } from './progress.ts';
import { drawContact } from './return-to-shop.ts';
import { sentences } from '../i18n/sentences.ts';
import { formatTimestamp } from '../i18n/time.ts';

/** Draws the receipt, for printing; until the order is paid, the details of the payment. */
export function drawReceipt(panel: Panel, payment: CheckoutPayment): TemplateResult {
  const { checkout, language, page } = panel;
  const { stage, notes, received } = checkout;
  const trouble = troubleIn(checkout);
  // The link to save opens this page: money on its way, or to ask for, comes first.
  const paid = isPaidStage(stage);
  const asks = checkout.refundable?.some(({ ready }) => ready);
  // Several payments, or a payment to another invoice than the current one.
  const several =
    received.length > 1 || received.some(({ invoice_id }) => invoice_id !== payment.invoice_id);
  return html`<div class="stack receipt" part="receipt">
    <h2 part="heading" tabindex="-1">
      ${paid ? msg('Receipt', { id: 'receipt' }) : msg('Payment details', { id: 'details.title' })}
    </h2>
    ${refund()?.drawRefunds(panel)}${paid ? nothing : drawNext(panel, payment, !asks)}
    ${drawRows([
      [
        msg('Status', { id: 'details.status' }),
        sentences(
          UNPAID.includes(stage) && msg('Not paid', { id: 'receipt.unpaid' }),
          stage !== 'pay' && stageTexts(trouble?.shownStage(checkout) ?? stage).title,
          stage === 'late' && trouble?.stageSentence(checkout, language),
          finality(panel),
          ...notes.map((note) => trouble?.noteText(note, checkout, language)),
          trouble?.lateNote(checkout, language),
        ),
      ],
      ...orderRows(panel),
      ...(several ? [receivedRow(panel)] : paymentRows(panel, payment)),
    ])}
    ${received.map((one) => drawRows(receivedRows(panel, one, several)))}
    ${refund()?.refundRows(panel).map(drawRows)}
    ${drawKeepLink(panel)}${drawFile(panel)}${drawMailLink(panel)}
    <button
      class="script ${paid && !asks ? 'primary' : ''}"
      type="button"
      part="print-button"
      @click=${() => globalThis.print()}
    >
      ${msg('Print', { id: 'receipt.print' })}
    </button>
    ${drawCloseLink(page)}
  </div>`;
}

/** Stages of an order that nothing has paid yet. */
const UNPAID = ['pay', 'expired', 'failed'];

/** Draws the way to pay, to a new price, or to the shop. */
function drawNext(panel: Panel, { symbol, renewable }: CheckoutPayment, main: boolean): Drawn {
  const { checkout, page } = panel;
  if (renewable) return troubleIn(checkout)?.drawRenewForm(panel) ?? nothing;
  return OPEN_STAGES.includes(checkout.stage)
    ? html`<a
        class="button ${main ? 'primary' : ''}"
        part="stage-link"
        href=${page}
        data-show="stage"
        >${msg(str`Pay with ${symbol}`, { id: 'wallet.with' })}</a
      >`
    : ['late', 'failed'].includes(checkout.stage)
      ? drawContact(panel, main)
      : nothing;
}

/**
 * Draws the link to the receipt that the payment service has signed, which has its files. It opens
 * beside the checkout: in a shop's page this one must stay. A demonstration has none, and
 * nor has an order of which the service signs none.
 */
const drawFile = ({ checkout: { stage, lacks_receipt }, host, page }: Panel): Drawn =>
  isPaidStage(stage) && !lacks_receipt && !('demo' in host && host.demo)
    ? html`<a
        class="button"
        part="receipt-file"
        href="${page}receipt"
        target="_blank"
        rel="noreferrer"
        >${msg('Signed receipt', { id: 'receipt.signed' })}</a
      >`
    : nothing;

/** Draws the link to the page that sends the receipt. */
const drawMailLink = ({ checkout, page }: Panel): Drawn =>
  checkout.mails_receipt
    ? html`<a class="button" part="receipt-mail" href="${page}receipt">${mailText()}</a>`
    : nothing;

export const mailText = (): string => msg('Send this receipt by email', { id: 'receipt.mail' });

export const sentText = (): string => msg('Receipt sent.', { id: 'receipt.mailed' });

/** Whether the payment is final: part of the proof, but of no use while waiting. */
function finality({ checkout: { stage, payment } }: Panel): string {
  if (stage === 'complete') return stageTexts(stage).text;
  if (stage !== 'paid' || !payment?.confirmations.final) return '';
  const { have, final } = payment.confirmations;
  const confirmations = confirmationsText(have, final);
  return msg(str`Not final yet. ${confirmations}`, { id: 'receipt.open' });
}

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
    [
      msg('Status', { id: 'details.status' }),
      troubleIn(checkout)?.receiptMark(one, checkout, language),
    ],
    [msg('Time', { id: 'details.time' }), formatTimestamp(created_at, language)],
    [msg('Price', { id: 'details.price' }), alone && paymentRate(one, checkout, language)],
    [msg('Coin', { id: 'details.coin' }), alone && coinText(name, symbol, network)],
    [msg('Address', { id: 'address' }), alone && address],
    [msg('Destination tag', { id: 'tag' }), alone && tag],
    [msg('Invoice', { id: 'details.invoice' }), alone && invoice_id],
  ];
}

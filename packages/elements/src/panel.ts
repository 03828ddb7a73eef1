import { type Checkout, type CheckoutPayment, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import './address.ts';
import './amount.ts';
import './coin-picker.ts';
import './countdown.ts';
import type { CheckoutErrorCode } from './event.ts';
import { icon } from './icon.ts';
import { later, needsAfter } from './later.ts';
import { walletLink } from './link.ts';
import { msg, str } from './locale.ts';
import { formatMoney, isPositive } from './number.ts';
import './qr.ts';
import { wordsOf } from './stage.ts';
import './status.ts';

/** What the drawing of a stage needs besides the checkout. */
export interface Panel {
  host: Element;
  checkout: Checkout;
  language: string;
  /** Where forms go without a script: the checkout's own address. */
  url: string;
  /** The hosted page of this checkout. */
  page: string;
  /** The shop wants the buyer to pay there: only a link is drawn. */
  redirect?: boolean;
  /** What the buyer looks at: the stage, all coins, or the receipt. */
  show?: Show;
  /** It is time to offer more of it. */
  moreTime?: boolean;
  busy: boolean;
  /** Since when there is no connection; 0 while there is one. */
  lostAt?: number;
  /** Why the last thing that the buyer asked for did not happen. */
  refused?: CheckoutErrorCode | null;
  onRenew?(event: Event): void;
  onLeave(event: Event): void;
}

export type Show = 'stage' | 'coins' | 'receipt';

export type Drawn = TemplateResult | typeof nothing;

/** Stages in which a payment is asked for, as long as its price holds. */
const OPEN = ['pay', 'underpaid', 'failed'];
/** The stage in the middle: what happened, what to do. */
export function drawStage(panel: Panel): TemplateResult {
  const { checkout } = panel;
  const { stage, notes, payment, server_time } = checkout;
  const redirect = panel.redirect ?? panel.page !== '';
  const after = redirect || needsAfter(checkout) ? later() : undefined;
  if (after && redirect && !isPaidStage(stage)) return after.drawRedirect(panel);
  const holds = payment && !(payment.expires_at && Date.parse(payment.expires_at) <= Date.parse(server_time));
  const asks = holds && (OPEN.includes(stage) || notes.includes('reusable'));
  return html`<div class="stack" part="stage">
    <div class="row ${wordsOf(stage).picture ? 'tall' : ''}">
      <crypto-status
        part="status"
        .stage=${stage}
        .text=${after?.sentenceFor(checkout) ?? ''}
        .have=${payment?.confirmations.have}
        .need=${after?.neededFor(checkout)}
      ></crypto-status
      >${
        asks && payment.expires_at
          ? html`<crypto-countdown part="countdown" .expiresAt=${payment.expires_at} .serverTime=${server_time}></crypto-countdown>`
          : nothing
      }
    </div>
    ${after?.drawNews(panel) ?? nothing}${asks ? drawPayment(payment, rateOf(checkout, panel.language), after?.amountLabel(payment)) : (after?.drawRenew(panel) ?? nothing)}${drawPicker(
      panel,
    )}${payment && !asks ? (after?.drawDetails(panel, payment) ?? nothing) : nothing}
  </div>`;
}

export const drawNote = (text: string | null | undefined, tone = 'warn'): Drawn =>
  text ? html`<p class="note row ${tone}" part="note">${icon('alert')}<span>${text}</span></p>` : nothing;

function drawPayment(payment: CheckoutPayment, rate: string, label: string | undefined): TemplateResult {
  const { symbol, network, strings, lightning, qr, address } = payment;
  const amount = strings.amount ?? payment.remaining ?? payment.due;
  const sum = isPositive(amount) ? `${amount} ${symbol}` : symbol;
  const link = walletLink(strings.link);
  const request = lightning && (lightning.payment_request ?? lightning.lnurl);
  return html`<div class="stack pay">
    <div>
      <crypto-qr
        part="qr"
        .path=${qr.path}
        .size=${qr.size}
        .value=${strings.qr}
        .label=${msg(str`QR code: ${sum} on ${network}`, { id: 'qr' })}
      ></crypto-qr
      >${link ? html`<a class="button primary" part="wallet-link" href=${link}>${msg('Open in wallet', { id: 'wallet' })}</a>` : nothing}
    </div>
    <div>
      ${
        isPositive(amount)
          ? html`<crypto-amount part="amount" .amount=${amount} .symbol=${symbol} .label=${label} .hint=${rate}></crypto-amount>`
          : nothing
      }<crypto-address part="address" .address=${request ? null : address} .tag=${payment.tag} .request=${request}></crypto-address>
      ${drawNote(msg(str`Send only ${symbol} on ${network}. Anything else may be lost.`, { id: 'only' }))}
    </div>
  </div>`;
}

export const rateOf = ({ payment, order }: Checkout, language: string): string =>
  payment?.rate && order.amount ? `1 ${payment.symbol} = ${formatMoney(payment.rate, language)} ${order.amount.currency}` : '';

function drawPicker({ checkout, url, busy }: Panel): Drawn {
  const { stage, coins, payment } = checkout;
  const choose = stage === 'choose';
  if (choose && !coins.length) return later()?.drawNoCoins() ?? nothing;
  if (!choose && (coins.length < 2 || ![...OPEN, 'expired'].includes(stage))) return nothing;
  const picker = html`<crypto-coin-picker
    part="picker"
    .coins=${coins}
    .kind=${payment?.kind ?? null}
    .action="${url}/payment"
    .busy=${busy}
  ></crypto-coin-picker>`;
  return choose
    ? picker
    : html`<details part="other-coin">
        <summary>${msg('Pay with another coin', { id: 'other' })}</summary>
        ${picker}
      </details>`;
}

import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open';
import { type TemplateResult, html, nothing } from 'lit';
import './address.ts';
import './amount.ts';
import './countdown.ts';
import { ALERT, INFO, icon } from './icon.ts';
import { handOff, later, picker } from './later.ts';
import { walletLink } from './link.ts';
import { msg, str } from './locale.ts';
import { formatMoney, isPositive } from './number.ts';
import './qr.ts';
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
  redirect: boolean;
  /** What the buyer looks at: the stage, all coins, or the receipt. */
  show: Show;
  /** It is time to offer more of it. */
  moreTime: boolean | undefined;
  busy: boolean | undefined;
  onLeave(event: Event): void;
}

export type Show = 'stage' | 'coins' | 'receipt';
export type Drawn = TemplateResult | typeof nothing;

/** What a note is: a warning, bad, or only to be known. */
export type Tone = 'warn' | 'bad' | 'wait' | 'good';

/** The stage in the middle: what happened, what to do. */
export function drawStage(panel: Panel): TemplateResult {
  const { checkout, show, page, redirect, language } = panel;
  const { stage, notes, payment, server_time } = checkout;
  const after = later();
  // Where its code cannot be had, a shop that wants the hosted page gets a bare link to it.
  const instead = after
    ? after.drawInstead(panel)
    : redirect && html`<a class="button primary" part="redirect-link" href=${page}>${page}</a>`;
  if (instead) return instead;
  const choose = stage === 'choose' || (show === 'coins' && canChange(checkout));
  // Without an end there is no time, and nothing is later than that.
  const holds = payment && !(payment.expires_at && Date.parse(payment.expires_at) <= Date.parse(server_time));
  const asks = !choose && holds && (OPEN_STAGES.includes(stage) || notes.includes('reusable'));
  return html`<div class="stack" part="stage">
    <crypto-status
      class=${asks ? 'open' : ''}
      part="status"
      .stage=${choose ? 'choose' : stage}
      .text=${choose && payment ? '' : after?.sentenceFor(checkout, language)}
      .have=${payment?.confirmations.have}
      .need=${choose ? 0 : after?.neededFor(checkout)}
      >${
        asks && payment.expires_at
          ? html`<crypto-countdown part="countdown" .expiresAt=${payment.expires_at} .serverTime=${server_time}></crypto-countdown>`
          : nothing
      }</crypto-status
    >
    ${
      choose
        ? picker()?.drawPicker(panel)
        : html`${after?.drawNews(panel)}${asks ? drawPayment(panel, payment) : nothing}
            <div class="stack ${canChange(checkout) ? 'room' : ''}">${after?.drawNext(panel, asks ? null : payment)}</div>`
    }
  </div>`;
}

export const drawNote = (text: string | null | undefined, tone: Tone = 'warn'): Drawn =>
  text
    ? html`<p class="note row ${tone}" part="note">${icon(tone === 'warn' || tone === 'bad' ? ALERT : INFO)}<span>${text}</span></p>`
    : nothing;

function drawPayment(panel: Panel, payment: CheckoutPayment): TemplateResult {
  const { checkout, language } = panel;
  const { symbol, network, strings, lightning, qr, from } = payment;
  const amount = amountOf(payment);
  const after = later();
  const link = walletLink(strings.link);
  const request = lightning && (lightning.payment_request ?? lightning.lnurl);
  // As much room as `drawExtras` is going to need.
  const bitcoins = checkout.coins.filter((coin) => coin.symbol === 'BTC');
  const room = [symbol === 'BTC' && bitcoins.length > 1 && 'twin', !request && isPositive(payment.due) && 'from'];
  const label = after?.nameOfCode(payment, language);
  const code = html`<crypto-qr part="qr" .path=${qr.path} .size=${qr.size} .value=${strings.qr} .label=${label}></crypto-qr>`;
  const only = drawNote(msg(str`Send only ${symbol} on ${network}. Anything else may be lost.`, { id: 'only' }));
  return html`<div class=${room.join(' ')}>${after?.drawExtras(panel)}</div>
    ${
      from === 'exchange' && after
        ? after.drawCopies(panel, payment, code, only)
        : html`<div class="stack pay">
            <div>
              ${code}${
                link
                  ? html`<a class="button primary" part="wallet-link" href=${link}>${msg('Open in wallet', { id: 'wallet' })}</a>`
                  : nothing
              }
            </div>
            <div>
              ${
                isPositive(amount)
                  ? html`<crypto-amount
                      part="amount"
                      .amount=${amount}
                      .symbol=${symbol}
                      .label=${after?.amountLabel(panel)}
                      .hint=${rateOf(checkout, language)}
                    ></crypto-amount>`
                  : nothing
              }<crypto-address
                part="address"
                .address=${request ? null : payment.address}
                .tag=${payment.tag}
                .publicAddress=${payment.public_address}
                .request=${request}
              ></crypto-address>
              ${only}
            </div>
            <div class="room script">${handOff()?.drawHandOff(panel)}</div>
          </div>`
    }`;
}

/** What is to be sent. */
export const amountOf = ({ strings, remaining, due }: CheckoutPayment): string | null => strings.amount ?? remaining ?? due;

export const rateOf = ({ payment, order }: Checkout, language: string): string =>
  payment?.rate && order.amount ? `1 ${payment.symbol} = ${formatMoney(payment.rate, language)} ${order.amount.currency}` : '';

/** Whether there is another coin: the server names them only while one can be chosen. */
export const canChange = ({ coins }: Checkout): boolean => coins.length > 1;

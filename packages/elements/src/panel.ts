import type { Checkout, CheckoutPayment, CheckoutTransaction } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { icon } from './icon.ts';
import { pageLink, walletLink } from './link.ts';
import { msg, str } from './locale.ts';
import { formatMoney, isPositive } from './number.ts';
import { lookOf, noteOf, sentenceFor } from './stage.ts';

/** What the drawing of a stage needs besides the checkout. */
export interface Panel {
  checkout: Checkout;
  language: string;
  /** Where forms go without a script: the checkout's own address. */
  url: string;
  busy: boolean;
  /** The buyer is about to be taken back to the shop. */
  leaving: boolean;
  onRenew(event: Event): void;
  onLeave(event: Event): void;
}

type Drawn = TemplateResult | typeof nothing;

/** Stages in which a payment is asked for, as long as its price holds. */
const OPEN = ['pay', 'underpaid', 'failed'];

/** The stage in the middle: what happened, what to do. */
export function drawStage(panel: Panel): TemplateResult {
  const { checkout, language } = panel;
  const { stage, notes, payment, server_time } = checkout;
  const over = payment?.expires_at && Date.parse(payment.expires_at) <= Date.parse(server_time);
  const asks = payment && !over && (OPEN.includes(stage) || notes.includes('reusable'));
  const { have, need, final } = payment?.confirmations ?? { have: 0, need: 0, final: 0 };
  return html`<div class="stack" part="stage">
    <div class="row title ${lookOf(stage)[1] ? 'tall' : ''}">
      <crypto-status
        part="status"
        exportparts="heading, text, badge, confirmations"
        .stage=${stage}
        .text=${sentenceFor(checkout)}
        .have=${have}
        .need=${stage === 'seen' ? need : stage === 'paid' ? final : 0}
      ></crypto-status
      >${
        asks && payment.expires_at
          ? html`<crypto-countdown part="countdown" .expiresAt=${payment.expires_at} .serverTime=${server_time}></crypto-countdown>`
          : nothing
      }
    </div>
    ${notes.map((note) => drawNote(note === 'test_network' ? null : noteOf(note)))}${payment?.transactions.length ? drawTransactions(payment) : nothing}${drawSuccess(
      panel,
    )}${asks ? drawPayment(payment, rateOf(checkout, language)) : nothing}${
      payment?.renewable && (over || stage === 'expired') ? drawRenew(panel) : nothing
    }${drawPicker(panel)}${payment && !asks ? drawDetails(payment, rateOf(checkout, language)) : nothing}
  </div>`;
}

export const drawNote = (text: string | null, tone = ''): Drawn =>
  text ? html`<p class="note row ${tone}" part="note">${icon('alert')}<span>${text}</span></p>` : nothing;

const FIELD = 'field, label, value, hint, copy-button';

function drawPayment(
  { symbol, network, strings, lightning, qr, due, paid, remaining, address, tag }: CheckoutPayment,
  rate: string,
): TemplateResult {
  const amount = strings.amount ?? remaining ?? due;
  const sum = isPositive(amount) ? `${amount} ${symbol}` : symbol;
  const link = walletLink(strings.link);
  const request = lightning && (lightning.payment_request ?? lightning.lnurl);
  return html`<div class="stack pay">
    <div>
      <crypto-qr
        part="qr"
        exportparts="image: qr-image"
        .path=${qr.path}
        .size=${qr.size}
        .value=${strings.qr}
        .label=${msg(str`QR code: ${sum} on ${network}`, { id: 'pay.qr' })}
      ></crypto-qr
      >${link ? html`<a class="button primary" part="wallet-link" href=${link}>${msg('Open in wallet', { id: 'pay.wallet' })}</a>` : nothing}
    </div>
    <div>
      ${
        isPositive(amount)
          ? html`<crypto-amount
              part="amount"
              exportparts=${FIELD}
              .amount=${amount}
              .symbol=${symbol}
              .label=${isPositive(paid) ? msg('Still to pay', { id: 'pay.remaining' }) : ''}
              .hint=${rate}
            ></crypto-amount>`
          : nothing
      }<crypto-address
        part="address"
        exportparts=${FIELD}
        .address=${request ? null : address}
        .tag=${tag}
        .request=${request}
      ></crypto-address>
      <p part="only">${msg(str`Send only ${symbol} on ${network}. Anything else may be lost.`, { id: 'pay.only' })}</p>
    </div>
  </div>`;
}

const rateOf = ({ payment, order }: Checkout, language: string): string =>
  payment?.rate && order.amount ? `1 ${payment.symbol} = ${formatMoney(payment.rate, language)} ${order.amount.currency}` : '';

const drawTransactions = ({ transactions, symbol }: CheckoutPayment): TemplateResult =>
  html`<ul part="transactions">
    ${transactions.map((transaction) => drawTransaction(transaction, symbol))}
  </ul>`;

function drawTransaction({ txid, amount, status, explorer_url }: CheckoutTransaction, symbol: string): TemplateResult {
  const link = pageLink(explorer_url);
  const short = txid.length > 16 ? `${txid.slice(0, 8)}…${txid.slice(-6)}` : txid;
  const sum = `${amount} ${symbol}`;
  return html`<li class="row" part="transaction">
    <bdi>${status === 'failed' || status === 'replaced' ? html`<s>${sum}</s>` : sum}</bdi>${
      link
        ? html`<a
            href=${link}
            target="_blank"
            rel="noreferrer"
            aria-label=${msg(str`Transaction ${short} in the explorer`, { id: 'transactions.explorer' })}
            >${short}</a
          >`
        : html`<small>${short}</small>`
    }
  </li>`;
}

function drawSuccess({ checkout, leaving, onLeave }: Panel): Drawn {
  const link = pageLink(checkout.success_url);
  return link
    ? html`<a class="button primary" part="success-link" href=${link} @click=${onLeave}
        >${leaving ? msg('Taking you back to the shop…', { id: 'success.leaving' }) : msg('Continue', { id: 'picker.submit' })}</a
      >`
    : nothing;
}

const drawRenew = ({ url, busy, language, onRenew }: Panel): TemplateResult =>
  html`<form method="post" action="${url}/renew" @submit=${onRenew}>
    <input type="hidden" name="lang" value=${language} /><button class="primary" part="renew-button" aria-disabled=${busy}>
      ${msg('Get a new price', { id: 'expired.renew' })}
    </button>
  </form>`;

function drawPicker({ checkout, url, busy }: Panel): Drawn {
  const { stage, coins, payment } = checkout;
  const choose = stage === 'choose';
  if (choose && !coins.length) return drawNote(msg('No coin can be used at the moment. Please ask the shop.', { id: 'choose.none' }));
  if (!choose && (coins.length < 2 || !(OPEN.includes(stage) || stage === 'expired'))) return nothing;
  const picker = html`<crypto-coin-picker
    part="picker"
    exportparts="search, list, asset, coin, approx, submit"
    .coins=${coins}
    .kind=${payment?.kind ?? null}
    .action="${url}/payment"
    .busy=${busy}
  ></crypto-coin-picker>`;
  return choose
    ? picker
    : html`<details part="other-coin">
        <summary>${msg('Pay with another coin', { id: 'pay.other' })}</summary>
        ${picker}
      </details>`;
}

/** What a buyer needs to prove a payment, when the payment itself is no longer asked for. */
function drawDetails({ symbol, name, network, due, paid, address, tag }: CheckoutPayment, rate: string): TemplateResult {
  const rows: [string, string | null][] = [
    [msg('Coin', { id: 'details.coin' }), `${name} (${symbol}), ${network}`],
    [msg('Amount', { id: 'amount.label' }), due && `${due} ${symbol}`],
    [msg('Received', { id: 'details.received' }), isPositive(paid) ? `${paid} ${symbol}` : null],
    [msg('Price', { id: 'details.price' }), rate],
    [msg('Address', { id: 'address.label' }), address],
    [msg('Destination tag', { id: 'address.tag' }), tag],
  ];
  return html`<details part="details">
    <summary>${msg('Payment details', { id: 'details.title' })}</summary>
    <dl>
      ${rows.map(([label, value]) =>
        value
          ? html`<dt>${label}</dt>
              <dd><bdi>${value}</bdi></dd>`
          : nothing,
      )}
    </dl>
  </details>`;
}

import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open-stages';
import { type TemplateResult, html, nothing } from 'lit';
import '../address/address.ts';
import '../amount/amount.ts';
import { drawAnew } from './draw-anew.ts';
import type { Drawn, Panel } from '../../core/panel.ts';
import { amountOf, canChange, hasBoth, inWalletUnit, networksOf } from '../../core/payment.ts';
import {
  exchange,
  handOff,
  marks,
  statusModule,
  picker,
  refund,
} from '../../core/lazy-registry.ts';
import { walletLink } from '../../server/safe-link.ts';
import { msg, str } from '../../i18n/locale.ts';
import { formatSum, isPositive } from '../../i18n/number.ts';
import { priceText } from './order-header.ts';
import '../qr/qr.ts';
import '../status/status.ts';

/** Draws the current stage: status, payment and next steps. */
export function drawStage(panel: Panel): unknown {
  const { checkout, show, page, redirect, language } = panel;
  const { stage, notes, payment, server_time } = checkout;
  const status = statusModule();
  // Without the status module, `mode="redirect"` draws a plain link.
  const instead = status
    ? status.drawInstead(panel)
    : redirect && html`<a class="button primary" part="redirect-link" href=${page}>${page}</a>`;
  if (instead) return instead;
  const asking = show === 'refund' && refund()?.drawRefundForm(panel);
  if (asking) return asking;
  const choose = stage === 'choose' || (show === 'coins' && canChange(checkout));
  // As `hasRunOut`, whose file the first script does without.
  const holds =
    payment && !(payment.expires_at && Date.parse(payment.expires_at) <= Date.parse(server_time));
  const asks = !choose && holds && (OPEN_STAGES.includes(stage) || notes.includes('reusable'));
  const trouble = status?.troubleIn(checkout);
  const top = trouble?.headOf(checkout, choose, language);
  const folded = asks && top?.folded;
  const open = asks && !folded;
  const sends = open && stage === 'pay';
  const head = html`<crypto-status
    class="${open ? 'open' : ''} ${sends ? 'send' : ''}"
    part="status"
    .stage=${choose ? 'choose' : sends && isPositive(amountOf(payment)) ? 'send' : (top?.stage ?? stage)}
    .heading=${top?.heading}
    .text=${top?.text}
    .have=${payment?.confirmations.have}
    .need=${choose ? 0 : status?.confirmationsNeeded(checkout)}
    >${
      open && payment.expires_at
        ? html`<crypto-countdown
            part="countdown"
            .expiresAt=${payment.expires_at}
            .serverTime=${server_time}
          ></crypto-countdown>`
        : nothing
    }</crypto-status
  >`;
  const news = status?.drawProgress(panel, open);
  const steps = html`<div class="stack ${canChange(checkout) ? 'room' : ''}">
    ${status?.drawNextSteps(panel, asks)}
  </div>`;
  const details = asks ? drawPayment(panel, payment, sends ? head : nothing) : nothing;
  // Another stage is drawn anew: parts of the previous one would move under the buyer's finger.
  return drawAnew(
    choose ? 'choose' : (top?.stage ?? stage),
    html`<div class="stack" part="stage">
      ${
        choose
          ? html`${head}${picker()?.drawPicker(panel)}`
          : html`${sends ? nothing : head}${top?.past ? nothing : news}${
              asks && panel.moreTime ? status?.drawMoreTimeForm(panel) : nothing
            }${folded ? nothing : details}${top?.past ? news : nothing}${folded ? trouble!.drawAgain(panel, details, steps) : steps}`
      }
    </div>`,
  );
}

/**
 * Draws the payment: first the amount and the network, then the ways to pay, then the values to
 * copy. A phone cannot scan its own screen, so the code is folded there, at the end.
 */
function drawPayment(panel: Panel, payment: CheckoutPayment, head: Drawn): TemplateResult {
  const { checkout, host, language } = panel;
  const { kind, symbol, strings, address, lightning, from } = payment;
  const network = networksOf(payment, language);
  // Shorter than above: all of it is on the first screen of a phone.
  const only = hasBoth(payment) ? `${payment.network}/Lightning` : network;
  const amount = amountOf(payment);
  const asked = inWalletUnit(amount ?? '', payment);
  const status = statusModule();
  const link = walletLink(strings.link);
  const request = lightning && (lightning.payment_request ?? lightning.lnurl);
  // Reserve the height of `drawPaymentOptions`, which is loaded lazily.
  const others = checkout.coins.filter((coin) => coin.symbol === 'BTC' && coin.kind !== kind);
  const room = [
    symbol === 'BTC' && others.length && 'twin',
    (address || !request) && isPositive(payment.due) && 'from',
  ];
  const form = from === 'exchange' && exchange();
  const ways = drawWays(panel, link, Boolean(form));
  // Without the header, the price is beside the amount, unless it is the same.
  const price =
    'header' in host &&
    host.header === 'none' &&
    checkout.order.amount?.currency !== asked.symbol &&
    priceText(checkout, language);
  return html`<div class="stack pay">
    <div>
      ${head}${
        isPositive(amount)
          ? html`<crypto-amount
              class="sum ${head === nothing ? '' : 'bare'}"
              part="amount"
              .amount=${asked.amount}
              .symbol=${asked.symbol}
              .label=${status?.amountLabel(panel)}
              .hint=${form ? form.exchangeFee(payment, language) : price || undefined}
            ></crypto-amount>`
          : nothing
      }
      <p class="row chip" part=${form ? 'exchange-network' : 'network'}>
        <span class="spot">${marks()?.drawCoin(symbol, payment.network)}</span>
        ${form ? form.exchangeNetwork(payment.network) : msg(str`on ${network}`, { id: 'pay.network' })}
      </p>
      ${form ? form.drawWarning(panel) : nothing}
    </div>
    <div>
      ${link ? ways : nothing}<crypto-address
        part="address"
        .address=${address}
        .tag=${payment.tag}
        .publicAddress=${payment.public_address}
        .request=${request}
        .exchange=${Boolean(form)}
      ></crypto-address
      >${link ? nothing : ways}
      ${status?.troubleIn(checkout)?.drawOtherAddress(payment)}${form ? html`${form.drawHolds(payment, language)}${form.drawRecipient(checkout, language)}` : nothing}
    </div>
    ${drawCode(payment, language)}
    <div>
      <small
        >${msg(str`Send only ${asked.symbol} on ${only}. Anything else may be lost.`, { id: 'only' })}</small
      >
      <div class=${room.join(' ')}>${status?.drawPaymentOptions(panel)}</div>
    </div>
  </div>`;
}

/**
 * Draws the ways to hand the payment over. Where no link opens a wallet, they come after the values
 * to copy; a phone draws its wallet apps first.
 */
const drawWays = (panel: Panel, link: string | undefined, hidden: boolean): TemplateResult =>
  html`<div
    class="row ways ${link ? 'linked' : panel.checkout.network === 'mainnet' ? 'apps' : ''}"
    ?hidden=${hidden}
  >
    ${
      link && !hidden
        ? html`<a class="button wallet" part="wallet-link" href=${link}
            >${msg('Open wallet app', { id: 'wallet' })}</a
          >`
        : nothing
    }${hidden ? nothing : handOff()?.drawHandOff(panel)}
  </div>`;

/** Draws the code; a code without the amount has a caption with it. */
function drawCode(payment: CheckoutPayment, language: string): TemplateResult {
  const { strings, qr, symbol, x_address } = payment;
  const network = networksOf(payment, language);
  const amount = amountOf(payment);
  const sum = isPositive(amount) ? `${formatSum(amount, symbol, language)} ${symbol}` : symbol;
  return html`<div class="code">
    <label class="button fold"
      ><input
        type="checkbox"
        role="button"
        aria-pressed="undefined"
        @change=${revealCode}
        @keydown=${pressOnEnter}
      /><span>${msg('Show QR code', { id: 'qr.show' })}</span
      ><span>${msg('Hide QR code', { id: 'qr.hide' })}</span></label
    ><crypto-qr
      part="qr"
      .path=${qr.path}
      .size=${qr.size}
      .value=${strings.qr}
      .label=${statusModule()?.qrLabel(payment, language)}
    ></crypto-qr
    ><small
      >${
        // An X-address holds the tag, too.
        strings.qr.includes(':') || x_address
          ? ''
          : msg(str`This code holds only the address. Send ${sum} on ${network}.`, {
              id: 'qr.bare',
            })
      }</small
    >
  </div>`;
}

/**
 * A box without a script, and a button to a screen reader. Its text changes, so it is no toggle:
 * WAI-ARIA's `aria-pressed="undefined"` says so, and "ARIA in HTML" asks for the attribute.
 */
const pressOnEnter = ({ key, target }: KeyboardEvent): void => {
  if (key === 'Enter') (target as HTMLElement).click();
};

const revealCode = ({ target }: Event): void =>
  (target as Element).closest('.code')!.scrollIntoView({ block: 'nearest' });

import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open-stages';
import { type TemplateResult, html, nothing } from 'lit';
import '../address/address.ts';
import '../amount/amount.ts';
import type { Panel } from '../../core/panel.ts';
import { amountOf, canChange, rateOf } from '../../core/payment.ts';
import { handOff, statusModule, picker } from '../../core/lazy-registry.ts';
import { walletLink } from '../../server/safe-link.ts';
import '../countdown/countdown.ts';
import { msg, str } from '../../i18n/locale.ts';
import { isPositive } from '../../i18n/number.ts';
import '../qr/qr.ts';
import { drawNote } from './note.ts';
import '../status/status.ts';

/** Draws the current stage: status, payment and next steps. */
export function drawStage(panel: Panel): TemplateResult {
  const { checkout, show, page, redirect, language } = panel;
  const { stage, notes, payment, server_time } = checkout;
  const status = statusModule();
  // Without the status module, `mode="redirect"` draws a plain link.
  const instead = status
    ? status.drawInstead(panel)
    : redirect && html`<a class="button primary" part="redirect-link" href=${page}>${page}</a>`;
  if (instead) return instead;
  const choose = stage === 'choose' || (show === 'coins' && canChange(checkout));
  // A payment without an end does not expire.
  const holds =
    payment && !(payment.expires_at && Date.parse(payment.expires_at) <= Date.parse(server_time));
  const asks = !choose && holds && (OPEN_STAGES.includes(stage) || notes.includes('reusable'));
  return html`<div class="stack" part="stage">
    <crypto-status
      class=${asks ? 'open' : ''}
      part="status"
      .stage=${choose ? 'choose' : stage}
      .text=${choose && payment ? '' : status?.stageSentence(checkout, language)}
      .have=${payment?.confirmations.have}
      .need=${choose ? 0 : status?.confirmationsNeeded(checkout)}
      >${
        asks && payment.expires_at
          ? html`<crypto-countdown
              part="countdown"
              .expiresAt=${payment.expires_at}
              .serverTime=${server_time}
            ></crypto-countdown>`
          : nothing
      }</crypto-status
    >
    ${
      choose
        ? picker()?.drawPicker(panel)
        : html`${status?.drawProgress(panel)}${asks ? drawPayment(panel, payment) : nothing}
            <div class="stack ${canChange(checkout) ? 'room' : ''}">
              ${status?.drawNextSteps(panel, asks ? null : payment)}
            </div>`
    }
  </div>`;
}

function drawPayment(panel: Panel, payment: CheckoutPayment): TemplateResult {
  const { checkout, language } = panel;
  const { symbol, network, strings, lightning, qr, from } = payment;
  const amount = amountOf(payment);
  const status = statusModule();
  const link = walletLink(strings.link);
  const request = lightning && (lightning.payment_request ?? lightning.lnurl);
  // Reserve the height of `drawPaymentOptions`, which is loaded lazily.
  const bitcoins = checkout.coins.filter((coin) => coin.symbol === 'BTC');
  const room = [
    symbol === 'BTC' && bitcoins.length > 1 && 'twin',
    !request && isPositive(payment.due) && 'from',
  ];
  const label = status?.qrLabel(payment, language);
  const code = html`<crypto-qr
    part="qr"
    .path=${qr.path}
    .size=${qr.size}
    .value=${strings.qr}
    .label=${label}
  ></crypto-qr>`;
  const only = drawNote(
    msg(str`Send only ${symbol} on ${network}. Anything else may be lost.`, { id: 'only' }),
  );
  return html`<div class=${room.join(' ')}>${status?.drawPaymentOptions(panel)}</div>
    ${
      from === 'exchange' && status
        ? status.drawExchangeForm(panel, payment, code, only)
        : html`<div class="stack pay">
            <div>
              ${code}${
                link
                  ? html`<a class="button primary" part="wallet-link" href=${link}
                      >${msg('Open in wallet', { id: 'wallet' })}</a
                    >`
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
                      .label=${status?.amountLabel(panel)}
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

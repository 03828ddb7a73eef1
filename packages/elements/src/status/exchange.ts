import type { Checkout, CheckoutCoin, CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { msg, str } from '../i18n/locale.ts';
import { formatCoins, isPositive } from '../i18n/number.ts';
import type { Drawn, Panel } from '../core/panel.ts';
import { amountOf } from '../core/payment.ts';
import { drawNote } from '../components/checkout/note.ts';
import { drawChoice } from './choice-form.ts';
import { drawRecipient } from './exchange-recipient.ts';
import { amountLabel, exchangeWarning } from './notes.ts';
import { drawMoreTimeForm, holdsUntil } from './renew.ts';

/** Draws the payment options above the payment: network, source and more time. */
export const drawPaymentOptions = (panel: Panel): TemplateResult =>
  html`<div class="choices">
    ${drawBitcoinChoice(panel)}${drawSourceChoice(panel)}${drawMoreTimeForm(panel)}
  </div>`;

/**
 * Draws the choice between bitcoin's own chain and lightning, which are two invoices of one
 * checkout.
 */
function drawBitcoinChoice({ checkout, url, busy }: Panel): Drawn {
  const twins = bitcoinCoins(checkout);
  return twins
    ? drawChoice({
        label: checkout.payment!.name,
        shown: false,
        part: 'twins',
        action: `${url}/payment`,
        name: 'kind',
        hidden: { from: checkout.payment!.from },
        options: twins.map(({ kind, network }) => ({
          value: kind,
          text: network,
          on: kind === checkout.payment!.kind,
        })),
        busy,
      })
    : nothing;
}

/** The on-chain and the lightning coin, if the payment is in one of them. */
function bitcoinCoins({ coins, payment }: Checkout): CheckoutCoin[] | null {
  const sides = [/^BTC(_P2SH|_BECH32)?$/, /^BTC_LIGHTNING/];
  if (!payment || !sides.some((side) => side.test(payment.kind))) return null;
  const found = sides.map((side) =>
    coins
      .filter(({ kind }) => side.test(kind))
      .toSorted((a, b) => Number(b.kind === payment.kind) - Number(a.kind === payment.kind)),
  );
  return found.every(([coin]) => coin) ? found.map(([coin]) => coin!) : null;
}

/**
 * Draws the choice between wallet and exchange: an exchange needs the bare address and each value
 * alone.
 */
function drawSourceChoice({ checkout, url, busy }: Panel): Drawn {
  const { kind, from, lightning, due } = checkout.payment!;
  const exchange = from === 'exchange';
  // Exchanges do not pay lightning requests by scanning, and a reusable address has no amount.
  if (!exchange && (lightning || !isPositive(due))) return nothing;
  return drawChoice({
    label: msg('Where do you pay from?', { id: 'from.question' }),
    shown: true,
    part: 'from',
    action: `${url}/payment`,
    name: 'from',
    hidden: { kind },
    options: [
      { value: 'wallet', text: msg('A wallet', { id: 'from.wallet' }), on: !exchange },
      { value: 'exchange', text: msg('An exchange', { id: 'from.exchange' }), on: exchange },
    ],
    busy,
  });
}

/**
 * Draws the payment in the order of an exchange's withdrawal form: network, then each value alone.
 * @param code - QR code of the bare address.
 * @param only - Warning about other coins and networks.
 */
export function drawExchangeForm(
  panel: Panel,
  payment: CheckoutPayment,
  code: TemplateResult,
  only: Drawn,
): TemplateResult {
  const { network, symbol, lightning } = payment;
  const amount = amountOf(payment);
  const sum = `${formatCoins(amount ?? '', panel.language)} ${symbol}`;
  const request = lightning && (lightning.payment_request ?? lightning.lnurl);
  return html`<div class="stack pay copies">
    <div>
      ${drawNote(exchangeWarning(panel.checkout, panel.language))}
      <p part="exchange-network">
        <b>${msg(str`There, choose the network ${network}.`, { id: 'exchange.network' })}</b>
      </p>
      ${
        isPositive(amount)
          ? html`<crypto-amount
              part="amount"
              .amount=${amount}
              .symbol=${symbol}
              .label=${amountLabel(panel)}
              .hint=${msg(str`The exchange takes its fee on top: ${sum} must arrive here.`, { id: 'exchange.fee' })}
            ></crypto-amount>`
          : nothing
      }<crypto-address
        part="address"
        .address=${request ? null : payment.address}
        .tag=${payment.tag}
        .publicAddress=${payment.public_address}
        .request=${request}
        .exchange=${true}
      ></crypto-address>
      ${only}${drawHolds(payment, panel.language)}${drawRecipient(panel.checkout, panel.language)}
    </div>
    <div>${code}</div>
  </div>`;
}

/** Draws why and until when the price holds longer. */
function drawHolds({ expires_at }: CheckoutPayment, language: string): Drawn {
  const until = holdsUntil(expires_at, language);
  return until
    ? html`<small part="holds"
        >${msg('Exchanges can be slow, so this price holds longer.', { id: 'exchange.time' })}
        ${until}</small
      >`
    : nothing;
}

import type { Checkout, CheckoutCoin, CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { msg, str } from '../locale.ts';
import { formatCoins, isPositive } from '../number.ts';
import { type Drawn, type Panel, amountOf, drawNote } from '../panel.ts';
import { drawChoice } from './choice.ts';
import { amountLabel, warningOf } from './news.ts';
import { drawMore, holdsUntil } from './renew.ts';

/** What stands between the stage's words and the payment: the way to pay, and more time when there is not much of it. */
export const drawExtras = (panel: Panel): TemplateResult =>
  html`<div class="choices">${drawTwins(panel)}${drawFrom(panel)}${drawMore(panel)}</div>`;

/** Bitcoin, on its own chain or over lightning: two invoices of one checkout, side by side. */
function drawTwins({ checkout, url, busy }: Panel): Drawn {
  const twins = twinsOf(checkout);
  return twins
    ? drawChoice({
        label: checkout.payment!.name,
        shown: false,
        part: 'twins',
        action: `${url}/payment`,
        name: 'kind',
        hidden: { from: checkout.payment!.from },
        options: twins.map(({ kind, network }) => ({ value: kind, text: network, on: kind === checkout.payment!.kind })),
        busy,
      })
    : nothing;
}

/** The two ways of the coin that is being paid with. */
function twinsOf({ coins, payment }: Checkout): CheckoutCoin[] | null {
  const sides = [/^BTC(_P2SH|_BECH32)?$/, /^BTC_LIGHTNING/];
  if (!payment || !sides.some((side) => side.test(payment.kind))) return null;
  const found = sides.map((side) =>
    coins.filter(({ kind }) => side.test(kind)).toSorted((a, b) => Number(b.kind === payment.kind) - Number(a.kind === payment.kind)),
  );
  return found.every(([coin]) => coin) ? found.map(([coin]) => coin!) : null;
}

/** Where the money comes from: exchanges need the bare address and each value alone. */
function drawFrom({ checkout, url, busy }: Panel): Drawn {
  const { kind, from, lightning, due } = checkout.payment!;
  const exchange = from === 'exchange';
  // Nobody withdraws by scanning a lightning request, and a reusable address asks for nothing in particular.
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
 * The payment as an exchange's form asks for it: the network to choose, then each value alone.
 * @param code - The bare address.
 * @param only - What else must not be sent.
 */
export function drawCopies(panel: Panel, payment: CheckoutPayment, code: TemplateResult, only: Drawn): TemplateResult {
  const { network, symbol, lightning } = payment;
  const amount = amountOf(payment);
  const sum = `${formatCoins(amount ?? '', panel.language)} ${symbol}`;
  const request = lightning && (lightning.payment_request ?? lightning.lnurl);
  return html`<div class="stack pay copies">
    <div>
      ${drawNote(warningOf(panel.checkout, panel.language))}
      <p part="exchange-network"><b>${msg(str`There, choose the network ${network}.`, { id: 'exchange.network' })}</b></p>
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
      ${only}${drawHolds(payment, panel.language)}
    </div>
    <div>${code}</div>
  </div>`;
}

/** Why the price holds longer, and until when. */
function drawHolds({ expires_at }: CheckoutPayment, language: string): Drawn {
  const until = holdsUntil(expires_at, language);
  return until
    ? html`<small part="holds">${msg('Exchanges can be slow, so this price holds longer.', { id: 'exchange.time' })} ${until}</small>`
    : nothing;
}

/* oxlint-disable lit/no-value-attribute -- what a form without script sends is the attribute */
import type { Checkout, CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { msg, str } from '../i18n/locale.ts';
import { isPositive } from '../i18n/number.ts';
import type { Drawn, Panel } from '../core/panel.ts';
import { hasBoth } from '../core/payment.ts';
import { drawMoreTimeForm } from './renew.ts';

/** Draws the options below the payment: source, network and more time. */
export const drawPaymentOptions = (panel: Panel): TemplateResult =>
  html`<div class="choices">
    ${drawSourceChoice(panel)}${drawBitcoinChoice(panel)}${panel.moreTime ? nothing : drawMoreTimeForm(panel)}${drawGas(panel)}
  </div>`;

/** Draws a hint about the coin that pays a wallet's network fee, if it is another one. */
function drawGas({ checkout: { coins, payment } }: Panel): Drawn {
  const gas = coins.find(({ kind }) => kind === payment!.kind)?.gas;
  return gas && payment!.from !== 'exchange'
    ? html`<small part="gas"
        >${msg(str`Your wallet also needs a little ${gas} for the network fee.`, { id: 'coin.gas' })}</small
      >`
    : nothing;
}

/** Draws the choice of bitcoin's own chain, lightning, or one code that holds both. */
function drawBitcoinChoice({ checkout, url, busy }: Panel): Drawn {
  const payment = checkout.payment!;
  const { from } = payment;
  const twins = bitcoinCoins(checkout);
  if (!twins) return nothing;
  const both = hasBoth(payment);
  const options: ChoiceOption[] = twins.map(({ kind, network }, at) => ({
    value: kind,
    text: at ? network : msg('On-chain', { id: 'bitcoin.chain' }),
    on: kind === payment.kind && !both,
  }));
  // An exchange pays to the address alone.
  if (from !== 'exchange')
    options.unshift({
      name: 'with_lightning',
      value: 'true',
      text: msg('Both', { id: 'bitcoin.both' }),
      on: both,
    });
  return drawChoice({
    label: msg('Choose a network', { id: 'choose.network' }),
    part: 'twins',
    action: `${url}/payment`,
    name: 'kind',
    // The pressed button replaces the coin, unless it asks for both.
    hidden: { from, kind: twins[0]!.kind },
    options,
    busy,
  });
}

/**
 * The on-chain and the lightning coin, if the payment is in one of them. The payment's own one may
 * no longer be offered.
 */
function bitcoinCoins({
  coins,
  payment,
}: Checkout): Pick<CheckoutCoin, 'kind' | 'network'>[] | null {
  const sides = [/^BTC(_P2SH|_BECH32)?$/, /^BTC_LIGHTNING/];
  if (!payment || !sides.some((side) => side.test(payment.kind))) return null;
  const found = sides.flatMap((side) =>
    side.test(payment.kind) ? payment : (coins.find(({ kind }) => side.test(kind)) ?? []),
  );
  return found.length === sides.length ? found : null;
}

/**
 * Draws the choice between wallet and exchange: an exchange needs the bare address and each value
 * alone.
 */
function drawSourceChoice({ checkout, url, busy }: Panel): Drawn {
  const { kind, from, address, lightning, due } = checkout.payment!;
  const exchange = from === 'exchange';
  // Exchanges do not pay lightning requests by scanning, and a reusable address has no amount.
  if (!exchange && ((lightning && !address) || !isPositive(due))) return nothing;
  return drawChoice({
    label: msg('Paying from', { id: 'from.question' }),
    part: 'from',
    action: `${url}/payment`,
    name: 'from',
    hidden: { kind, ...(address && bitcoinCoins(checkout) && { with_lightning: 'true' }) },
    options: [
      { value: 'wallet', text: msg('Wallet', { id: 'from.wallet' }), on: !exchange },
      { value: 'exchange', text: msg('Exchange', { id: 'from.exchange' }), on: exchange },
    ],
    busy,
  });
}

/** A form with one button per option, each of which submits it. */
interface ChoiceForm {
  /** Name of the group. */
  label: string;
  part: string;
  action: string;
  /** Name of the submitted field, and further fields. */
  name: string;
  hidden?: Record<string, string>;
  options: readonly ChoiceOption[];
  busy: boolean | undefined;
}

interface ChoiceOption {
  /** Name of the submitted field where it is not that of the form. */
  name?: string;
  value: string;
  text: string;
  on: boolean;
}

/** Draws two or more options side by side; the current one is pressed. */
const drawChoice = ({
  label,
  part,
  action,
  name,
  hidden = {},
  options,
  busy,
}: ChoiceForm): TemplateResult =>
  html`<form class="choice" part=${part} method="post" action=${action}>
    <small aria-hidden="true">${label}</small>
    ${Object.entries(hidden).map(([key, value]) => html`<input type="hidden" name=${key} value=${value} />`)}
    <div class="row" role="group" aria-label=${label}>
      ${options.map(
        ({ value, text, on, name: own = name }) =>
          html`<button
            part="option"
            name=${own}
            value=${value}
            aria-pressed=${on}
            aria-disabled=${Boolean(busy)}
          >
            ${text}
          </button>`,
      )}
    </div>
  </form>`;

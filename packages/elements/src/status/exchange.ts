import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { html, nothing } from 'lit';
import { msg, str } from '../i18n/locale.ts';
import { formatCoins } from '../i18n/number.ts';
import type { Drawn, Panel } from '../core/panel.ts';
import { amountOf } from '../core/payment.ts';
import { drawNote } from '../components/checkout/note.ts';
import { exchangeWarning } from './notes.ts';
import { formatTime } from '../i18n/time.ts';

/** The network to choose in the exchange's withdrawal form. */
export const exchangeNetwork = (network: string): string =>
  msg(str`Withdrawal network: ${network}`, { id: 'exchange.network' });

/** Draws a warning that the amount is too small for an exchange. */
export const drawWarning = ({ checkout, language }: Panel): Drawn =>
  drawNote(exchangeWarning(checkout, language));

/** The hint that the exchange's fee comes on top. */
export function exchangeFee(payment: CheckoutPayment, language: string): string {
  const sum = `${formatCoins(amountOf(payment) ?? '', language)} ${payment.symbol}`;
  return msg(str`${sum} must arrive after your exchange’s fee.`, { id: 'exchange.fee' });
}

/** Draws why and until when the price is held. */
export function drawHolds({ expires_at }: CheckoutPayment, language: string): Drawn {
  const end = Date.parse(expires_at ?? '');
  if (!end) return nothing;
  const until = formatTime(end, language);
  return html`<small part="holds"
    >${msg(str`Exchanges can be slow, so this price is held until ${until}.`, {
      id: 'exchange.time',
    })}</small
  >`;
}

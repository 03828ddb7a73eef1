import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { msg, str } from '../locale.ts';
import { formatCoins, isPositive } from '../number.ts';
import { amountOf } from '../panel.ts';

/** What the code is called for who does not see it: with the amount, unless the code is no more than an address. */
export function nameOfCode(payment: CheckoutPayment, language: string): string {
  const { strings, symbol, network } = payment;
  const amount = amountOf(payment);
  const sum = isPositive(amount) && strings.qr.includes(':') ? `${formatCoins(amount, language)} ${symbol}` : symbol;
  return msg(str`QR code: ${sum} on ${network}`, { id: 'qr' });
}

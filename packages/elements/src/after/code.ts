import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { msg, str } from '../locale.ts';
import { formatCoins, isPositive } from '../number.ts';
import { amountOf } from '../panel.ts';
import { sentences } from './sentence.ts';

/** What the code is called for who does not see it; the amount is told apart where the code is no more than an address. */
export function nameOfCode(payment: CheckoutPayment, language: string): string {
  const { strings, symbol, network } = payment;
  const amount = amountOf(payment);
  const due = isPositive(amount) ? `${formatCoins(amount, language)} ${symbol}` : symbol;
  const sum = strings.qr.includes(':') ? due : symbol;
  const name = msg(str`QR code: ${sum} on ${network}`, { id: 'qr' });
  return sum === due ? name : sentences(name, `${msg('Amount', { id: 'amount' })}: ${due}`);
}

import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { msg, str } from '../locale.ts';
import { formatCoins, isPositive } from '../number.ts';
import { amountOf } from '../panel.ts';
import { sentences } from './sentence.ts';

/** What the code is called for who does not see it; the amount is told apart where the code is no more than an address. */
export function nameOfCode(payment: CheckoutPayment, language: string): string {
  const { strings, symbol, network } = payment;
  const amount = amountOf(payment);
  const sum = isPositive(amount) ? `${formatCoins(amount, language)} ${symbol}` : symbol;
  const held = strings.qr.includes(':') ? sum : symbol;
  const name = msg(str`QR code: ${held} on ${network}`, { id: 'qr' });
  return held === sum ? name : sentences(name, `${msg('Amount', { id: 'amount' })}: ${sum}`);
}

import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { msg, str } from '../i18n/locale.ts';
import { isPositive } from '../i18n/number.ts';
import { amountOf, networksOf } from '../core/payment.ts';
import { sentences } from '../i18n/sentences.ts';
import { coinSum } from './received.ts';

/** Accessible name of the QR code, with the amount if the code does not contain it. */
export function qrLabel(payment: CheckoutPayment, language: string): string {
  const { strings, symbol } = payment;
  const network = networksOf(payment, language);
  const amount = amountOf(payment);
  const due = isPositive(amount) ? coinSum(amount, symbol, payment, language) : symbol;
  const sum = strings.qr.includes(':') ? due : symbol;
  const name = msg(str`QR code: ${sum} on ${network}`, { id: 'qr' });
  return sum === due ? name : sentences(name, `${msg('Amount', { id: 'amount' })}: ${due}`);
}

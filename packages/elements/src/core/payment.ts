import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { formatMoney } from '../i18n/number.ts';

/** The amount to send. */
export const amountOf = ({ strings, remaining, due }: CheckoutPayment): string | null =>
  strings.amount ?? remaining ?? due;

export const rateOf = ({ payment, order }: Checkout, language: string): string =>
  payment?.rate && order.amount
    ? `1 ${payment.symbol} = ${formatMoney(payment.rate, language)} ${order.amount.currency}`
    : '';

/** Whether another coin is available: the server lists coins only while one can be chosen. */
export const canChange = ({ coins }: Checkout): boolean => coins.length > 1;

import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Checkout, CheckoutReceived } from '@crypto-checkout/protocol/checkout';
import { isVoidStatus } from '@crypto-checkout/protocol/void-status';
import { formatCoins, formatPrice, isPositive } from '../i18n/number.ts';

/** Whether a payment failed, was dropped or was replaced. */
export const isGone = ({ status }: CheckoutReceived): boolean => isVoidStatus(status);

/** Whether a payment came too late to count. */
export const isLate = ({ late, value }: CheckoutReceived): boolean => late && !value;

/** Whether a payment came in another coin than requested. */
export const isWrongCoin = (one: CheckoutReceived, { notes }: Checkout): boolean =>
  notes.includes('wrong_coin') &&
  !one.value &&
  !one.late &&
  !isGone(one) &&
  one.status !== 'quarantined';

/** Sum of the payments in another coin. */
export const wrongCoinAmount = (checkout: Checkout, language: string): string =>
  sumOf(
    checkout.received.filter((one) => isWrongCoin(one, checkout)),
    language,
  );

/** Sum of the payments that count, by coin: `0.0004 BTC + 9.52 USDT`. */
export function receivedAmount({ received, payment }: Checkout, language: string): string {
  const counted = received.map((one) => ({
    amount: one.value ? countedAmount(one) : null,
    symbol: one.symbol,
  }));
  // Amounts that only the invoice lists, and payments to a reusable address.
  const fromInvoice =
    payment && !received.some(isLate) ? [{ amount: payment.paid, symbol: payment.symbol }] : [];
  return sumOf(counted, language) || sumOf(fromInvoice, language);
}

/** Sum of the payments that came too late. */
export const lateAmount = ({ received }: Checkout, language: string): string =>
  sumOf(received.filter(isLate), language);

/** Sum of the excess. */
export function overpaidAmount({ received, payment }: Checkout, language: string): string {
  const fromInvoice = payment ? [{ amount: payment.overpaid, symbol: payment.symbol }] : [];
  const each = received.map(({ overpaid, symbol }) => ({ amount: overpaid, symbol }));
  return sumOf(each, language) || sumOf(fromInvoice, language);
}

/** Notes about money that only the shop can settle, even if the order is paid. */
const CONCERNS = ['overpaid', 'paid_twice', 'wrong_coin'];

/** Whether some money has to be settled between buyer and shop. */
export const needsShop = ({ notes, received }: Checkout): boolean =>
  notes.some((note) => CONCERNS.includes(note)) ||
  received.some((one) => isLate(one) && !isGone(one));

/** Amounts that can be added; others are shown as received. */
const AMOUNT = /^\d{1,18}(\.\d{1,18})?$/;

function sumOf(
  parts: readonly { amount: string | null; symbol: string }[],
  language: string,
): string {
  const sums = new Map<string, bigint>();
  const odd: string[] = [];
  for (const { amount, symbol } of parts) {
    if (!isPositive(amount)) continue;
    if (AMOUNT.test(amount)) sums.set(symbol, (sums.get(symbol) ?? 0n) + parseAmount(amount));
    else odd.push(`${amount} ${symbol}`);
  }
  return [
    ...[...sums].map(([symbol, sum]) => `${formatCoins(formatAmount(sum), language)} ${symbol}`),
    ...odd,
  ].join(' + ');
}

/** A payment and its value: `0.0004 BTC = 24.57 USD`. */
export function paymentValue(
  payment: CheckoutReceived,
  { order }: Checkout,
  language: string,
): string {
  const { amount, symbol, value } = payment;
  if (!value || !order.amount) return `${formatCoins(amount, language)} ${symbol}`;
  const price = formatPrice({ ...order.amount, amount: value }, language);
  return `${formatCoins(countedAmount(payment), language)} ${symbol} = ${price}`;
}

/** The amount without the part that goes back, which has a line of its own. */
const countedAmount = ({ amount, refunded }: CheckoutReceived): string =>
  refunded && AMOUNT.test(amount) && AMOUNT.test(refunded)
    ? formatAmount(parseAmount(amount) - parseAmount(refunded))
    : amount;

/** The exchange rate of a payment. */
export const paymentRate = (
  { rate, symbol }: CheckoutReceived,
  { order }: Checkout,
  language: string,
): string =>
  rate && order.amount
    ? `1 ${symbol} = ${formatPrice({ ...order.amount, amount: rate }, language)}`
    : '';

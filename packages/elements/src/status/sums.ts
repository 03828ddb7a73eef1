import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Checkout, CheckoutReceived } from '@crypto-checkout/protocol/checkout';
import { isPositive } from '../i18n/number.ts';
import { coinSum, isGone, isLate } from './received.ts';

// Payments by what became of them, and their sums.

/** Whether a payment came after the price of the view expired. */
export const isAfterPrice = (
  { invoice_id, symbol, created_at }: CheckoutReceived,
  { payment }: Checkout,
): boolean =>
  payment?.invoice_id === invoice_id &&
  payment.symbol === symbol &&
  Date.parse(created_at) >= Date.parse(payment.expires_at ?? '');

/**
 * Late money for which a refund was asked: it counts as if it had never come. Servers of earlier
 * versions do not call it late any more.
 */
export const isLateReturn = (one: CheckoutReceived, checkout: Checkout): boolean =>
  Boolean(one.refunded && !one.value) && (one.late || isAfterPrice(one, checkout));

/** Whether the refund of a payment was sent. */
export const isSent = ({ txid }: CheckoutReceived, { refunds = [] }: Checkout): boolean =>
  refunds.some(({ transaction, status }) => transaction === txid && status === 'paid');

/** Whether a payment came in another coin than requested. */
export const isWrongCoin = (one: CheckoutReceived, { notes, payment }: Checkout): boolean =>
  notes.includes('wrong_coin') &&
  !one.value &&
  !one.late &&
  // All of a payment in the right coin can go back, too.
  (!one.refunded || Boolean(one.asked) || one.symbol !== payment?.symbol) &&
  !isGone(one) &&
  one.status !== 'quarantined';

/** Sum of the payments in another coin. */
export const wrongCoinAmount = (checkout: Checkout, language: string): string =>
  sumOf(
    checkout.received.filter((one) => isWrongCoin(one, checkout)),
    checkout,
    language,
  );

/** Sum of the payments that came too late. */
export const lateAmount = (checkout: Checkout, language: string): string =>
  sumOf(checkout.received.filter(isLate), checkout, language);

/** Sum of the late payments that go back. */
export const returnedAmount = (checkout: Checkout, language: string): string =>
  sumOf(
    checkout.received.filter((one) => isLateReturn(one, checkout)),
    checkout,
    language,
  );

/** Sum of the excess. */
export function overpaidAmount(checkout: Checkout, language: string): string {
  const { received, payment } = checkout;
  const fromInvoice = payment ? [{ amount: payment.overpaid, symbol: payment.symbol }] : [];
  const each = received.map(({ overpaid, symbol }) => ({ amount: overpaid, symbol }));
  return sumOf(each, checkout, language) || sumOf(fromInvoice, checkout, language);
}

/**
 * Sum of the payments for the order, by coin: `0.0004 BTC + 9.52 USDT`. A refund does not change
 * it, because the refund has figures of its own.
 */
export function receivedSum(checkout: Checkout, language: string): string {
  const { received, payment, order } = checkout;
  const own = received.filter(
    (one) =>
      one.value ||
      ((one.refunded || !order.amount) &&
        !one.late &&
        !isGone(one) &&
        one.status !== 'quarantined' &&
        !isLateReturn(one, checkout) &&
        !isWrongCoin(one, checkout)),
  );
  // Amounts that only the invoice lists.
  const fromInvoice =
    payment && !received.some(({ late }) => late)
      ? [{ amount: payment.paid, symbol: payment.symbol }]
      : [];
  return sumOf(own, checkout, language) || sumOf(fromInvoice, checkout, language);
}

/** Sum of what counts, without money that goes back: with the rest it is the price. */
export const countedSum = (checkout: Checkout, language: string): string =>
  sumOf(
    checkout.received.flatMap(({ value, amount, refunded, symbol }) =>
      value ? { amount: withoutPart(amount, refunded), symbol } : [],
    ),
    checkout,
    language,
  );

/** Amounts that can be added; others are shown as received. */
const AMOUNT = /^\d{1,18}(\.\d{1,18})?$/;

/** The sum of amounts, by coin: `0.0004 BTC + 9.52 USDT`. */
function sumOf(
  parts: readonly { amount: string | null; symbol: string }[],
  { payment }: Checkout,
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
    ...[...sums].map(([symbol, sum]) => coinSum(formatAmount(sum), symbol, payment, language)),
    ...odd,
  ].join(' + ');
}

const withoutPart = (amount: string, refunded: string | undefined): string =>
  refunded && AMOUNT.test(amount) && AMOUNT.test(refunded)
    ? formatAmount(parseAmount(amount) - parseAmount(refunded))
    : amount;

import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Checkout, CheckoutReceived } from '@crypto-checkout/protocol/checkout';
import { formatMoney, isPositive } from '../number.ts';

/** Statuses of a payment that never came. */
const GONE = ['failed', 'replaced'];

export const isGone = ({ status }: CheckoutReceived): boolean => GONE.includes(status);

/** What came too late to count. */
export const isLost = ({ late, value }: CheckoutReceived): boolean => late && !value;

/** All that counts, in each coin in which it came: `0.0004 BTC + 9.52 USDT`. */
export function arrived({ received, payment }: Checkout): string {
  const sum = sumOf(received.map(({ value, amount, symbol }) => ({ amount: value ? amount : null, symbol })));
  // Money of which only the invoice tells, and what comes to an address that asks for nothing in particular.
  return sum || (payment && isPositive(payment.paid) ? `${payment.paid} ${payment.symbol}` : '');
}

/** All that came too late to count. */
export const lost = ({ received }: Checkout): string => sumOf(received.filter(isLost));

/** All that is more than the order needed. */
export function tooMuch({ received, payment }: Checkout): string {
  const sum = sumOf(received.map(({ overpaid, symbol }) => ({ amount: overpaid, symbol })));
  return sum || (payment && isPositive(payment.overpaid) ? `${payment.overpaid} ${payment.symbol}` : '');
}

/** What can be added up; anything else that a server says is drawn as it came. */
const AMOUNT = /^\d{1,18}(\.\d{1,18})?$/;

function sumOf(parts: readonly { amount: string | null; symbol: string }[]): string {
  const sums = new Map<string, bigint>();
  const odd: string[] = [];
  for (const { amount, symbol } of parts) {
    if (!isPositive(amount)) continue;
    if (AMOUNT.test(amount)) sums.set(symbol, (sums.get(symbol) ?? 0n) + parseAmount(amount));
    else odd.push(`${amount} ${symbol}`);
  }
  return [...[...sums].map(([symbol, sum]) => `${formatAmount(sum)} ${symbol}`), ...odd].join(' + ');
}

/** One payment, and what it counts for: `0.0004 BTC = 24.57 USD`. */
export function worthOf({ amount, symbol, value }: CheckoutReceived, { order }: Checkout, language: string): string {
  const counts = value && order.amount ? ` = ${formatMoney(value, language)} ${order.amount.currency}` : '';
  return `${amount} ${symbol}${counts}`;
}

/** At which price it counts. */
export const priceOf = ({ rate, symbol }: CheckoutReceived, { order }: Checkout, language: string): string =>
  rate && order.amount ? `1 ${symbol} = ${formatMoney(rate, language)} ${order.amount.currency}` : '';

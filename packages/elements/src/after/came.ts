import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Checkout, CheckoutReceived } from '@crypto-checkout/protocol/checkout';
import { isGone as isGoneStatus } from '@crypto-checkout/protocol/gone';
import { formatCoins, formatMoney, isPositive } from '../number.ts';

/** Whether a payment never came. */
export const isGone = ({ status }: CheckoutReceived): boolean => isGoneStatus(status);

/** What came too late to count. */
export const isLost = ({ late, value }: CheckoutReceived): boolean => late && !value;

/** What came in another coin than was asked for. */
export const isStray = (one: CheckoutReceived, { notes }: Checkout): boolean =>
  notes.includes('wrong_coin') && !one.value && !one.late && !isGone(one) && one.status !== 'quarantined';

/** All that came in another coin. */
export const stray = (checkout: Checkout, language: string): string =>
  sumOf(
    checkout.received.filter((one) => isStray(one, checkout)),
    language,
  );

/** All that counts, in each coin in which it came: `0.0004 BTC + 9.52 USDT`. */
export function arrived({ received, payment }: Checkout, language: string): string {
  const counted = received.map(({ value, amount, symbol }) => ({ amount: value ? amount : null, symbol }));
  // Money of which only the invoice tells, and what comes to an address that asks for nothing in particular.
  const told = payment && !received.some(isLost) ? [{ amount: payment.paid, symbol: payment.symbol }] : [];
  return sumOf(counted, language) || sumOf(told, language);
}

/** All that came too late to count. */
export const lost = ({ received }: Checkout, language: string): string => sumOf(received.filter(isLost), language);

/** All that is more than the order needed. */
export function tooMuch({ received, payment }: Checkout, language: string): string {
  const told = payment ? [{ amount: payment.overpaid, symbol: payment.symbol }] : [];
  const each = received.map(({ overpaid, symbol }) => ({ amount: overpaid, symbol }));
  return sumOf(each, language) || sumOf(told, language);
}

/** Notes on money that the shop has to be asked about, though the order is paid. */
const CONCERNS = ['overpaid', 'paid_twice', 'wrong_coin'];

/** Whether some money is a matter for buyer and shop, whatever becomes of the order. */
export const hasConcern = ({ notes, received }: Checkout): boolean =>
  notes.some((note) => CONCERNS.includes(note)) || received.some((one) => isLost(one) && !isGone(one));

/** What can be added up; anything else that a server says is drawn as it came. */
const AMOUNT = /^\d{1,18}(\.\d{1,18})?$/;

function sumOf(parts: readonly { amount: string | null; symbol: string }[], language: string): string {
  const sums = new Map<string, bigint>();
  const odd: string[] = [];
  for (const { amount, symbol } of parts) {
    if (!isPositive(amount)) continue;
    if (AMOUNT.test(amount)) sums.set(symbol, (sums.get(symbol) ?? 0n) + parseAmount(amount));
    else odd.push(`${amount} ${symbol}`);
  }
  return [...[...sums].map(([symbol, sum]) => `${formatCoins(formatAmount(sum), language)} ${symbol}`), ...odd].join(' + ');
}

/** One payment, and what it counts for: `0.0004 BTC = 24.57 USD`. */
export function worthOf({ amount, symbol, value }: CheckoutReceived, { order }: Checkout, language: string): string {
  const counts = value && order.amount ? ` = ${formatMoney(value, language)} ${order.amount.currency}` : '';
  return `${formatCoins(amount, language)} ${symbol}${counts}`;
}

/** At which price it counts. */
export const priceOf = ({ rate, symbol }: CheckoutReceived, { order }: Checkout, language: string): string =>
  rate && order.amount ? `1 ${symbol} = ${formatMoney(rate, language)} ${order.amount.currency}` : '';

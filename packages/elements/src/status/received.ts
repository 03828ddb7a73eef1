import type {
  Checkout,
  CheckoutPayment,
  CheckoutReceived,
} from '@crypto-checkout/protocol/checkout';
import { isVoidStatus } from '@crypto-checkout/protocol/void-status';
import { inWalletUnit } from '../core/payment.ts';
import { troubleIn } from '../core/trouble.ts';
import { formatCoins, formatMoney, formatPrice, isPositive } from '../i18n/number.ts';

/** Whether a payment failed, was dropped or was replaced. */
export const isGone = ({ status }: CheckoutReceived): boolean => isVoidStatus(status);

/** Whether a payment came too late to count, and no refund was asked for it. */
export const isLate = ({ late, value, refunded }: CheckoutReceived): boolean =>
  late && !value && !refunded;

/** Sum of the payments that count, by coin: `0.0004 BTC + 9.52 USDT`. */
export function receivedAmount(checkout: Checkout, language: string): string {
  const trouble = troubleIn(checkout);
  if (trouble) return trouble.receivedSum(checkout, language);
  const { payment, received } = checkout;
  // Amounts that only the invoice lists, and payments to a reusable address.
  const coin = received[0] ?? payment;
  const amount = received[0] ? received[0].amount : payment?.paid;
  return coin && amount && isPositive(amount)
    ? coinSum(
        amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount,
        coin.symbol,
        payment,
        language,
      )
    : '';
}

/** Notes about money that only the shop can settle, even if the order is paid. */
const CONCERNS = ['overpaid', 'paid_twice', 'wrong_coin'];

/** Whether some money has to be settled between buyer and shop. */
export const needsShop = ({ notes, received }: Checkout): boolean =>
  notes.some((note) => CONCERNS.includes(note)) ||
  received.some((one) => isLate(one) && !isGone(one));

/** A payment and its value: `0.0004 BTC = 24.57 USD`. */
export function paymentValue(
  payment: CheckoutReceived,
  checkout: Checkout,
  language: string,
): string {
  const { order, payment: asked } = checkout;
  const { amount, symbol, value } = payment;
  if (!value || !order.amount) return coinSum(amount, symbol, asked, language);
  const sum = coinSum(amount, symbol, asked, language);
  // The value is that of the part that counts.
  if (order.amount.currency === symbol || payment.refunded) return sum;
  return `${sum} = ${formatPrice({ ...order.amount, amount: value }, language)}`;
}

/**
 * An amount of a coin, in the unit in which the payment of the view is asked for: a page has one
 * unit, also for money that goes back. Wallets show both units of an amount on chain.
 */
export function coinSum(
  amount: string,
  symbol: string,
  payment: CheckoutPayment | null,
  language: string,
): string {
  const sum = payment?.symbol === symbol ? inWalletUnit(amount, payment) : { amount, symbol };
  const format = sum.symbol === 'sats' ? formatMoney : formatCoins;
  return `${format(sum.amount, language)} ${sum.symbol}`;
}

/** The exchange rate of a payment. */
export const paymentRate = (
  { rate, symbol }: Pick<CheckoutReceived, 'rate' | 'symbol'>,
  { order }: Pick<Checkout, 'order'>,
  language: string,
): string =>
  rate && order.amount && order.amount.currency !== symbol
    ? `1 ${symbol} = ${formatRate(rate, order.amount.currency, language)}`
    : '';

/** Digits of a rate: it comes from rounded amounts, so that further ones mean nothing. */
const RATE_DIGITS = 5;

/** A rate with the currency's decimals, or with more where it is small: `$92.00`, `$0.9996`. */
function formatRate(rate: string, currency: string, language: string): string {
  try {
    const style = { style: 'currency', currency } as const;
    const cents = new Intl.NumberFormat(language, style).resolvedOptions().maximumFractionDigits!;
    const needed = RATE_DIGITS - 1 - Math.floor(Math.log10(Number(rate)));
    return new Intl.NumberFormat(`${language}-u-nu-latn`, {
      ...style,
      minimumFractionDigits: cents,
      maximumFractionDigits: Math.max(cents, Math.min(needed, 20)),
    }).format(rate as Intl.StringNumericLiteral);
  } catch {
    return formatPrice({ amount: rate, currency }, language);
  }
}

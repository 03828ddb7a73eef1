import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { inWalletUnit } from '../../core/payment.ts';
import { formatApprox } from '../../i18n/approximation.ts';

/**
 * The approximate amount of a coin. Lightning in a row of its own has the unit of the payment that
 * follows.
 */
export function approxText(
  { kind, symbol, approx }: CheckoutCoin,
  language: string,
  alone: boolean,
): string {
  if (!approx) return symbol;
  const sum = alone
    ? inWalletUnit(approx, { kind, symbol, from: 'wallet' })
    : { amount: approx, symbol };
  return `≈ ${formatApprox(sum.amount, language, sum.symbol)} ${sum.symbol}`;
}

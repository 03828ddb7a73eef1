import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { inWalletUnit } from '../../core/payment.ts';
import { formatApprox } from '../../i18n/approximation.ts';

/** The approximate amount of a coin; lightning alone has the unit of the payment that follows. */
export function approxText(
  { kind, symbol, approx }: CheckoutCoin,
  language: string,
  alone: boolean,
): string {
  if (!approx) return symbol;
  const sum = alone
    ? inWalletUnit(approx, { kind, symbol, from: 'wallet' })
    : { amount: approx, symbol };
  return `≈ ${formatApprox(sum.amount, language)} ${sum.symbol}`;
}

/** Draws the amount of lightning among the networks of bitcoin, whose amount has another unit. */
export const drawSats = (coin: CheckoutCoin, language: string): TemplateResult | typeof nothing =>
  coin.approx && coin.kind.startsWith('BTC_LIGHTNING')
    ? html`<small><bdi>${approxText(coin, language, true)}</bdi></small>`
    : nothing;

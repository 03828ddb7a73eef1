import { parseAmount, roundDown, roundUp, type Amount } from '@crypto-checkout/protocol/amount';

/** Smallest amount accepted: payouts cannot send lightning's fractions of a satoshi. */
export const SATOSHI = 10n ** 10n;
const SATOSHI_DECIMALS = 8;
/** Our own limit of one lightning payment: 10 BTC. */
export const MAX_LIGHTNING_PAYMENT = 10n * 10n ** 18n;

/**
 * Accepted deviations in percent of the amount, as the profile had them when the invoice was
 * created.
 */
export interface AcceptedRange {
  negative_difference: string;
  positive_difference: string;
}

/**
 * Limits of one payment in bitcoin when `due` is requested.
 * @returns null when the lower limit exceeds the largest lightning payment
 */
export function lnurlBounds(
  due: Amount,
  range: AcceptedRange,
): { min: Amount; max: Amount } | null {
  // Rounded inwards to whole satoshis: every amount in between is accepted and can be paid out.
  const part = (percent: string, sign: 1n | -1n): Amount =>
    due + (sign * due * parseAmount(percent)) / (100n * 10n ** 18n);
  const min = roundUp(part(range.negative_difference, -1n), SATOSHI_DECIMALS);
  const max = roundDown(part(range.positive_difference, 1n), SATOSHI_DECIMALS);
  const lowest = min < SATOSHI ? SATOSHI : min;
  if (lowest > MAX_LIGHTNING_PAYMENT) return null;
  return {
    min: lowest,
    max: max > MAX_LIGHTNING_PAYMENT ? MAX_LIGHTNING_PAYMENT : max < lowest ? lowest : max,
  };
}

import { parseAmount, roundDown, roundUp, type Amount } from '@crypto-checkout/protocol/amount';

/** The least amount that is paid out: lightning's parts of a satoshi are not. */
export const SATOSHI = 10n ** 10n;
const SATOSHI_DECIMALS = 8;
/** What a lightning wallet of ours takes in one payment: a choice, 10 BTC. */
export const WALLET_LIMIT = 10n * 10n ** 18n;

/** Percents of the amount, as the profile accepted them when the invoice was made. */
export interface AcceptedRange {
  negative_difference: string;
  positive_difference: string;
}

/** What one payment may bring in bitcoins when `due` is asked for. @returns null when the least of it is more than the wallet takes */
export function boundsAround(due: Amount, range: AcceptedRange): { min: Amount; max: Amount } | null {
  // Inwards, so that every amount between them is accepted when it is paid; whole satoshis, because nothing can pay out their parts.
  const part = (percent: string, sign: 1n | -1n): Amount => due + (sign * due * parseAmount(percent)) / (100n * 10n ** 18n);
  const min = roundUp(part(range.negative_difference, -1n), SATOSHI_DECIMALS);
  const max = roundDown(part(range.positive_difference, 1n), SATOSHI_DECIMALS);
  const lowest = min < SATOSHI ? SATOSHI : min;
  if (lowest > WALLET_LIMIT) return null;
  return { min: lowest, max: max > WALLET_LIMIT ? WALLET_LIMIT : max < lowest ? lowest : max };
}

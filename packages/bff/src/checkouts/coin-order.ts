import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';

/** Fees below one cent look alike to buyers. */
const LEAST_FEE = parseAmount('0.01');
const UNKNOWN = 99;

/**
 * Sorts the networks of each asset by fee, then by time, behind its most used one. Assets keep
 * their places. Fees and times of one order of magnitude count as equal: the list would otherwise
 * change with every block, under the buyer's finger.
 * @param coins - The most used first.
 */
export function cheapNetworksFirst(coins: readonly CheckoutCoin[]): CheckoutCoin[] {
  const assets = new Map<string, CheckoutCoin[]>();
  for (const coin of coins) assets.set(coin.name, [...(assets.get(coin.name) ?? []), coin]);
  for (const [name, [first, ...others]] of assets)
    assets.set(name, [first!, ...others.toSorted((a, b) => magnitude(a) - magnitude(b))]);
  return coins.map(({ name }) => assets.get(name)!.shift()!);
}

/** Digits of the fee, then those of the seconds. */
const magnitude = ({ fee_usd, seconds }: CheckoutCoin): number =>
  100 * feeDigits(fee_usd) + String(seconds ?? 0).length;

/** An unknown fee comes last; decimals beyond those of amounts change nothing. */
function feeDigits(fee: string | null): number {
  const [text] = /^\d{1,18}(?:\.\d{1,18})?/.exec(fee ?? '') ?? [];
  if (text === undefined) return UNKNOWN;
  const amount = parseAmount(text);
  return amount < LEAST_FEE ? 0 : String(amount).length;
}

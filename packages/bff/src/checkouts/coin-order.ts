import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';

/** Fees below one cent look alike to buyers. */
const LEAST_FEE = parseAmount('0.01');
/** Of an unknown fee: without fees, the networks stay in the order of their use. */
const LAST = 10_000;

/**
 * Sorts the networks of each asset by fee, then by time; its most used one comes second, because a
 * picker folds the others. Assets keep their places. A coin on its own chain stays first: its name
 * alone means this chain, and exchanges send it there. Fees and times of one order of magnitude
 * count as equal: the list would otherwise change with every block, under the buyer's finger.
 * @param coins - The most used first.
 */
export function cheapNetworksFirst(coins: readonly CheckoutCoin[]): CheckoutCoin[] {
  const assets = new Map<string, CheckoutCoin[]>();
  for (const coin of coins) assets.set(coin.name, [...(assets.get(coin.name) ?? []), coin]);
  for (const [name, networks] of assets) {
    const mostUsed = networks[0]!;
    const sorted = networks.toSorted(byFee);
    const first = mostUsed.gas === null ? mostUsed : sorted[0]!;
    assets.set(name, [...new Set([first, mostUsed, ...sorted])]);
  }
  return coins.map(({ name }) => assets.get(name)!.shift()!);
}

const byFee = (a: CheckoutCoin, b: CheckoutCoin): number => magnitude(a) - magnitude(b);

/** Digits of the fee, then those of the seconds. */
function magnitude({ fee_usd, seconds }: CheckoutCoin): number {
  // Decimals beyond those of amounts change nothing.
  const [fee] = /^\d{1,18}(?:\.\d{1,18})?/.exec(fee_usd ?? '') ?? [];
  if (fee === undefined) return LAST;
  const amount = parseAmount(fee);
  const digits = amount < LEAST_FEE ? 0 : String(amount).length;
  return 100 * digits + String(seconds ?? 0).length;
}

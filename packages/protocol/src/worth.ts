import { type Amount, divide, formatAmount, multiply, roundDown } from './amount.ts';
import type { TransactionFacts } from './stage.ts';
import { inDecimals, nearest, significant, type Weighed } from './weigh.ts';

/** A payment that came, as it was weighed. */
export interface Arrival {
  /** Null for money of which only the invoice tells. */
  transaction: TransactionFacts | null;
  at: number;
  /** In the order's currency. */
  value: Amount;
  coins: Amount;
  /** One coin in the order's currency. */
  rate: Amount;
  inTime: boolean;
  counted: boolean;
}

/** What one payment does for its order. */
export interface Worth {
  /** One coin in the order's currency, at which it counts; null when it does not count. */
  rate: string | null;
  /** What it counts for, in the order's currency; null when it does not count, or there is no price. */
  value: string | null;
  /** It came after its price had run out. */
  late: boolean;
  /** What of it is more than the order needed, in the coin, when that is more than is tolerated. */
  overpaid: string | null;
}

export const NO_EXCESS: ReadonlyMap<Arrival, Amount> = new Map();

const NOTHING: Worth = { rate: null, value: null, late: false, overpaid: null };

/** What each transaction does for the order, in their order. */
export function worthsOf(
  transactions: readonly TransactionFacts[],
  weighed: readonly Weighed[],
  { decimals, excess }: { decimals: number; excess: ReadonlyMap<Arrival, Amount> },
): Worth[] {
  const values = inSteps(weighed, decimals);
  const known = new Map(weighed.flatMap(({ kind, arrivals }) => arrivals.map((arrival) => [arrival.transaction, { kind, arrival }])));
  return transactions.map((transaction) => {
    const found = known.get(transaction);
    if (!found) return NOTHING;
    const { rate, inTime, counted } = found.arrival;
    const over = inDecimals(found.kind, excess.get(found.arrival) ?? 0n);
    return {
      rate: counted ? formatAmount(significant(rate)) : null,
      value: counted ? formatAmount(values.get(found.arrival) ?? 0n) : null,
      late: !inTime,
      overpaid: over > 0n ? formatAmount(over) : null,
    };
  });
}

/**
 * What each payment that counts adds to the sum as it is shown. Rounded down: what is then left is asked for rounded up, and both make up
 * the price. Rounded each by itself, parts of 18.50 could be seen to make 18.51.
 */
function inSteps(weighed: readonly Weighed[], decimals: number): ReadonlyMap<Arrival, Amount> {
  const arrivals = weighed.flatMap((invoice) => invoice.arrivals).filter(({ counted }) => counted);
  const steps = new Map<Arrival, Amount>();
  let sum = 0n;
  for (const arrival of arrivals.toSorted((a, b) => a.at - b.at)) {
    const before = shownSum(sum, decimals);
    sum += arrival.value;
    steps.set(arrival, shownSum(sum, decimals) - before);
  }
  return steps;
}

/** A sum as it is shown: rounded down, save for what a division lost. */
export const shownSum = (sum: Amount, decimals: number): Amount => roundDown(nearest(sum, 15), decimals);

/** What of each payment is too much, in its coin: they count in the order in which they came, and what does not count comes last. */
export function excesses(
  weighed: readonly Weighed[],
  { needed, covered, decimals }: { needed: Amount; covered: boolean; decimals: number },
): Map<Arrival, Amount> {
  const arrivals = weighed
    .flatMap((invoice) => invoice.arrivals.map((arrival) => ({ arrival, invoice })))
    .filter(({ arrival: { counted } }) => counted || covered)
    .toSorted((a, b) => Number(b.arrival.counted) - Number(a.arrival.counted) || a.arrival.at - b.arrival.at);
  const excess = new Map<Arrival, Amount>();
  const cameBefore: { invoice: Weighed; value: Amount }[] = [];
  for (const { arrival, invoice } of arrivals) {
    const { value, coins } = arrival;
    const before = sumOf(cameBefore);
    // An invoice for the rest asks for it to the next cent: what it asked for is not too much.
    const asked = sumOf(cameBefore.filter((other) => other.invoice !== invoice)) + (invoice.quote?.requested ?? 0n);
    const limit = asked > needed && asked - needed < 10n ** BigInt(18 - decimals) ? asked : needed;
    const above = before >= limit ? value : before + value - limit;
    cameBefore.push({ invoice, value });
    if (above > 0n && value > 0n) excess.set(arrival, divide(multiply(coins, above, 'down'), value, 'down'));
  }
  return excess;
}

const sumOf = (parts: readonly { value: Amount }[]): Amount => parts.reduce((sum, { value }) => sum + value, 0n);

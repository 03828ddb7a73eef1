import { type Amount, divide, formatAmount, multiply, roundDown } from '../amount/amount.ts';
import type { TransactionFacts, TransactionValue } from './facts.ts';
import {
  type InvoiceTally,
  roundForDisplay,
  roundToNearest,
  type TalliedPayment,
} from './invoice-tally.ts';
import { roundRate } from './quote-rate.ts';

export const NO_EXCESS: ReadonlyMap<TalliedPayment, Amount> = new Map();

const NOT_COUNTED: TransactionValue = { rate: null, value: null, late: false, overpaid: null };

/** The value of each transaction for the order, in the order of `transactions`. */
export function transactionValues(
  transactions: readonly TransactionFacts[],
  tallies: readonly InvoiceTally[],
  { decimals, excess }: { decimals: number; excess: ReadonlyMap<TalliedPayment, Amount> },
): TransactionValue[] {
  const values = displayedValues(tallies, decimals);
  const byTransaction = new Map(
    tallies.flatMap(({ kind, payments }) =>
      payments.map((payment) => [payment.transaction, { kind, payment }]),
    ),
  );
  return transactions.map((transaction) => {
    const found = byTransaction.get(transaction);
    if (!found) return NOT_COUNTED;
    const { rate, inTime, counted } = found.payment;
    const over = roundForDisplay(found.kind, excess.get(found.payment) ?? 0n);
    return {
      rate: counted ? formatAmount(roundRate(rate)) : null,
      value: counted ? formatAmount(values.get(found.payment) ?? 0n) : null,
      late: !inTime,
      overpaid: over > 0n ? formatAmount(over) : null,
    };
  });
}

/**
 * The share of each counted payment in the displayed sum. The sum is rounded down and the rest up,
 * so both add up to the price. Rounded one by one, parts of 18.50 could add up to 18.51.
 */
function displayedValues(
  tallies: readonly InvoiceTally[],
  decimals: number,
): ReadonlyMap<TalliedPayment, Amount> {
  const payments = tallies.flatMap((invoice) => invoice.payments).filter(({ counted }) => counted);
  const steps = new Map<TalliedPayment, Amount>();
  let sum = 0n;
  for (const payment of payments.toSorted((a, b) => a.at - b.at)) {
    const before = roundSum(sum, decimals);
    sum += payment.value;
    steps.set(payment, roundSum(sum, decimals) - before);
  }
  return steps;
}

/** Rounds a displayed sum down, after a division's remainder is corrected. */
export const roundSum = (sum: Amount, decimals: number): Amount =>
  roundDown(roundToNearest(sum, 15), decimals);

/**
 * The excess of each payment over the order, in its coin. Counted payments are applied in the order
 * of their arrival, then those that do not count.
 */
export function excessByPayment(
  tallies: readonly InvoiceTally[],
  { needed, covered, decimals }: { needed: Amount; covered: boolean; decimals: number },
): Map<TalliedPayment, Amount> {
  const payments = tallies
    .flatMap((invoice) => invoice.payments.map((payment) => ({ payment, invoice })))
    .filter(({ payment: { counted } }) => counted || covered)
    .toSorted(
      (a, b) =>
        Number(b.payment.counted) - Number(a.payment.counted) || a.payment.at - b.payment.at,
    );
  const excess = new Map<TalliedPayment, Amount>();
  const earlier: { invoice: InvoiceTally; value: Amount }[] = [];
  for (const { payment, invoice } of payments) {
    const { value, coins } = payment;
    const before = sumOf(earlier);
    // An invoice for the rest is rounded up to the next cent: its own amount is no excess.
    const asked =
      sumOf(earlier.filter((other) => other.invoice !== invoice)) +
      (invoice.quote?.requested ?? 0n);
    const limit = asked > needed && asked - needed < 10n ** BigInt(18 - decimals) ? asked : needed;
    const above = before >= limit ? value : before + value - limit;
    earlier.push({ invoice, value });
    if (above > 0n && value > 0n)
      excess.set(payment, divide(multiply(coins, above, 'down'), value, 'down'));
  }
  return excess;
}

const sumOf = (parts: readonly { value: Amount }[]): Amount =>
  parts.reduce((sum, { value }) => sum + value, 0n);

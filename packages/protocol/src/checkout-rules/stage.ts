import { type Amount, formatAmount, parseAmount, roundDown, roundUp } from '../amount/amount.ts';
import { currencyOf } from '../amount/currency.ts';
import type { Note } from '../checkout/checkout.ts';
import type { CheckoutFacts, CheckoutState, PaymentState } from './facts.ts';
import {
  addPercent,
  type InvoiceTally,
  remainingIn,
  roundForDisplay,
  subtractPercent,
  type TalliedPayment,
  tallyInvoice,
} from './invoice-tally.ts';
import { excessByPayment, NO_EXCESS, roundSum, transactionValues } from './transaction-values.ts';

export type {
  CheckoutFacts,
  CheckoutState,
  InvoiceFacts,
  PaymentState,
  QuoteFacts,
  TransactionFacts,
  TransactionValue,
} from './facts.ts';

/**
 * The stage of a checkout: a pure function of the facts and the server's time. Payments are summed
 * in the order's currency across all invoices, each at the quote that was current when it was first
 * seen. An invoice with the status `paid` or `complete` counts in full. A partial payment in time
 * keeps the checkout `underpaid` after its invoice expired: the rest can be paid with another coin.
 * @example
 * const order = {amount: '10', currency: 'USD'};
 * stageOf({order, invoices: [], transactions: [], serverTime: Date.now()}).stage // 'choose'
 */
export function stageOf(facts: CheckoutFacts): CheckoutState {
  const order = orderOf(facts);
  const now =
    typeof facts.serverTime === 'number' ? facts.serverTime : Date.parse(facts.serverTime);
  const acceptance = facts.acceptance ?? { negative_difference: '0.5', positive_difference: '0.5' };
  const stablecoinPrecision = facts.stablecoinPrecision ?? 2;
  const tallies = facts.invoices.map((invoice) => {
    const own = facts.transactions.filter((transaction) => transaction.invoice?.id === invoice.id);
    return tallyInvoice(invoice, own, {
      currency: order?.currency ?? null,
      negative: acceptance.negative_difference,
      now,
      stablecoinPrecision,
    });
  });
  if (facts.invoices.length > 0 && !order) return reusableState(facts, tallies);

  const needed = order ? parseAmount(order.amount) : 0n;
  const enough = (sum: Amount) => sum >= subtractPercent(needed, acceptance.negative_difference);
  const paid = sum(tallies, 'seen');
  const covered = facts.invoices.length > 0 && enough(paid);
  const expected = paid + sum(tallies, 'heldValue');
  const left = enough(expected) ? 0n : needed - expected;
  const decimals = currencyOf(order?.currency ?? '')?.decimals ?? 18;
  const stage = facts.invoices.length === 0 ? 'choose' : pricedStage(tallies, enough);
  const received = sum(tallies, 'received') + (covered ? sum(tallies, 'late') : 0n);
  const overpaid =
    tallies.length > 0 && received > addPercent(needed, acceptance.positive_difference);
  const excess = overpaid ? excessByPayment(tallies, { needed, covered, decimals }) : NO_EXCESS;
  return {
    stage,
    notes: notesOf(facts, tallies, {
      covered,
      overpaid,
      paidTwice: paidTwice(
        tallies,
        enough,
        addPercent(needed, acceptance.positive_difference) - needed,
      ),
    }),
    paid: formatAmount(roundSum(paid, decimals)),
    remaining: order ? formatAmount(roundUp(left, decimals)) : null,
    late: formatAmount(roundDown(sum(tallies, 'late'), decimals)),
    excess: formatAmount(overpaid ? roundSum(received - needed, decimals) : 0n),
    payments: paymentStates(tallies, left, {
      decimals,
      stablecoinPrecision,
      excess,
    }),
    transactionValues: transactionValues(facts.transactions, tallies, { decimals, excess }),
  };
}

function pricedStage(
  tallies: readonly InvoiceTally[],
  enough: (sum: Amount) => boolean,
): CheckoutState['stage'] {
  if (enough(sum(tallies, 'complete'))) return 'complete';
  if (enough(sum(tallies, 'confirmed'))) return 'paid';
  if (enough(sum(tallies, 'seen'))) return 'seen';
  if (tallies.some(({ unknown }) => unknown)) return 'wait';
  // While one part is under review, the rest can be paid.
  if (tallies.some(({ held }) => held) && enough(sum(tallies, 'seen') + sum(tallies, 'heldValue')))
    return 'held';
  const open = tallies.filter((invoice) => invoice.open);
  // A quote requested after the late payment shows that the buyer continues; an earlier one does
  // not.
  const lateAt = Math.max(...tallies.map((invoice) => invoice.lateAt));
  if (lateAt > 0 && open.every(({ quotedAt }) => quotedAt < lateAt)) return 'late';
  if (sum(tallies, 'seen') > 0n || sum(tallies, 'heldValue') > 0n) return 'underpaid';
  if (open.some(({ failed }) => failed)) return 'failed';
  return open.length > 0 ? 'pay' : 'expired';
}

/**
 * A reusable address accepts payments without end: it shows its newest payment and is never
 * complete.
 */
function reusableState(facts: CheckoutFacts, tallies: readonly InvoiceTally[]): CheckoutState {
  const newest = tallies
    .flatMap(({ newest: payment }) => payment ?? [])
    .toSorted((a, b) => b.at - a.at)[0];
  const stage = !newest ? 'pay' : newest.level === 'seen' ? 'seen' : 'paid';
  return {
    stage: tallies.some(({ unknown }) => unknown) ? 'wait' : stage,
    notes: notesOf(facts, tallies, {
      covered: newest !== undefined,
      overpaid: false,
      paidTwice: false,
    }),
    paid: '0',
    remaining: null,
    late: '0',
    excess: '0',
    payments: paymentStates(tallies, null, {
      decimals: 18,
      stablecoinPrecision: 2,
      excess: NO_EXCESS,
    }),
    transactionValues: transactionValues(facts.transactions, tallies, {
      decimals: 18,
      excess: NO_EXCESS,
    }),
  };
}

/** The order was already covered when further payments arrived, and these exceed the tolerance. */
function paidTwice(
  tallies: readonly InvoiceTally[],
  enough: (sum: Amount) => boolean,
  tolerated: Amount,
): boolean {
  const payments = tallies.flatMap(({ payments: own }) => own).toSorted((a, b) => a.at - b.at);
  let before = 0n;
  let again = 0n;
  for (const { value, counted } of payments) {
    if (enough(before)) again += value;
    else if (counted) before += value;
  }
  return payments.length > 1 && again > tolerated;
}

function notesOf(
  facts: CheckoutFacts,
  tallies: readonly InvoiceTally[],
  known: { covered: boolean; overpaid: boolean; paidTwice: boolean },
): Note[] {
  const notes: Note[] = [];
  if (known.overpaid) notes.push('overpaid');
  if (tallies.some(({ wrongCoin }) => wrongCoin)) notes.push('wrong_coin');
  if (!known.covered && tallies.some(({ replaced }) => replaced)) notes.push('replaced');
  if (!known.covered && tallies.some(({ dropped }) => dropped)) notes.push('dropped');
  if (tallies.some(({ reusable }) => reusable)) notes.push('reusable');
  if (known.paidTwice) notes.push('paid_twice');
  if (tallies.some(({ lateAccepted }) => lateAccepted)) notes.push('late_accepted');
  const networks =
    facts.invoices.length > 0
      ? facts.invoices.map(({ network }) => network)
      : [facts.network ?? 'mainnet'];
  if (networks.some((network) => network !== 'mainnet')) notes.push('test_network');
  return notes;
}

function paymentStates(
  tallies: readonly InvoiceTally[],
  left: Amount | null,
  options: {
    decimals: number;
    stablecoinPrecision: number;
    excess: ReadonlyMap<TalliedPayment, Amount>;
  },
): Record<string, PaymentState> {
  return Object.fromEntries(
    tallies.map((invoice) => [
      invoice.id,
      {
        due: invoice.quote && formatAmount(invoice.quote.invoiced),
        paid: formatAmount(invoice.coins),
        remaining:
          invoice.quote && left !== null ? formatAmount(remainingIn(invoice, left, options)) : null,
        rate: invoice.rate === null ? null : formatAmount(invoice.rate),
        overpaid: orNull(
          roundForDisplay(
            invoice.kind,
            invoice.payments.reduce(
              (sum, payment) => sum + (options.excess.get(payment) ?? 0n),
              0n,
            ),
          ),
        ),
        late: orNull(invoice.lateCoins),
      },
    ]),
  );
}

function orNull(amount: Amount): string | null {
  return amount > 0n ? formatAmount(amount) : null;
}

function orderOf(facts: CheckoutFacts): { amount: string; currency: string } | null {
  if (facts.order) return facts.order;
  const requested = facts.invoices[0]?.amount.requested ?? null;
  return requested && parseAmount(requested.amount) > 0n ? requested : null;
}

type Sum = 'seen' | 'confirmed' | 'complete' | 'received' | 'late' | 'heldValue';

function sum(tallies: readonly InvoiceTally[], what: Sum): Amount {
  return tallies.reduce((total, invoice) => total + invoice[what], 0n);
}

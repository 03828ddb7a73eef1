import { type Amount, formatAmount, parseAmount, roundDown, roundUp } from './amount.ts';
import type { Note, Stage } from './checkout.ts';
import { currencyOf } from './currency.ts';
import { inDecimals, percentAbove, percentBelow, remainingIn, type Weighed, weigh } from './weigh.ts';
import { type Arrival, excesses, NO_EXCESS, shownSum, type Worth, worthsOf } from './worth.ts';

/** Everything that a checkout's stage depends on; invoices and transactions exactly as the API returns them. */
export interface CheckoutFacts {
  /** The order's amount; null when the checkout shows a single invoice, whose requested amount then is the order's. */
  order: { amount: string; currency: string } | null;
  invoices: readonly InvoiceFacts[];
  /** All transactions of these invoices. */
  transactions: readonly TransactionFacts[];
  /** The account's network, for as long as there is no invoice. */
  network?: string;
  /** The service's time (its `Date` header), ISO 8601 or milliseconds since the epoch. */
  serverTime: string | number;
  /** The profile's `acceptance_range`, percent; default 0.5 both ways. */
  acceptance?: { negative_difference: string; positive_difference: string };
  /** The profile's `stablecoin_precision`: what is left of a stablecoin is rounded up to it, as its price was. Default 2. */
  stablecoinPrecision?: number;
}

export interface InvoiceFacts {
  id: string;
  kind: string;
  /** Any string is accepted. */
  status: string;
  network: string;
  created_at: string;
  expires_at?: string | null | undefined;
  amount: {
    requested: { amount: string; currency: string } | null;
    invoiced: { amount: string; currency: string } | null;
  };
  /**
   * All prices that a renewed invoice had, oldest first, the one in force last. The API returns only that one: whoever renewed
   * the invoice knows the others. Default: the one in force, since the invoice was created.
   */
  quotes?: readonly QuoteFacts[] | undefined;
}

export interface QuoteFacts {
  requested: string;
  invoiced: string;
  starts_at: string;
  expires_at: string | null;
}

export interface TransactionFacts {
  kind: string;
  txid: string;
  /** Any string is accepted; `dropped` is for one that the network no longer knows (`isGone`). */
  status: string;
  created_at: string;
  confirmations: number;
  invoice: { id: string } | null;
  amount: {
    paid: { amount: string; currency: string };
    /** Present with a custom fee only: the transaction's actual value. */
    paid_total?: { amount: string; currency: string } | null | undefined;
  };
  /**
   * One coin in the order's currency when this payment arrived: a payment that came late counts at it. Whoever accepts late payments
   * keeps it, so that it never changes. Default: a late payment does not count.
   */
  late_rate?: string | null | undefined;
}

export interface CheckoutStanding {
  /** `wait` when a status that we do not know decides. */
  stage: Stage | 'wait';
  notes: Note[];
  /** Counted payments, in the order's currency, each at its own quote; `0` for a reusable address. */
  paid: string;
  /** What the order still needs, in its own currency; null for a reusable address. */
  remaining: string | null;
  /** Payments that came after their invoice ran out and were not accepted, in the order's currency. Not in `paid`. */
  late: string;
  /** Per invoice, in its coin. */
  payments: Readonly<Record<string, PaymentStanding>>;
  /** What each of the facts' transactions is worth, in the same order. */
  worths: readonly Worth[];
}

export interface PaymentStanding {
  /** Null for a reusable address. */
  due: string | null;
  paid: string;
  /** What the order still needs, in this coin at the quote in force. */
  remaining: string | null;
  /** One coin in the order's currency. */
  rate: string | null;
  /** What this invoice brought above the order's amount, when that is more than is tolerated. */
  overpaid: string | null;
  /** What came after the quote had run out, accepted or not. */
  late: string | null;
}

/**
 * The stage of a checkout: a pure function of the facts and the server's time. What the order needs is counted in its own currency
 * across all invoices, each payment at the quote in force when it was first seen; an invoice that the service calls paid counts in
 * full. A part that came in time keeps the checkout `underpaid` also after its invoice ran out: the rest can be paid with another coin.
 * @example stageOf({order: {amount: '10', currency: 'USD'}, invoices: [], transactions: [], serverTime: Date.now()}).stage // 'choose'
 */
export function stageOf(facts: CheckoutFacts): CheckoutStanding {
  const order = orderOf(facts);
  const now = typeof facts.serverTime === 'number' ? facts.serverTime : Date.parse(facts.serverTime);
  const acceptance = facts.acceptance ?? { negative_difference: '0.5', positive_difference: '0.5' };
  const weighed = facts.invoices.map((invoice) => {
    const own = facts.transactions.filter((transaction) => transaction.invoice?.id === invoice.id);
    return weigh(invoice, own, { currency: order?.currency ?? null, negative: acceptance.negative_difference, now });
  });
  if (facts.invoices.length > 0 && !order) return reusableStanding(facts, weighed);

  const needed = order ? parseAmount(order.amount) : 0n;
  const enough = (sum: Amount) => sum >= percentBelow(needed, acceptance.negative_difference);
  const paid = sum(weighed, 'seen');
  const covered = facts.invoices.length > 0 && enough(paid);
  const expected = paid + sum(weighed, 'checked');
  const left = enough(expected) ? 0n : needed - expected;
  const decimals = currencyOf(order?.currency ?? '')?.decimals ?? 18;
  const stage = facts.invoices.length === 0 ? 'choose' : pricedStage(weighed, enough);
  const overpaid =
    weighed.length > 0 &&
    sum(weighed, 'received') + (covered ? sum(weighed, 'late') : 0n) > percentAbove(needed, acceptance.positive_difference);
  const excess = overpaid ? excesses(weighed, { needed, covered, decimals }) : NO_EXCESS;
  return {
    stage,
    notes: notesOf(facts, weighed, {
      covered,
      overpaid,
      paidTwice: paidTwice(weighed, enough, percentAbove(needed, acceptance.positive_difference) - needed),
    }),
    paid: formatAmount(shownSum(paid, decimals)),
    remaining: order ? formatAmount(roundUp(left, decimals)) : null,
    late: formatAmount(roundDown(sum(weighed, 'late'), decimals)),
    payments: standings(weighed, left, { decimals, stablecoinPrecision: facts.stablecoinPrecision ?? 2, excess }),
    worths: worthsOf(facts.transactions, weighed, { decimals, excess }),
  };
}

function pricedStage(weighed: readonly Weighed[], enough: (sum: Amount) => boolean): CheckoutStanding['stage'] {
  if (enough(sum(weighed, 'complete'))) return 'complete';
  if (enough(sum(weighed, 'confirmed'))) return 'paid';
  if (enough(sum(weighed, 'seen'))) return 'seen';
  if (weighed.some(({ unknown }) => unknown)) return 'wait';
  // Where a part is being checked, the rest can be paid meanwhile.
  if (weighed.some(({ held }) => held) && enough(sum(weighed, 'seen') + sum(weighed, 'checked'))) return 'held';
  const open = weighed.filter((invoice) => invoice.open);
  // A price that the buyer asked for after that says that he goes on; one that still runs from before does not.
  const lateAt = Math.max(...weighed.map((invoice) => invoice.lateAt));
  if (lateAt > 0 && open.every(({ quotedAt }) => quotedAt < lateAt)) return 'late';
  if (sum(weighed, 'seen') > 0n || sum(weighed, 'checked') > 0n) return 'underpaid';
  if (open.some(({ failed }) => failed)) return 'failed';
  return open.length > 0 ? 'pay' : 'expired';
}

/** A reusable address is watched without end: it shows its newest payment, and is never complete. */
function reusableStanding(facts: CheckoutFacts, weighed: readonly Weighed[]): CheckoutStanding {
  const newest = weighed.flatMap(({ newest: payment }) => payment ?? []).toSorted((a, b) => b.at - a.at)[0];
  const stage = !newest ? 'pay' : newest.level === 'seen' ? 'seen' : 'paid';
  return {
    stage: weighed.some(({ unknown }) => unknown) ? 'wait' : stage,
    notes: notesOf(facts, weighed, { covered: newest !== undefined, overpaid: false, paidTwice: false }),
    paid: '0',
    remaining: null,
    late: '0',
    payments: standings(weighed, null, { decimals: 18, stablecoinPrecision: 2, excess: NO_EXCESS }),
    worths: worthsOf(facts.transactions, weighed, { decimals: 18, excess: NO_EXCESS }),
  };
}

/** Paid twice: the order was covered already when another payment came, and that is more than what is tolerated above the amount. */
function paidTwice(weighed: readonly Weighed[], enough: (sum: Amount) => boolean, tolerated: Amount): boolean {
  const arrivals = weighed.flatMap(({ arrivals: own }) => own).toSorted((a, b) => a.at - b.at);
  let before = 0n;
  let again = 0n;
  for (const { value, counted } of arrivals) {
    if (enough(before)) again += value;
    else if (counted) before += value;
  }
  return arrivals.length > 1 && again > tolerated;
}

function notesOf(
  facts: CheckoutFacts,
  weighed: readonly Weighed[],
  known: { covered: boolean; overpaid: boolean; paidTwice: boolean },
): Note[] {
  const notes: Note[] = [];
  if (known.overpaid) notes.push('overpaid');
  if (weighed.some(({ wrongCoin }) => wrongCoin)) notes.push('wrong_coin');
  if (!known.covered && weighed.some(({ replaced }) => replaced)) notes.push('replaced');
  if (!known.covered && weighed.some(({ dropped }) => dropped)) notes.push('dropped');
  if (weighed.some(({ reusable }) => reusable)) notes.push('reusable');
  if (known.paidTwice) notes.push('paid_twice');
  if (weighed.some(({ lateAccepted }) => lateAccepted)) notes.push('late_accepted');
  const networks = facts.invoices.length > 0 ? facts.invoices.map(({ network }) => network) : [facts.network ?? 'mainnet'];
  if (networks.some((network) => network !== 'mainnet')) notes.push('test_network');
  return notes;
}

function standings(
  weighed: readonly Weighed[],
  left: Amount | null,
  options: { decimals: number; stablecoinPrecision: number; excess: ReadonlyMap<Arrival, Amount> },
): Record<string, PaymentStanding> {
  return Object.fromEntries(
    weighed.map((invoice) => [
      invoice.id,
      {
        due: invoice.quote && formatAmount(invoice.quote.invoiced),
        paid: formatAmount(invoice.coins),
        remaining: invoice.quote && left !== null ? formatAmount(remainingIn(invoice, left, options)) : null,
        rate: invoice.rate === null ? null : formatAmount(invoice.rate),
        overpaid: orNull(
          inDecimals(
            invoice.kind,
            invoice.arrivals.reduce((sum, arrival) => sum + (options.excess.get(arrival) ?? 0n), 0n),
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

type Sum = 'seen' | 'confirmed' | 'complete' | 'received' | 'late' | 'checked';

function sum(weighed: readonly Weighed[], what: Sum): Amount {
  return weighed.reduce((total, invoice) => total + invoice[what], 0n);
}

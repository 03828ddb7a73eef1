import {
  type Amount,
  divide,
  multiply,
  parseAmount,
  roundDown,
  roundUp,
} from '../amount/amount.ts';
import { invoiceDecimals, kindOf } from '../kinds/kind.ts';
import { isVoidStatus } from '../wire/void-status.ts';
import type { InvoiceFacts, TransactionFacts } from './facts.ts';
import { type QuotedAmounts, quoteRate } from './quote-rate.ts';

/** The payments of one invoice, summed. Sums are in the order's currency. */
export interface InvoiceTally {
  id: string;
  kind: string;
  /** Counted payments; at least the requested amount once the invoice matches. */
  seen: Amount;
  /** The part of `seen` with the confirmations that the invoice requires. */
  confirmed: Amount;
  /** The part of `seen` that is final on its chain. */
  complete: Amount;
  /** Counted payments at their exact value. */
  received: Amount;
  /** Late payments that do not count. */
  late: Amount;
  /** All late payments, counted or not, in the coin. */
  lateCoins: Amount;
  /** TalliedPayment of the newest late payment that does not count; 0 for none. */
  lateAt: number;
  /** Start of the current quote. */
  quotedAt: number;
  /** A late payment counts: at the rate of its arrival, or at its quote. */
  lateAccepted: boolean;
  /** Counted payments, in the coin. */
  coins: Amount;
  /** The current quote; null for a reusable address. */
  quote: QuotedAmounts | null;
  /** The rate of the current quote. */
  rate: Amount | null;
  /** A payment can still arrive in time. */
  open: boolean;
  reusable: boolean;
  held: boolean;
  /** Payments under review. They do not count yet, but reduce the rest that is due. */
  heldValue: Amount;
  failed: boolean;
  replaced: boolean;
  dropped: boolean;
  wrongCoin: boolean;
  /** An unknown status, or another currency than the order's: no stage can be derived from it. */
  unknown: boolean;
  payments: TalliedPayment[];
  newest: { at: number; level: Level } | null;
}

/** A payment and its value for the order. */
export interface TalliedPayment {
  /** Null when only the invoice's status shows that it was paid. */
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

type Level = 'seen' | 'confirmed' | 'complete';
type Outcome = Level | 'failed' | 'replaced' | 'dropped' | 'held' | 'unknown';

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  pending: 'seen',
  unconfirmed: 'seen',
  confirmed: 'confirmed',
  complete: 'complete',
  failed: 'failed',
  replaced: 'replaced',
  dropped: 'dropped',
  quarantined: 'held',
};
const KNOWN_INVOICE_STATUSES: readonly string[] = ['new', 'pending', 'paid', 'complete', 'expired'];
const HUNDRED = parseAmount('100');

/** Sums the payments of one invoice. */
export function tallyInvoice(
  invoice: InvoiceFacts,
  transactions: readonly TransactionFacts[],
  options: {
    currency: string | null;
    negative: string;
    now: number;
    stablecoinPrecision: number;
  },
): InvoiceTally {
  const quotes = quotesOf(invoice);
  const last = quotes.at(-1);
  const foreign =
    last !== undefined &&
    options.currency !== null &&
    invoice.amount.requested?.currency !== options.currency;
  const tally = emptyTally(invoice, last, foreign);
  const decimals = coinDecimals(invoice.kind, options.stablecoinPrecision);
  if (last) tally.rate = quoteRate(last, decimals);
  tally.open = ['new', 'pending'].includes(invoice.status) && (!last || options.now < last.endsAt);
  if (tally.unknown) return tally;
  let fraction = 0n;
  for (const transaction of transactions.toSorted(
    (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at),
  )) {
    fraction += addTransaction(tally, transaction, quotes, decimals);
  }
  raiseToRequested(tally, invoice, fraction >= subtractPercent(parseAmount('1'), options.negative));
  return tally;
}

/** Adds one transaction. Returns the fraction of its quote that it pays. */
function addTransaction(
  tally: InvoiceTally,
  transaction: TransactionFacts,
  quotes: readonly Quote[],
  decimals: number,
): Amount {
  const outcome = Object.hasOwn(OUTCOMES, transaction.status)
    ? OUTCOMES[transaction.status]!
    : 'unknown';
  if (isWrongCoin(tally, transaction)) {
    if (!isVoidStatus(transaction.status)) tally.wrongCoin = true;
    return 0n;
  }
  tally.failed = outcome === 'failed';
  if (
    outcome === 'replaced' ||
    outcome === 'dropped' ||
    outcome === 'held' ||
    outcome === 'unknown'
  )
    tally[outcome] = true;
  const at = Date.parse(transaction.created_at);
  const amount = countedAmount(transaction);
  // Money that goes back changes nothing, as if it had never come.
  if (amount <= 0n && transaction.amount.refunded) return 0n;
  const quote = quoteAt(quotes, at);
  if (outcome === 'held' && quote) tally.heldValue += valueAt(quote, amount);
  if (outcome !== 'seen' && outcome !== 'confirmed' && outcome !== 'complete') return 0n;

  tally.newest = { at, level: outcome };
  if (!quote) {
    tally.coins += amount;
    return 0n;
  }
  // Round up at the 18th decimal: parts that add up to the price must not miss it by a division's
  // remainder.
  const fraction = divide(amount, quote.invoiced, 'up');
  const inTime = at < quote.endsAt;
  const lateRate = !inTime && transaction.late_rate ? parseAmount(transaction.late_rate) : null;
  const accepted = !inTime && (lateRate !== null || transaction.late_accepted === true);
  const value = lateRate === null ? valueAt(quote, amount) : multiply(amount, lateRate, 'down');
  const rate = lateRate ?? quoteRate(quote, decimals);
  tally.payments.push({
    transaction,
    at,
    value,
    coins: amount,
    rate,
    inTime,
    counted: inTime || accepted,
  });
  if (!inTime) tally.lateCoins += amount;
  if (accepted) tally.lateAccepted = true;
  else if (!inTime) {
    tally.late += value;
    tally.lateAt = Math.max(tally.lateAt, at);
    return 0n;
  }
  tally.coins += amount;
  tally.received += value;
  tally.seen += value;
  if (outcome !== 'seen') tally.confirmed += value;
  if (outcome === 'complete') tally.complete += value;
  return lateRate === null ? fraction : 0n;
}

/** The received amount without the part that goes back. */
const countedAmount = ({ amount: { paid, paid_total, refunded } }: TransactionFacts): Amount =>
  parseAmount((paid_total ?? paid).amount) - parseAmount(refunded?.amount ?? '0');

/** The value of a coin amount at a quote, in the order's currency. */
const valueAt = ({ requested, invoiced }: Quote, amount: Amount): Amount =>
  divide(multiply(requested, amount, 'up'), invoiced, 'up');

/**
 * Whether a payment arrived after its quote expired. It counts only if the shop accepts late
 * payments.
 */
export function isLate(
  invoice: InvoiceFacts,
  transaction: Pick<TransactionFacts, 'kind' | 'created_at'>,
): boolean {
  const quotes = quotesOf(invoice);
  const at = Date.parse(transaction.created_at);
  const quote = quoteAt(quotes, at);
  return quote !== undefined && at >= quote.endsAt && !isWrongCoin(invoice, transaction);
}

/** Whether a payment is in another coin than its invoice. It does not count. */
export const isWrongCoin = (
  invoice: Pick<InvoiceFacts, 'kind'>,
  transaction: Pick<TransactionFacts, 'kind'>,
): boolean => assetOf(transaction.kind) !== assetOf(invoice.kind);

/** The quote that was current when a payment was first seen. */
function quoteAt(quotes: readonly Quote[], at: number): Quote | undefined {
  return quotes.findLast(({ startsAt }) => startsAt <= at) ?? quotes[0];
}

/**
 * A matched invoice counts in full, at the level that all its payments have reached or that its
 * status reports.
 */
function raiseToRequested(tally: InvoiceTally, invoice: InvoiceFacts, matches: boolean): void {
  const requested = tally.quote?.requested;
  if (requested === undefined) return;
  const settled = invoice.status === 'paid' || invoice.status === 'complete';
  const { seen, confirmed, complete } = tally;
  if (settled && tally.payments.length === 0) {
    // Paid through another invoice (an LNURL's child), or its transactions have not been read yet.
    const at = Date.parse(invoice.created_at);
    tally.payments.push({
      transaction: null,
      at,
      value: requested,
      coins: 0n,
      rate: 0n,
      inTime: true,
      counted: true,
    });
    tally.received = requested;
  }
  if (matches || settled) tally.seen = larger(seen, requested);
  if (settled || (matches && confirmed === seen)) tally.confirmed = larger(confirmed, requested);
  if (invoice.status === 'complete' || (matches && complete === seen))
    tally.complete = larger(complete, requested);
}

/**
 * The unpaid rest of the order in the invoice's coin, at the current quote. Rounds up, as the
 * service does. An invoice that was created for exactly this rest returns its invoiced amount.
 */
export function remainingIn(
  { quote, kind }: InvoiceTally,
  left: Amount,
  options: { decimals: number; stablecoinPrecision: number },
): Amount {
  if (!quote) return 0n;
  if (roundUp(left, options.decimals) === quote.requested) return quote.invoiced;
  return roundUp(
    divide(multiply(left, quote.invoiced, 'up'), quote.requested, 'up'),
    coinDecimals(kind, options.stablecoinPrecision),
  );
}

/** Rounds a sum in a coin to the decimals that wallets show. */
export function roundForDisplay(kind: string, coins: Amount): Amount {
  return roundToNearest(coins, coinDecimals(kind, 6));
}

/**
 * Rounds half up, for display only: a division's remainder must not change the last digit, and
 * displayed parts must add up to the displayed sum.
 */
export function roundToNearest(amount: Amount, decimals: number): Amount {
  return roundDown(amount + 5n * 10n ** BigInt(17 - Math.min(17, decimals)), decimals);
}

function coinDecimals(kind: string, stablecoinPrecision: number): number {
  const known = kindOf(kind);
  return known ? invoiceDecimals(known, stablecoinPrecision) : 8;
}

/** `amount` minus `percent` percent. */
export function subtractPercent(amount: Amount, percent: string): Amount {
  return amount - divide(multiply(amount, parseAmount(percent), 'down'), HUNDRED, 'down');
}

/** `amount` plus `percent` percent. */
export function addPercent(amount: Amount, percent: string): Amount {
  return amount + divide(multiply(amount, parseAmount(percent), 'down'), HUNDRED, 'down');
}

interface Quote extends QuotedAmounts {
  startsAt: number;
  endsAt: number;
}

function quotesOf(invoice: InvoiceFacts): Quote[] {
  const { requested, invoiced } = invoice.amount;
  if (
    !requested ||
    !invoiced ||
    parseAmount(requested.amount) === 0n ||
    parseAmount(invoiced.amount) === 0n
  )
    return [];
  const current = {
    requested: requested.amount,
    invoiced: invoiced.amount,
    starts_at: invoice.created_at,
  };
  const earlier = invoice.quotes?.slice(0, -1) ?? [];
  const startsAt = invoice.quotes?.at(-1)?.starts_at ?? current.starts_at;
  // An extended quote ends at the invoice's expiry.
  return [
    ...earlier,
    { ...current, starts_at: startsAt, expires_at: invoice.expires_at ?? null },
  ].map((quote) => ({
    requested: parseAmount(quote.requested),
    invoiced: parseAmount(quote.invoiced),
    startsAt: Date.parse(quote.starts_at),
    endsAt: quote.expires_at === null ? Infinity : Date.parse(quote.expires_at),
  }));
}

function emptyTally(
  invoice: InvoiceFacts,
  quote: Quote | undefined,
  foreign: boolean,
): InvoiceTally {
  return {
    id: invoice.id,
    kind: invoice.kind,
    seen: 0n,
    confirmed: 0n,
    complete: 0n,
    received: 0n,
    late: 0n,
    lateCoins: 0n,
    lateAt: 0,
    quotedAt: quote?.startsAt ?? 0,
    lateAccepted: false,
    coins: 0n,
    quote: quote ? { requested: quote.requested, invoiced: quote.invoiced } : null,
    rate: null,
    open: false,
    reusable: !quote,
    held: false,
    heldValue: 0n,
    failed: false,
    replaced: false,
    dropped: false,
    wrongCoin: false,
    unknown: foreign || !KNOWN_INVOICE_STATUSES.includes(invoice.status),
    payments: [],
    newest: null,
  };
}

function assetOf(kind: string): string {
  return kindOf(kind)?.asset ?? kind;
}

function larger(a: Amount, b: Amount): Amount {
  return a > b ? a : b;
}

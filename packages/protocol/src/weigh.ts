import { type Amount, divide, multiply, parseAmount, roundDown, roundUp } from './amount.ts';
import { isGone } from './gone.ts';
import { invoiceDecimals, kindOf } from './kind.ts';
import type { InvoiceFacts, TransactionFacts } from './stage.ts';
import type { Arrival } from './worth.ts';

/** What one invoice brings to its order; sums are in the order's currency. */
export interface Weighed {
  id: string;
  kind: string;
  /** Payments that came in time; at least the requested amount once the invoice matches. */
  seen: Amount;
  /** Of these, with the confirmations that the invoice asks for. */
  confirmed: Amount;
  /** Of these, final on their chain. */
  complete: Amount;
  /** Payments that came in time, at their exact value. */
  received: Amount;
  /** Payments that came after the invoice ran out and do not count. */
  late: Amount;
  /** All that came after the invoice ran out, counted or not, in the coin. */
  lateCoins: Amount;
  /** When the last of these that does not count came; 0 for none. */
  lateAt: number;
  /** When the price in force began. */
  quotedAt: number;
  /** A payment that came late counts, at the price of its arrival. */
  lateAccepted: boolean;
  /** Counted payments, in the coin. */
  coins: Amount;
  /** The price in force; null for a reusable address. */
  quote: { requested: Amount; invoiced: Amount } | null;
  rate: Amount | null;
  /** A payment can still come in time. */
  open: boolean;
  reusable: boolean;
  held: boolean;
  /** Payments that are being checked, which do not count yet: only what they leave open is due beside them. */
  checked: Amount;
  failed: boolean;
  replaced: boolean;
  dropped: boolean;
  wrongCoin: boolean;
  /** A status that we do not know, or another currency than the order's: nothing can be said from it. */
  unknown: boolean;
  arrivals: Arrival[];
  newest: { at: number; level: Level } | null;
}

type Level = 'seen' | 'confirmed' | 'complete';
type Fate = Level | 'failed' | 'replaced' | 'dropped' | 'held' | 'unknown';

const FATES: Readonly<Record<string, Fate>> = {
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

/** Weighs one invoice and its transactions. */
export function weigh(
  invoice: InvoiceFacts,
  transactions: readonly TransactionFacts[],
  options: { currency: string | null; negative: string; now: number },
): Weighed {
  const quotes = quotesOf(invoice);
  const last = quotes.at(-1);
  const foreign = last !== undefined && options.currency !== null && invoice.amount.requested?.currency !== options.currency;
  const weighed = empty(invoice, last, foreign);
  weighed.open = ['new', 'pending'].includes(invoice.status) && (!last || options.now < last.endsAt);
  if (weighed.unknown) return weighed;
  let fraction = 0n;
  for (const transaction of transactions.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))) {
    fraction += add(weighed, transaction, quotes);
  }
  matchUp(weighed, invoice, fraction >= percentBelow(parseAmount('1'), options.negative));
  return weighed;
}

/** Adds one transaction; answers which part of its quote it pays. */
function add(weighed: Weighed, transaction: TransactionFacts, quotes: readonly Quote[]): Amount {
  const fate = Object.hasOwn(FATES, transaction.status) ? FATES[transaction.status]! : 'unknown';
  if (assetOf(transaction.kind) !== assetOf(weighed.kind)) {
    if (!isGone(transaction.status)) weighed.wrongCoin = true;
    return 0n;
  }
  weighed.failed = fate === 'failed';
  if (fate === 'replaced' || fate === 'dropped' || fate === 'held' || fate === 'unknown') weighed[fate] = true;
  const at = Date.parse(transaction.created_at);
  const amount = parseAmount((transaction.amount.paid_total ?? transaction.amount.paid).amount);
  const quote = quoteAt(quotes, at);
  if (fate === 'held' && quote) weighed.checked += valueAt(quote, amount);
  if (fate !== 'seen' && fate !== 'confirmed' && fate !== 'complete') return 0n;

  weighed.newest = { at, level: fate };
  if (!quote) {
    weighed.coins += amount;
    return 0n;
  }
  // Rounded up at the eighteenth decimal, so that parts which pay the price exactly do not miss it by the division's rest.
  const fraction = divide(amount, quote.invoiced, 'up');
  const inTime = at < quote.endsAt;
  const accepted = !inTime && transaction.late_rate ? parseAmount(transaction.late_rate) : null;
  const value = accepted === null ? valueAt(quote, amount) : multiply(amount, accepted, 'down');
  const rate = accepted ?? divide(quote.requested, quote.invoiced, 'down');
  weighed.arrivals.push({ transaction, at, value, coins: amount, rate, inTime, counted: inTime || accepted !== null });
  if (!inTime) weighed.lateCoins += amount;
  if (accepted !== null) weighed.lateAccepted = true;
  else if (!inTime) {
    weighed.late += value;
    weighed.lateAt = Math.max(weighed.lateAt, at);
    return 0n;
  }
  weighed.coins += amount;
  weighed.received += value;
  weighed.seen += value;
  if (fate !== 'seen') weighed.confirmed += value;
  if (fate === 'complete') weighed.complete += value;
  return inTime ? fraction : 0n;
}

/** What an amount of the coin is worth at a price, in the order's currency. */
const valueAt = ({ requested, invoiced }: Quote, amount: Amount): Amount => divide(multiply(requested, amount, 'up'), invoiced, 'up');

/** Whether a payment came after the quote in force had run out: such money counts only where the shop says so. */
export function isLate(invoice: InvoiceFacts, transaction: Pick<TransactionFacts, 'kind' | 'created_at'>): boolean {
  const quotes = quotesOf(invoice);
  const at = Date.parse(transaction.created_at);
  const quote = quoteAt(quotes, at);
  return quote !== undefined && at >= quote.endsAt && assetOf(transaction.kind) === assetOf(invoice.kind);
}

/** The price in force when a payment was first seen. */
function quoteAt(quotes: readonly Quote[], at: number): Quote | undefined {
  return quotes.findLast(({ startsAt }) => startsAt <= at) ?? quotes[0];
}

/** An invoice whose payments match counts in full, at the level that all of them have reached, or that the service says. */
function matchUp(weighed: Weighed, invoice: InvoiceFacts, matches: boolean): void {
  const requested = weighed.quote?.requested;
  if (requested === undefined) return;
  const settled = invoice.status === 'paid' || invoice.status === 'complete';
  const { seen, confirmed, complete } = weighed;
  if (settled && weighed.arrivals.length === 0) {
    // Paid through another invoice (an LNURL's child), or its transactions are not read yet.
    const at = Date.parse(invoice.created_at);
    weighed.arrivals.push({ transaction: null, at, value: requested, coins: 0n, rate: 0n, inTime: true, counted: true });
    weighed.received = requested;
  }
  if (matches || settled) weighed.seen = larger(seen, requested);
  if (settled || (matches && confirmed === seen)) weighed.confirmed = larger(confirmed, requested);
  if (invoice.status === 'complete' || (matches && complete === seen)) weighed.complete = larger(complete, requested);
}

/**
 * What is left of the order, in the invoice's coin at the quote in force, rounded up as the service rounds: an invoice that was made for
 * just this asks for just what it says.
 */
export function remainingIn({ quote, kind }: Weighed, left: Amount, options: { decimals: number; stablecoinPrecision: number }): Amount {
  if (!quote) return 0n;
  if (roundUp(left, options.decimals) === quote.requested) return quote.invoiced;
  return roundUp(divide(multiply(left, quote.invoiced, 'up'), quote.requested, 'up'), coinDecimals(kind, options.stablecoinPrecision));
}

/** A sum in a coin, to the decimals that wallets show. */
export function inDecimals(kind: string, coins: Amount): Amount {
  return nearest(coins, coinDecimals(kind, 6));
}

/** For what is only shown: a division's rest must not show as a missing last digit, and parts must be seen to make up the whole. */
export function nearest(amount: Amount, decimals: number): Amount {
  return roundDown(amount + 5n * 10n ** BigInt(17 - Math.min(17, decimals)), decimals);
}

function coinDecimals(kind: string, stablecoinPrecision: number): number {
  const known = kindOf(kind);
  return known ? invoiceDecimals(known, stablecoinPrecision) : 8;
}

/** `amount` less so many percent. */
export function percentBelow(amount: Amount, percent: string): Amount {
  return amount - divide(multiply(amount, parseAmount(percent), 'down'), HUNDRED, 'down');
}

/** `amount` and so many percent. */
export function percentAbove(amount: Amount, percent: string): Amount {
  return amount + divide(multiply(amount, parseAmount(percent), 'down'), HUNDRED, 'down');
}

interface Quote {
  requested: Amount;
  invoiced: Amount;
  startsAt: number;
  endsAt: number;
}

function quotesOf(invoice: InvoiceFacts): Quote[] {
  const { requested, invoiced } = invoice.amount;
  if (!requested || !invoiced || parseAmount(requested.amount) === 0n || parseAmount(invoiced.amount) === 0n) return [];
  const inForce = { requested: requested.amount, invoiced: invoiced.amount, starts_at: invoice.created_at };
  const earlier = invoice.quotes?.slice(0, -1) ?? [];
  const startsAt = invoice.quotes?.at(-1)?.starts_at ?? inForce.starts_at;
  // A quote that was prolonged ends when the invoice says.
  return [...earlier, { ...inForce, starts_at: startsAt, expires_at: invoice.expires_at ?? null }].map((quote) => ({
    requested: parseAmount(quote.requested),
    invoiced: parseAmount(quote.invoiced),
    startsAt: Date.parse(quote.starts_at),
    endsAt: quote.expires_at === null ? Infinity : Date.parse(quote.expires_at),
  }));
}

function empty(invoice: InvoiceFacts, quote: Quote | undefined, foreign: boolean): Weighed {
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
    rate: quote ? significant(divide(quote.requested, quote.invoiced, 'down')) : null,
    open: false,
    reusable: !quote,
    held: false,
    checked: 0n,
    failed: false,
    replaced: false,
    dropped: false,
    wrongCoin: false,
    unknown: foreign || !KNOWN_INVOICE_STATUSES.includes(invoice.status),
    arrivals: [],
    newest: null,
  };
}

/** A rate with two decimals, or with six significant digits where it is small. */
export function significant(rate: Amount): Amount {
  const digits = rate.toString().length;
  return roundDown(rate, Math.min(18, Math.max(2, 18 - digits + 6)));
}

function assetOf(kind: string): string {
  return kindOf(kind)?.asset ?? kind;
}

function larger(a: Amount, b: Amount): Amount {
  return a > b ? a : b;
}

import { formatAmount, parseAmount, roundUp, type Amount } from '@crypto-checkout/protocol/amount';
import { currencyOf, withCurrencyDecimals } from '@crypto-checkout/protocol/currency';
import type { Sales } from '@crypto-checkout/protocol/dashboard';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import { timestamp } from '../database/timestamp.ts';
import { matches } from '../invoice/match.ts';
import { fiatQuotes } from '../invoice/quote.ts';
import { salesRows, type SoldInvoice, type SoldPayment } from './sales-store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The orders that were paid today, in UTC, and their sums by currency. An order counts once, at the
 * time of its first paid invoice: with what this invoice asked for, and with the parts that other
 * invoices of the order received before. Reusable addresses ask for no amount, so they sell
 * nothing.
 */
export async function readSales({ db, clock }: Context, accountId: string): Promise<Sales> {
  const now = clock.now();
  const from = timestamp(now - (now % DAY_MS));
  const { invoices, payments } = await salesRows(db, accountId, from);
  const sold = ordersIn(invoices, payments).flatMap((order) => saleOf(order) ?? []);
  return {
    from,
    to: timestamp(now),
    currencies: totals(sold.filter(({ paidAt }) => paidAt >= from)),
  };
}

interface Paid extends SoldInvoice {
  payments: SoldPayment[];
}

/** The invoices of each order with their payments, oldest first. */
function ordersIn(
  invoices: readonly SoldInvoice[],
  payments: readonly SoldPayment[],
): readonly Paid[][] {
  const byInvoice = grouped(payments, ({ invoice_id }) => invoice_id);
  const paid = invoices.map((one) => ({ ...one, payments: byInvoice.get(one.id) ?? [] }));
  return [...grouped(paid, ({ id, order_id }) => order_id ?? id).values()];
}

interface Sale {
  paidAt: string;
  currency: string;
  amount: Amount;
  refunded: Amount;
}

function saleOf(order: readonly Paid[]): Sale | null {
  const paid = order
    .flatMap((invoice) => {
      const at = paidAtOf(invoice);
      return at === null ? [] : [{ invoice, at }];
    })
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const [first] = paid;
  if (first === undefined) return null;
  const currency = first.invoice.requested_currency;
  const same = order.filter(({ requested_currency }) => requested_currency === currency);
  const paidIds = new Set(paid.map(({ invoice }) => invoice.id));
  const parts = same.filter(({ id }) => !paidIds.has(id)).map((part) => worthOf(part, received));
  // The parts are rounded up, and together they are never more than the order's price.
  const price = same.reduce((most, one) => max(most, parseAmount(one.requested_text)), 0n);
  const amount = min(
    price,
    parts.reduce((sum, part) => sum + part, parseAmount(first.invoice.requested_text)),
  );
  const refunded = same.reduce((sum, one) => sum + worthOf(one, offered), 0n);
  return { paidAt: first.at, currency, amount, refunded: min(amount, refunded) };
}

/**
 * When its payments reached the amount, or the shop accepted a late one; null before. Later
 * payments do not move it.
 */
function paidAtOf({ status, payments, negative_difference }: Paid): string | null {
  const late = payments.find((payment) => payment.late_accepted);
  if (status !== 'paid' && status !== 'complete') return late?.at ?? null;
  const inTime = payments.filter((payment) => !payment.late && payment.invoiced !== null);
  const priced = inTime.map(({ amount, invoiced }) => ({
    amount: parseAmount(amount),
    invoiced: parseAmount(invoiced!),
  }));
  const tolerated = parseAmount(negative_difference);
  const last = priced.findIndex((_, at) => matches(priced.slice(0, at + 1), tolerated));
  return (inTime[last] ?? payments.at(-1))?.at ?? null;
}

type Part = (payment: SoldPayment) => Amount;

const received: Part = ({ amount, refunded, late, late_accepted }) =>
  late && !late_accepted ? 0n : max(0n, parseAmount(amount) - parseAmount(refunded));
/** The part of a sale that the shop gave back; returned late or excess money was never one. */
const offered: Part = ({ offered }) => parseAmount(offered);

/** The worth of parts of its payments in the invoice's currency, each at its own price. */
function worthOf(invoice: Paid, partOf: Part): Amount {
  const { requested_text, requested_currency: currency } = invoice;
  const worth = invoice.payments.map((payment) => {
    const part = partOf(payment);
    if (payment.late) return worthAtArrival(payment, part, currency);
    const invoiced = payment.invoiced === null ? 0n : parseAmount(payment.invoiced);
    return invoiced === 0n ? 0n : ceilDivide(parseAmount(requested_text) * part, invoiced);
  });
  const sum = worth.reduce((total, one) => total + one, 0n);
  return roundUp(sum, currencyOf(currency)?.decimals ?? 2);
}

function worthAtArrival({ kind, currency_rates }: SoldPayment, part: Amount, currency: string) {
  const symbol = kindOf(kind)?.symbol ?? kind;
  if (symbol === currency) return part;
  return parseAmount(fiatQuotes(part, currency_rates[symbol])[currency] ?? '0');
}

/** Sums by currency, the one with most orders first. */
function totals(sales: readonly Sale[]): Sales['currencies'] {
  const sumOf = (of: readonly Sale[], part: 'amount' | 'refunded', currency: string): string =>
    withCurrencyDecimals(formatAmount(of.reduce((sum, sale) => sum + sale[part], 0n)), currency);
  return [...grouped(sales, ({ currency }) => currency)]
    .map(([currency, of]) => ({
      currency,
      orders: of.length,
      amount: sumOf(of, 'amount', currency),
      refunded: sumOf(of, 'refunded', currency),
    }))
    .toSorted((a, b) => b.orders - a.orders || a.currency.localeCompare(b.currency));
}

function grouped<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

const min = (a: Amount, b: Amount): Amount => (a < b ? a : b);
const max = (a: Amount, b: Amount): Amount => (a > b ? a : b);
const ceilDivide = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;

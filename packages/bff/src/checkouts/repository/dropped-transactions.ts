import { type Amount, parseAmount } from '@crypto-checkout/protocol/amount';
import { isVoidStatus } from '@crypto-checkout/protocol/void-status';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { ServiceInvoice, ServiceTransaction } from '../../service/schema.ts';

const DROPPED = 'dropped';

/**
 * With more payments at one invoice, the search for the missing ones is skipped: it is exponential.
 */
const MAX_CANDIDATES = 12;

/**
 * Marks payments that the network has dropped. The service still calls them pending (only a proven
 * conflict makes a payment `replaced`); only the sum in `paid` shows that they are gone. Invoice
 * and transactions come from two requests, so a reading with a new payment proves nothing.
 */
export function markDropped(
  known: readonly ServiceTransaction[],
  fresh: readonly ServiceTransaction[],
  invoice: ServiceInvoice,
): ServiceTransaction[] {
  const before = new Map(known.map((one) => [one.id, one]));
  const isNew = fresh.some(({ id }) => !before.has(id));
  const dropped = isNew
    ? fresh.filter(({ id }) => before.get(id)?.status === DROPPED)
    : missingTransactions(fresh, invoice);
  return fresh.map((one) =>
    isUnmined(one) && dropped.includes(one) ? { ...one, status: DROPPED } : one,
  );
}

/**
 * Unmined payments that are missing from the invoice's sum; empty when no subset explains the
 * difference.
 */
function missingTransactions(
  transactions: readonly ServiceTransaction[],
  { kind, amount }: ServiceInvoice,
): readonly ServiceTransaction[] {
  const own = transactions.filter(
    (one) =>
      assetOf(one.kind) === assetOf(kind) &&
      one.status !== 'quarantined' &&
      !isVoidStatus(one.status),
  );
  const difference = sumOf(own) - amountOf(amount);
  return difference > 0n ? fewestThatSumTo(own.filter(isUnmined), difference) : [];
}

const isUnmined = ({ status, confirmations }: ServiceTransaction): boolean =>
  (status === 'pending' || status === 'unconfirmed') && confirmations === 0;

/** The fewest payments with this sum; among equals the oldest. */
function fewestThatSumTo(
  waiting: readonly ServiceTransaction[],
  wanted: Amount,
): readonly ServiceTransaction[] {
  if (sumOf(waiting) === wanted) return waiting;
  if (waiting.length > MAX_CANDIDATES) return [];
  const oldest = waiting.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  let sets: ServiceTransaction[][] = [[]];
  let found: ServiceTransaction[] | undefined;
  for (const one of oldest) {
    sets = [...sets, ...sets.map((set) => [...set, one])];
    const exact = sets
      .filter((set) => sumOf(set) === wanted)
      .toSorted((a, b) => a.length - b.length)[0];
    if (exact && exact.length < (found?.length ?? Infinity)) found = exact;
  }
  return found ?? [];
}

const sumOf = (transactions: readonly ServiceTransaction[]): Amount =>
  transactions.reduce((sum, { amount }) => sum + amountOf(amount), 0n);

/** With a custom fee, `paid_total` is the full value; `paid` is the value after the fee. */
const amountOf = ({
  paid,
  paid_total,
}: ServiceInvoice['amount'] | ServiceTransaction['amount']): Amount =>
  parseAmount((paid_total ?? paid)?.amount ?? '0');

const assetOf = (kind: string): string => kindOf(kind)?.asset ?? kind;

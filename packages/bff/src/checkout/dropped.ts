import { type Amount, parseAmount } from '@crypto-checkout/protocol/amount';
import { isGone } from '@crypto-checkout/protocol/gone';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { ServiceInvoice, ServiceTransaction } from './record.ts';

const DROPPED = 'dropped';

/** Of more payments than that at one invoice, which of them are missing is not tried out. */
const MOST = 12;

/**
 * Marks payments that the network no longer knows. The service goes on calling them pending (only a proven conflict makes one replaced),
 * and only what the invoice was paid says that they are gone: `paid` holds all that is there or expected. Invoice and transactions are
 * two requests, so that nothing is concluded from a payment of which this reading is the first to tell.
 */
export function markDropped(
  known: readonly ServiceTransaction[],
  fresh: readonly ServiceTransaction[],
  invoice: ServiceInvoice,
): ServiceTransaction[] {
  const before = new Map(known.map((one) => [one.id, one]));
  const isNew = fresh.some(({ id }) => !before.has(id));
  const dropped = isNew ? fresh.filter(({ id }) => before.get(id)?.status === DROPPED) : missing(fresh, invoice);
  return fresh.map((one) => (isWaiting(one) && dropped.includes(one) ? { ...one, status: DROPPED } : one));
}

/** Payments without a block that the invoice's sum lacks; none when no choice of them explains it. */
function missing(transactions: readonly ServiceTransaction[], { kind, amount }: ServiceInvoice): readonly ServiceTransaction[] {
  const own = transactions.filter((one) => assetOf(one.kind) === assetOf(kind) && one.status !== 'quarantined' && !isGone(one.status));
  const lacking = sumOf(own) - amountOf(amount);
  return lacking > 0n ? choose(own.filter(isWaiting), lacking) : [];
}

const isWaiting = ({ status, confirmations }: ServiceTransaction): boolean =>
  (status === 'pending' || status === 'unconfirmed') && confirmations === 0;

/** The fewest payments that make up a sum, the oldest of those that are equal. */
function choose(waiting: readonly ServiceTransaction[], wanted: Amount): readonly ServiceTransaction[] {
  if (sumOf(waiting) === wanted) return waiting;
  if (waiting.length > MOST) return [];
  const oldest = waiting.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  let sets: ServiceTransaction[][] = [[]];
  let found: ServiceTransaction[] | undefined;
  for (const one of oldest) {
    sets = [...sets, ...sets.map((set) => [...set, one])];
    const exact = sets.filter((set) => sumOf(set) === wanted).toSorted((a, b) => a.length - b.length)[0];
    if (exact && exact.length < (found?.length ?? Infinity)) found = exact;
  }
  return found ?? [];
}

const sumOf = (transactions: readonly ServiceTransaction[]): Amount => transactions.reduce((sum, { amount }) => sum + amountOf(amount), 0n);

/** With a custom fee the actual value: what is paid after it is less. */
const amountOf = ({ paid, paid_total }: ServiceInvoice['amount'] | ServiceTransaction['amount']): Amount =>
  parseAmount((paid_total ?? paid)?.amount ?? '0');

const assetOf = (kind: string): string => kindOf(kind)?.asset ?? kind;

import {
  formatAmount,
  parseAmount,
  roundDown,
  type Amount,
} from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { RefundCause } from '@crypto-checkout/protocol/status';
import type { LockedInvoice, QuoteRow } from '../invoice/store.ts';
import type { TransactionRow } from '../transaction/store.ts';

/** Everything that decides how much of a transaction can be returned. */
export interface MoneyFacts {
  transaction: TransactionRow;
  invoice: Pick<LockedInvoice, 'status' | 'requested_text' | 'positive_difference'>;
  quotes: readonly QuoteRow[];
  /** All transactions of the invoice, in the order of arrival. */
  payments: readonly TransactionRow[];
  /** Sum of the transaction's refunds that the shop offered or named. */
  offeredBefore: Amount;
  /** The request that is left out of these facts: its money counts for nothing else since then. */
  replaced?: Entitlement;
}

export interface Entitlement {
  cause: RefundCause;
  amount: Amount;
}

/**
 * The money of a transaction that can go back to the buyer; null for none. Late money, a wrong coin
 * and a part of an expired order return in full. Too much returns the excess at the payment's own
 * quote. An offer of the shop returns what the shop named, if that is more. A request that is
 * replaced gives at least its own money: the order may have been renewed or paid without it.
 */
export const entitlementOf = (facts: MoneyFacts): Entitlement | null => bestOf(facts, isFinal);

/**
 * The same if every payment that is on its way becomes final. A buyer sees it, and no request gets
 * it.
 */
export const expectedOf = (facts: MoneyFacts): Entitlement | null => bestOf(facts, isUnderway);

type Counts = (row: TransactionRow) => boolean;

function bestOf(facts: MoneyFacts, counts: Counts): Entitlement | null {
  const counted = countedEntitlement(facts, counts);
  const offered = offerOf(facts);
  const replaced = facts.replaced?.cause === 'excess' ? null : (facts.replaced ?? null);
  const best = largest([counted, { cause: 'offered', amount: offered }, replaced]);
  if (best === null) return null;
  const amount = roundDown(best.amount, decimalsOf(facts.transaction));
  return amount > 0n ? { ...best, amount } : null;
}

/** The first one with the largest amount above zero. */
const largest = (all: readonly (Entitlement | null)[]): Entitlement | null =>
  all.reduce((best, one) => (one && one.amount > (best?.amount ?? 0n) ? one : best), null);

/** The received amount less earlier refunds. */
export const restOf = ({ amount, refunded }: Pick<TransactionRow, 'amount' | 'refunded'>): Amount =>
  parseAmount(amount) - parseAmount(refunded);

/** Payouts over lightning cannot send fractions of a satoshi. */
export const decimalsOf = ({ kind }: Pick<TransactionRow, 'kind'>): number => {
  const known = kindOf(kind);
  return known?.chain === 'lightning' ? 8 : (known?.decimals ?? 18);
};

function countedEntitlement(facts: MoneyFacts, counts: Counts): Entitlement | null {
  const { transaction, invoice } = facts;
  const amount = restOf(transaction);
  if (amount <= 0n) return null;
  if (!transaction.counted) return { cause: 'wrong_coin', amount };
  // A shop that accepted late money cannot have it returned as late, too.
  if (transaction.late) return transaction.late_accepted ? null : { cause: 'late', amount };
  if (invoice.requested_text === null) return null;
  if (invoice.status === 'expired') return { cause: 'expired', amount };
  const excess = excessOf(facts, counts);
  return excess > 0n ? { cause: 'excess', amount: excess } : null;
}

function offerOf({ transaction, offeredBefore }: MoneyFacts): Amount {
  if (transaction.refund_offer === null) return 0n;
  const offered = parseAmount(transaction.refund_offer) - offeredBefore;
  const rest = restOf(transaction);
  return offered < rest ? offered : rest;
}

/** A first payment that is undone later must not make a second one too much. */
const isFinal: Counts = ({ status, credit }) => status === 'complete' && credit === 'available';

const isUnderway: Counts = (row) =>
  isFinal(row) ||
  (['pending', 'confirmed', 'complete'].includes(row.status) &&
    row.credit !== 'frozen' &&
    !row.quarantined);

const PERCENT = 100n * 10n ** 18n;

/**
 * The part of a payment above the invoiced amount. Payments fill the amount in the order of
 * arrival.
 */
function excessOf({ transaction, invoice, quotes, payments }: MoneyFacts, counts: Counts): Amount {
  const prices = new Map(quotes.map(({ number, invoiced }) => [number, parseAmount(invoiced)]));
  const priceOf = ({ quote_number }: TransactionRow): Amount =>
    (quote_number === null ? undefined : prices.get(quote_number)) ?? 0n;
  const counted = payments.filter(
    (row) => row.counted && !row.late && counts(row) && priceOf(row) > 0n,
  );
  const at = counted.findIndex(({ id }) => id === transaction.id);
  const all = sumOf(counted, priceOf);
  const tolerated = PERCENT + parseAmount(invoice.positive_difference);
  if (at < 0 || all.paid * PERCENT <= all.due * tolerated) return 0n;
  const { paid, due } = sumOf(counted.slice(0, at + 1), priceOf);
  if (paid <= due) return 0n;
  const excess = (priceOf(transaction) * (paid - due)) / due;
  const rest = restOf(transaction);
  return excess < rest ? excess : rest;
}

/** Payments as an exact fraction of the invoiced amount, each at its own quote. */
function sumOf(
  payments: readonly TransactionRow[],
  priceOf: (row: TransactionRow) => Amount,
): { paid: bigint; due: bigint } {
  let paid = 0n;
  let due = 1n;
  for (const row of payments) {
    const price = priceOf(row);
    paid = paid * price + restOf(row) * due;
    due *= price;
  }
  return { paid, due };
}

/** Why the money cannot be returned yet; null when it can. */
export function obstacleOf(row: TransactionRow): string | null {
  const { status, confirmations, final_confirmations, credit, owed, quarantined, risk_level } = row;
  if (quarantined || status === 'quarantined') return 'is held for review';
  if (risk_level === 'high' || risk_level === 'critical') return `has the risk level ${risk_level}`;
  if (status !== 'complete')
    return `is ${status}: it has ${confirmations} of ${final_confirmations} confirmations`;
  if (credit === 'frozen' || owed) return 'left its block, so its money is frozen';
  if (restOf(row) < 0n) return 'is smaller than its refunds';
  return credit === 'available' ? null : 'is not at the finalized block of its chain yet';
}

export const shownAmount = (row: Pick<TransactionRow, 'kind'>, amount: Amount) => ({
  amount: formatAmount(amount),
  currency: kindOf(row.kind)?.symbol ?? row.kind,
});

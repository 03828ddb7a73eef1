import type { Amount } from '@crypto-checkout/protocol/amount';
import type { InvoiceEvent } from '@crypto-checkout/protocol/event';
import type { InvoiceStatus } from '@crypto-checkout/protocol/status';
import { matches } from './match.ts';

/** A payment that counts: of the invoice's coin, seen in time, and still there. */
export interface CountedPayment {
  amount: Amount;
  /** What was asked when it was first seen. */
  invoiced: Amount;
  /** Has as many confirmations as the invoice wants. */
  confirmed: boolean;
  /** Final on its chain. */
  final: boolean;
}

/** Everything that an invoice's status depends on. */
export interface InvoiceFacts {
  status: InvoiceStatus;
  /** Events that were sent already. */
  events: readonly InvoiceEvent[];
  /** False for a reusable address: it has no sum to match and reports nothing itself. */
  hasAmount: boolean;
  payments: readonly CountedPayment[];
  /** Percent below the invoiced amount that is still accepted. */
  negativeDifference: Amount;
  /** LNURL: an invoice that was made for one of its payers is complete. */
  childComplete: boolean;
  /** Milliseconds since the epoch; null for one that never expires. */
  expiresAt: number | null;
  now: number;
}

export interface InvoiceOutcome {
  status: InvoiceStatus;
  /** Not sent before, in the order in which they are to be sent. */
  events: InvoiceEvent[];
  /** The payments make up the amount, whatever their confirmations. */
  matched: boolean;
}

/**
 * Legal moves (decisions, "Invoice moves"). `expired` is left by a renewal, or by a payment that was seen in time, was lost in a
 * reorganisation and came back: a matching sum that was seen in time never expires.
 */
export const INVOICE_MOVES: Readonly<Record<InvoiceStatus, readonly InvoiceStatus[]>> = {
  new: ['pending', 'paid', 'complete', 'expired'],
  pending: ['new', 'paid', 'complete', 'expired'],
  paid: ['new', 'pending', 'complete', 'expired'],
  expired: ['new', 'pending', 'paid', 'complete'],
  complete: [],
};

/**
 * What follows from the facts. The same facts always give the same status, and no event twice.
 * @throws Error when the move is not in the table, which is a mistake of ours
 */
export function invoiceState(facts: InvoiceFacts): InvoiceOutcome {
  const status = statusOf(facts);
  if (status !== facts.status && !INVOICE_MOVES[facts.status].includes(status)) {
    throw new Error(`An invoice can't go from ${facts.status} to ${status}`);
  }
  return { status, events: eventsOf(status, facts), matched: matches(facts.payments, facts.negativeDifference) };
}

/**
 * Payments beyond those that make the match do not hold an invoice back, otherwise anybody's dust could: it is paid as soon as
 * the confirmed payments match, and complete as soon as the final ones do.
 */
function statusOf(facts: InvoiceFacts): InvoiceStatus {
  if (facts.status === 'complete' || facts.childComplete) return 'complete';
  if (!facts.hasAmount) return facts.status;
  const { payments, negativeDifference } = facts;
  if (
    matches(
      payments.filter((payment) => payment.final),
      negativeDifference,
    )
  )
    return 'complete';
  if (
    matches(
      payments.filter((payment) => payment.confirmed),
      negativeDifference,
    )
  )
    return 'paid';
  if (matches(payments, negativeDifference)) return 'pending';
  if (facts.status === 'expired' || (facts.expiresAt !== null && facts.now >= facts.expiresAt)) return 'expired';
  return payments.length > 0 ? 'pending' : 'new';
}

function eventsOf(status: InvoiceStatus, facts: InvoiceFacts): InvoiceEvent[] {
  if (!facts.hasAmount || facts.events.includes('invoice_complete')) return [];
  return reached(status, facts).filter((event) => !facts.events.includes(event));
}

/** A sum that is first seen in a block passes through the states before it: receivers may wait for any of them. */
function reached(status: InvoiceStatus, facts: InvoiceFacts): readonly InvoiceEvent[] {
  switch (status) {
    case 'complete':
      return ['invoice_pending', 'invoice_confirmed', 'invoice_complete'];
    case 'paid':
      return ['invoice_pending', 'invoice_confirmed'];
    case 'pending':
      if (matches(facts.payments, facts.negativeDifference)) return ['invoice_pending'];
      return facts.payments.some((payment) => payment.final) ? ['invoice_incomplete'] : [];
    case 'expired':
      return facts.payments.length > 0 ? ['invoice_incomplete'] : [];
    case 'new':
      return [];
    default:
      throw new Error(`Unknown status ${String(status satisfies never)}`);
  }
}

/** Run at start: every move leads to a status of the table, and nothing leaves `complete`. */
export function checkInvoiceMoves(): void {
  for (const [from, targets] of Object.entries(INVOICE_MOVES)) {
    for (const to of targets) {
      if (!(to in INVOICE_MOVES) || to === from) throw new Error(`INVOICE_MOVES: ${from} to ${to} is not a move`);
    }
  }
  if (INVOICE_MOVES.complete.length > 0) throw new Error('INVOICE_MOVES: complete is final');
}

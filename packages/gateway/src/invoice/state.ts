import type { Amount } from '@crypto-checkout/protocol/amount';
import type { InvoiceEvent } from '@crypto-checkout/protocol/event';
import type { InvoiceStatus } from '@crypto-checkout/protocol/status';
import { matches } from './match.ts';

/** A payment that counts towards the amount: in the invoice's coin, seen in time and not lost. */
export interface CountedPayment {
  amount: Amount;
  /** Price of the invoice when the payment was first seen. */
  invoiced: Amount;
  /** Has the confirmations that the invoice requires. */
  confirmed: boolean;
  /** Final on its chain. */
  final: boolean;
}

/** Inputs of an invoice's status. */
export interface InvoiceFacts {
  status: InvoiceStatus;
  /** Events sent before. */
  events: readonly InvoiceEvent[];
  /** False for a reusable address: it has no amount to reach and no events of its own. */
  hasAmount: boolean;
  payments: readonly CountedPayment[];
  /** Accepted underpayment, in percent. */
  negativeDifference: Amount;
  /** LNURL: an invoice created for one of its payers is complete. */
  childComplete: boolean;
  /** Milliseconds since the epoch; null if it never expires. */
  expiresAt: number | null;
  now: number;
}

export interface InvoiceOutcome {
  status: InvoiceStatus;
  /** New events, in sending order. */
  events: InvoiceEvent[];
  /** The payments reach the amount, regardless of their confirmations. */
  matched: boolean;
}

/**
 * Allowed status transitions. An invoice leaves `expired` by a renewal, or by a payment seen in
 * time that a reorganisation removed and that returned: a matching sum seen in time never expires.
 */
export const INVOICE_MOVES: Readonly<Record<InvoiceStatus, readonly InvoiceStatus[]>> = {
  new: ['pending', 'paid', 'complete', 'expired'],
  pending: ['new', 'paid', 'complete', 'expired'],
  paid: ['new', 'pending', 'complete', 'expired'],
  expired: ['new', 'pending', 'paid', 'complete'],
  complete: [],
};

/**
 * Computes status and events. The same facts always give the same status, and each event is sent
 * once.
 * @throws Error for a transition that is not in the table, which is a bug
 */
export function invoiceState(facts: InvoiceFacts): InvoiceOutcome {
  const status = statusOf(facts);
  if (status !== facts.status && !INVOICE_MOVES[facts.status].includes(status)) {
    throw new Error(`An invoice can't go from ${facts.status} to ${status}`);
  }
  return {
    status,
    events: eventsOf(status, facts),
    matched: matches(facts.payments, facts.negativeDifference),
  };
}

/**
 * `paid` as soon as the confirmed payments match, `complete` as soon as the final ones do. Further
 * payments do not delay either status; otherwise dust could hold an invoice back.
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
  if (facts.status === 'expired' || (facts.expiresAt !== null && facts.now >= facts.expiresAt))
    return 'expired';
  return payments.length > 0 ? 'pending' : 'new';
}

function eventsOf(status: InvoiceStatus, facts: InvoiceFacts): InvoiceEvent[] {
  if (!facts.hasAmount || facts.events.includes('invoice_complete')) return [];
  return reached(status, facts).filter((event) => !facts.events.includes(event));
}

/**
 * A sum first seen in a block also emits the events of the earlier statuses, because receivers may
 * wait for any of them.
 */
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

/**
 * Checks the table at startup: every transition leads to another known status, and `complete` is
 * final.
 */
export function checkInvoiceMoves(): void {
  for (const [from, targets] of Object.entries(INVOICE_MOVES)) {
    for (const to of targets) {
      if (!(to in INVOICE_MOVES) || to === from)
        throw new Error(`INVOICE_MOVES: invalid transition ${from} to ${to}`);
    }
  }
  if (INVOICE_MOVES.complete.length > 0) throw new Error('INVOICE_MOVES: complete must be final');
}

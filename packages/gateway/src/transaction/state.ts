import type { TransactionEvent } from '@crypto-checkout/protocol/event';
import type { TransactionStatus } from '@crypto-checkout/protocol/status';
import type { FundsAt } from '../settings/payouts.ts';

/** Ledger bucket of a transaction's amount. */
export type Credit = 'none' | 'pending' | 'available' | 'frozen';

/** Inputs of a transaction's status. */
export interface TransactionFacts {
  /** Null for a new transaction. */
  status: TransactionStatus | null;
  /** Events sent before. */
  events: readonly TransactionEvent[];
  /**
   * Assumed to be in the mempool; also after a reorganisation, until the adapter reports it gone.
   */
  inMempool: boolean;
  /** Depth of its block; 0 without a block. */
  confirmations: number;
  requiredConfirmations: number;
  finalConfirmations: number;
  /** At or below the chain's own finalized block. */
  finalized: boolean;
  /** How the chain's own finalized block counts; null where it has none. */
  finalizedBlock: 'funds' | 'earlier' | null;
  /** Txid of the confirmed conflicting transaction. */
  replacedBy: string | null;
  /** Reason of its failure on the chain. */
  failure: string | null;
  quarantined: boolean;
  /** The zero-confirmation check accepted it. */
  zeroConfirmed: boolean;
  /** Current ledger bucket. */
  credit: Credit;
  /** From when on the amount can be paid out. */
  fundsAt: FundsAt;
  /** First seen more than 24 hours ago. */
  aged: boolean;
}

export interface TransactionOutcome {
  status: TransactionStatus;
  /** New events, in sending order. */
  events: TransactionEvent[];
  credit: Credit;
  /** Alarm for the operator: a final transaction left the chain. */
  alarm: string | null;
}

/**
 * Allowed status transitions. A replaced or failed transaction returns only when it is found in a
 * block: we then credit it, so that received money is never lost.
 */
export const TRANSACTION_MOVES: Readonly<Record<TransactionStatus, readonly TransactionStatus[]>> =
  {
    pending: ['confirmed', 'complete', 'unconfirmed', 'replaced', 'failed', 'quarantined'],
    unconfirmed: ['confirmed', 'complete', 'replaced', 'failed', 'quarantined'],
    confirmed: ['pending', 'complete', 'replaced', 'failed', 'quarantined'],
    quarantined: ['pending', 'unconfirmed', 'confirmed', 'complete', 'replaced', 'failed'],
    replaced: ['pending', 'confirmed', 'complete', 'failed', 'quarantined'],
    failed: ['pending', 'confirmed', 'complete', 'replaced', 'quarantined'],
    complete: [],
  };

/** A pending transaction without a block becomes `unconfirmed` after 24 hours. */
export const UNCONFIRMED_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Computes status, events, bucket and alarm. The same facts always give the same status, and each
 * event is sent once.
 * @throws Error for a transition that is not in the table, which is a bug
 */
export function transactionState(facts: TransactionFacts): TransactionOutcome {
  const status = statusOf(facts);
  if (
    facts.status !== null &&
    status !== facts.status &&
    !TRANSACTION_MOVES[facts.status].includes(status)
  ) {
    throw new Error(`A transaction can't go from ${facts.status} to ${status}`);
  }
  return {
    status,
    events: eventsOf(status, facts),
    credit: creditOf(status, facts),
    alarm: alarmOf(status, facts),
  };
}

/**
 * Reports whether the money arrived or is expected. Only live transactions count for the invoice.
 */
export function isLive(
  facts: Pick<TransactionFacts, 'status' | 'inMempool' | 'confirmations'>,
): boolean {
  if (facts.status === 'replaced' || facts.status === 'failed' || facts.status === 'quarantined')
    return false;
  return facts.inMempool || facts.confirmations > 0;
}

function statusOf(facts: TransactionFacts): TransactionStatus {
  // The merchant may have delivered; a later loss is the operator's to handle, see `alarm`.
  if (facts.status === 'complete') return 'complete';
  if (facts.failure !== null) return 'failed';
  if (facts.replacedBy !== null) return 'replaced';
  if (facts.quarantined) return 'quarantined';
  if (isFinal(facts)) return 'complete';
  if (facts.confirmations >= facts.requiredConfirmations) return 'confirmed';
  if (facts.status === 'unconfirmed') return 'unconfirmed';
  const waiting =
    facts.status === null || facts.status === 'pending' || facts.status === 'quarantined';
  return waiting && facts.aged && facts.confirmations === 0 ? 'unconfirmed' : 'pending';
}

function isFinal(facts: TransactionFacts): boolean {
  const { confirmations, finalConfirmations, finalized, finalizedBlock } = facts;
  if (confirmations >= finalConfirmations) return true;
  return finalizedBlock === 'earlier' && finalized && confirmations > 0;
}

/** An amount that could be paid out is not taken back by a new setting. */
function canPayOut({ credit, fundsAt, finalized, finalizedBlock }: TransactionFacts): boolean {
  if (credit === 'available' || fundsAt !== 'final') return true;
  return finalizedBlock === null || finalized;
}

function eventsOf(status: TransactionStatus, facts: TransactionFacts): TransactionEvent[] {
  const waiting: TransactionEvent[] = ['transaction_pending'];
  // Only while unconfirmed: afterwards the confirmations say more.
  if (facts.zeroConfirmed && facts.inMempool && facts.confirmations === 0)
    waiting.push('transaction_zero_conf_confirmed');
  const reached: Record<TransactionStatus, readonly TransactionEvent[]> = {
    pending: waiting,
    unconfirmed: waiting,
    // Also emit the events of the earlier statuses, because receivers may wait for any of them.
    confirmed: ['transaction_pending', 'transaction_confirmed'],
    complete: ['transaction_pending', 'transaction_confirmed', 'transaction_complete'],
    replaced: ['transaction_replaced'],
    failed: ['transaction_failed'],
    quarantined: ['transaction_quarantined'],
  };
  return reached[status].filter((event) => !facts.events.includes(event));
}

function creditOf(status: TransactionStatus, facts: TransactionFacts): Credit {
  const isPresent = facts.inMempool || facts.confirmations > 0;
  switch (status) {
    case 'complete':
      // Less depth than the final one means that it left its block. It is available again once it
      // is final in another block (our choice).
      if (!isFinal(facts)) return 'frozen';
      return canPayOut(facts) ? 'available' : 'pending';
    case 'confirmed':
      return facts.fundsAt === 'confirmed' || facts.credit === 'available'
        ? 'available'
        : 'pending';
    case 'pending':
    case 'unconfirmed':
      return isPresent ? 'pending' : 'none';
    case 'quarantined':
      return isPresent ? 'frozen' : 'none';
    case 'replaced':
    case 'failed':
      return 'none';
    default:
      throw new Error(`Unknown status ${String(status satisfies never)}`);
  }
}

function alarmOf(status: TransactionStatus, facts: TransactionFacts): string | null {
  if (status !== 'complete' || facts.credit === 'frozen' || creditOf(status, facts) !== 'frozen')
    return null;
  return 'A complete transaction left its block; its amount is frozen until it is final again.';
}

/**
 * Checks the table at startup: every transition leads to another known status, and `complete` is
 * final.
 */
export function checkTransactionMoves(): void {
  for (const [from, targets] of Object.entries(TRANSACTION_MOVES)) {
    for (const to of targets) {
      if (!(to in TRANSACTION_MOVES) || to === from)
        throw new Error(`TRANSACTION_MOVES: invalid transition ${from} to ${to}`);
    }
  }
  if (TRANSACTION_MOVES.complete.length > 0)
    throw new Error('TRANSACTION_MOVES: complete must be final');
}

import type { TransactionEvent } from '@crypto-checkout/protocol/event';
import type { TransactionStatus } from '@crypto-checkout/protocol/status';

/** Where a transaction's amount stands in the ledger. */
export type Credit = 'none' | 'pending' | 'available' | 'frozen';

/** Everything that a transaction's status depends on. */
export interface TransactionFacts {
  /** Null when it is seen for the first time. */
  status: TransactionStatus | null;
  /** Events that were sent already. */
  events: readonly TransactionEvent[];
  /** In the mempool as far as we know; what a reorganisation took out of a block is believed to be there until it is gone. */
  inMempool: boolean;
  /** Its block's depth, 0 outside of a block. */
  confirmations: number;
  requiredConfirmations: number;
  finalConfirmations: number;
  /** The conflicting transaction that was proven to take its place. */
  replacedBy: string | null;
  /** Why it failed on its chain. */
  failure: string | null;
  quarantined: boolean;
  /** The zero-confirmation check says that it is safe to treat as confirmed. */
  zeroConfirmed: boolean;
  /** Where its amount stands now. */
  credit: Credit;
  /** More than 24 hours since it was first seen. */
  aged: boolean;
}

export interface TransactionOutcome {
  status: TransactionStatus;
  /** Not sent before, in the order in which they are to be sent. */
  events: TransactionEvent[];
  credit: Credit;
  /** For the operator: money that counted as final left the chain. */
  alarm: string | null;
}

/**
 * Legal moves (§3.2, decisions "Transaction moves"). Replaced and failed ones come back only from a block: the chain has the
 * last word, and money that arrived is never lost (a choice).
 */
export const TRANSACTION_MOVES: Readonly<Record<TransactionStatus, readonly TransactionStatus[]>> = {
  pending: ['confirmed', 'complete', 'unconfirmed', 'replaced', 'failed', 'quarantined'],
  unconfirmed: ['confirmed', 'complete', 'replaced', 'failed', 'quarantined'],
  confirmed: ['pending', 'complete', 'replaced', 'failed', 'quarantined'],
  quarantined: ['pending', 'unconfirmed', 'confirmed', 'complete', 'replaced', 'failed'],
  replaced: ['pending', 'confirmed', 'complete', 'failed', 'quarantined'],
  failed: ['pending', 'confirmed', 'complete', 'replaced', 'quarantined'],
  complete: [],
};

/** After so long without a block a pending transaction is `unconfirmed` (§8). */
export const UNCONFIRMED_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * What follows from the facts. The same facts always give the same status, and no event twice.
 * @throws Error when the move is not in the table, which is a mistake of ours
 */
export function transactionState(facts: TransactionFacts): TransactionOutcome {
  const status = statusOf(facts);
  if (facts.status !== null && status !== facts.status && !TRANSACTION_MOVES[facts.status].includes(status)) {
    throw new Error(`A transaction can't go from ${facts.status} to ${status}`);
  }
  return { status, events: eventsOf(status, facts), credit: creditOf(status, facts), alarm: alarmOf(status, facts) };
}

/** Whether the money is there, or is expected to come: only such a transaction counts for its invoice. */
export function isLive(facts: Pick<TransactionFacts, 'status' | 'inMempool' | 'confirmations'>): boolean {
  if (facts.status === 'replaced' || facts.status === 'failed' || facts.status === 'quarantined') return false;
  return facts.inMempool || facts.confirmations > 0;
}

function statusOf(facts: TransactionFacts): TransactionStatus {
  // Goods were delivered on it: what happens afterwards is for the operator, see `alarm`.
  if (facts.status === 'complete') return 'complete';
  if (facts.failure !== null) return 'failed';
  if (facts.replacedBy !== null) return 'replaced';
  if (facts.quarantined) return 'quarantined';
  if (facts.confirmations >= facts.finalConfirmations) return 'complete';
  if (facts.confirmations >= facts.requiredConfirmations) return 'confirmed';
  if (facts.status === 'unconfirmed') return 'unconfirmed';
  const waiting = facts.status === null || facts.status === 'pending' || facts.status === 'quarantined';
  return waiting && facts.aged && facts.confirmations === 0 ? 'unconfirmed' : 'pending';
}

function eventsOf(status: TransactionStatus, facts: TransactionFacts): TransactionEvent[] {
  const waiting: TransactionEvent[] = ['transaction_pending'];
  // Only what is accepted without a block says so: later its confirmations say more.
  if (facts.zeroConfirmed && facts.inMempool && facts.confirmations === 0) waiting.push('transaction_zero_conf_confirmed');
  const reached: Record<TransactionStatus, readonly TransactionEvent[]> = {
    pending: waiting,
    unconfirmed: waiting,
    // A transaction that is first seen in a block passes through the states before it: receivers may wait for any of them.
    confirmed: ['transaction_pending', 'transaction_confirmed'],
    complete: ['transaction_pending', 'transaction_confirmed', 'transaction_complete'],
    replaced: ['transaction_replaced'],
    failed: ['transaction_failed'],
    quarantined: ['transaction_quarantined'],
  };
  return reached[status].filter((event) => !facts.events.includes(event));
}

function creditOf(status: TransactionStatus, facts: TransactionFacts): Credit {
  const here = facts.inMempool || facts.confirmations > 0;
  switch (status) {
    case 'complete':
      // The depth at which it became final stays while it is in that block: less says that it left. In another block it is usable again
      // when it is as deep there (a choice).
      return facts.confirmations < facts.finalConfirmations ? 'frozen' : 'available';
    case 'confirmed':
      return 'available';
    case 'pending':
    case 'unconfirmed':
      return here ? 'pending' : 'none';
    case 'quarantined':
      return here ? 'frozen' : 'none';
    case 'replaced':
    case 'failed':
      return 'none';
    default:
      throw new Error(`Unknown status ${String(status satisfies never)}`);
  }
}

function alarmOf(status: TransactionStatus, facts: TransactionFacts): string | null {
  if (status !== 'complete' || facts.credit === 'frozen' || creditOf(status, facts) !== 'frozen') return null;
  return 'A transaction that was complete left its block; its amount is frozen until it is final again.';
}

/** Run at start: every move leads to a status of the table, and nothing leaves `complete`. */
export function checkTransactionMoves(): void {
  for (const [from, targets] of Object.entries(TRANSACTION_MOVES)) {
    for (const to of targets) {
      if (!(to in TRANSACTION_MOVES) || to === from) throw new Error(`TRANSACTION_MOVES: ${from} to ${to} is not a move`);
    }
  }
  if (TRANSACTION_MOVES.complete.length > 0) throw new Error('TRANSACTION_MOVES: complete is final');
}

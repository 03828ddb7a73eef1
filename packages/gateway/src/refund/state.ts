import type { RefundEvent } from '@crypto-checkout/protocol/event';
import {
  REFUND_STATUSES,
  type PayoutStatus,
  type RefundStatus,
} from '@crypto-checkout/protocol/status';

/**
 * Legal moves (docs/interface.md, "Refund status"). A failed refund leads to `paid` only: its
 * payout was found in a block after all, and the chain has the last word.
 */
export const REFUND_MOVES: Readonly<Record<RefundStatus, readonly RefundStatus[]>> = {
  requested: ['draft', 'approved', 'rejected'],
  draft: ['approved', 'paid', 'rejected', 'failed'],
  approved: ['paid', 'rejected', 'failed'],
  paid: [],
  rejected: [],
  failed: ['paid'],
};

/** The event of each status; each is reported once per refund. */
export const REFUND_EVENT_OF: Readonly<Partial<Record<RefundStatus, RefundEvent>>> = {
  paid: 'refund_paid',
  rejected: 'refund_rejected',
};

/** Statuses of a refund that may still be paid; a transaction has at most one such refund. */
export const isOpen = (status: RefundStatus): boolean =>
  status === 'requested' || status === 'draft' || status === 'approved';

/** Whether a proven request takes its place. */
export const isReplaceable = ({
  status,
  is_proven,
}: {
  status: RefundStatus;
  is_proven: boolean;
}): boolean => status === 'requested' && !is_proven;

/** Whether its amount counts for nothing else. */
export const isCounting = (status: RefundStatus): boolean =>
  status !== 'rejected' && status !== 'failed';

/** The status of a refund that has a payout. */
export function statusOfPayout(status: PayoutStatus): RefundStatus {
  switch (status) {
    case 'draft':
    case 'rejected':
    case 'failed':
      return status;
    case 'complete':
      return 'paid';
    case 'scheduled':
    case 'queued':
    case 'new':
    case 'pending':
    case 'confirmed':
    case 'unconfirmed':
    case 'awaiting_funds':
    case 'awaiting_policies':
      return 'approved';
    default:
      throw new Error(`Unknown payout status ${String(status satisfies never)}`);
  }
}

/** The status after its payout; the current one while the payout changes nothing. */
export function statusAfterPayout(current: RefundStatus, payout: PayoutStatus): RefundStatus {
  const next = statusOfPayout(payout);
  return REFUND_MOVES[current].includes(next) ? next : current;
}

/** @throws Error for a step that is not in the table, which is a bug */
export function requireMove(from: RefundStatus, to: RefundStatus): void {
  if (!REFUND_MOVES[from].includes(to)) throw new Error(`A refund can't go from ${from} to ${to}`);
}

/** Runs at startup: every status is in the table, and final statuses have no moves. */
export function checkRefundMoves(): void {
  for (const status of REFUND_STATUSES)
    if (!(status in REFUND_MOVES)) throw new Error(`REFUND_MOVES: ${status} is missing`);
  for (const [from, targets] of Object.entries(REFUND_MOVES))
    for (const to of targets)
      if (!(to in REFUND_MOVES) || to === from)
        throw new Error(`REFUND_MOVES: ${from} to ${to} is not a move`);
  for (const last of ['paid', 'rejected'] as const)
    if (REFUND_MOVES[last].length > 0) throw new Error(`REFUND_MOVES: ${last} is final`);
}

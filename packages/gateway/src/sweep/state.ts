import type { ChainFacts } from '../engine/sending/track.ts';

export const SWEEP_STATUSES = ['topping_up', 'sending', 'complete', 'failed'] as const;
export type SweepStatus = (typeof SWEEP_STATUSES)[number];

/**
 * Legal moves. `failed` only if it is certain that nothing was moved; the deposit then waits for
 * the next sweep.
 */
export const SWEEP_MOVES: Readonly<Record<SweepStatus, readonly SweepStatus[]>> = {
  topping_up: ['sending', 'failed'],
  sending: ['complete', 'failed'],
  complete: [],
  failed: [],
};

/** Facts about the transaction of a sweep. */
export interface SweepFacts extends ChainFacts {
  status: SweepStatus;
  finalConfirmations: number;
}

/**
 * Returns the next status of a sweep, or null if it stays. A transaction is complete at the depth
 * of a final payment.
 */
export function nextSweepStatus({
  status,
  chain,
  confirmations,
  finalConfirmations,
}: SweepFacts): SweepStatus | null {
  if (SWEEP_MOVES[status].length === 0) return null;
  if (chain === 'impossible') return 'failed';
  if (chain === 'sent' || confirmations < finalConfirmations) return null;
  if (chain === 'reverted') return 'failed';
  return status === 'topping_up' ? 'sending' : 'complete';
}

/** @throws Error for a move that is not in the table, which is a bug */
export function requireSweepMove(from: SweepStatus, to: SweepStatus): void {
  if (!SWEEP_MOVES[from].includes(to)) throw new Error(`A sweep cannot move from ${from} to ${to}`);
}

/** Runs at start: every move leads to another status of the table. */
export function checkSweepMoves(): void {
  for (const [from, targets] of Object.entries(SWEEP_MOVES)) {
    for (const to of targets)
      if (!(to in SWEEP_MOVES) || to === from)
        throw new Error(`SWEEP_MOVES: ${from} to ${to} is not a move`);
  }
}

export const SWEEP_STATUSES = ['topping_up', 'sending', 'complete', 'failed'] as const;
export type SweepStatus = (typeof SWEEP_STATUSES)[number];

/** Legal moves. `failed` only when it is certain that nothing was moved: the deposit then waits for the next sweep. */
export const SWEEP_MOVES: Readonly<Record<SweepStatus, readonly SweepStatus[]>> = {
  topping_up: ['sending', 'failed'],
  sending: ['complete', 'failed'],
  complete: [],
  failed: [],
};

/** What is known of the transaction that a sweep waits for. */
export interface SweepFacts {
  status: SweepStatus;
  /** As the status of a payout: in no block, in one, in one without having moved anything, certain never to be in one. */
  chain: 'sent' | 'block' | 'reverted' | 'impossible';
  confirmations: number;
  finalConfirmations: number;
}

/** Where a sweep goes from its facts; null when it stays. What is in a block counts when it is as deep as a payment has to be. */
export function nextSweepStatus({ status, chain, confirmations, finalConfirmations }: SweepFacts): SweepStatus | null {
  if (SWEEP_MOVES[status].length === 0) return null;
  if (chain === 'impossible') return 'failed';
  if (chain === 'sent' || confirmations < finalConfirmations) return null;
  if (chain === 'reverted') return 'failed';
  return status === 'topping_up' ? 'sending' : 'complete';
}

/** @throws Error when the move is not in the table, which is a mistake of ours */
export function requireSweepMove(from: SweepStatus, to: SweepStatus): void {
  if (!SWEEP_MOVES[from].includes(to)) throw new Error(`A sweep can't go from ${from} to ${to}`);
}

/** Run at start: every move leads to another status of the table. */
export function checkSweepMoves(): void {
  for (const [from, targets] of Object.entries(SWEEP_MOVES)) {
    for (const to of targets) if (!(to in SWEEP_MOVES) || to === from) throw new Error(`SWEEP_MOVES: ${from} to ${to} is not a move`);
  }
}

import { CONVERSION_STATUSES, type ConversionStatus } from '@crypto-checkout/protocol/schema/conversion';

/**
 * Legal moves. §2.7 knows `draft` only, the others are ours: `pending` from the moment in which what is sold is held back, so that
 * an order may be on its way; `failed` only when it is certain that nothing was sold.
 */
export const CONVERSION_MOVES: Readonly<Record<ConversionStatus, readonly ConversionStatus[]>> = {
  draft: ['pending'],
  pending: ['complete', 'failed'],
  complete: [],
  failed: [],
};

/** @throws Error when the move is not in the table, which is a mistake of ours */
export function moveConversion(from: ConversionStatus, to: ConversionStatus): ConversionStatus {
  if (!CONVERSION_MOVES[from].includes(to)) throw new Error(`A conversion can't go from ${from} to ${to}`);
  return to;
}

/** Run at start: every status is in the table, every move leads to another one, and the last ones are last. */
export function checkConversionMoves(): void {
  for (const status of CONVERSION_STATUSES) if (!(status in CONVERSION_MOVES)) throw new Error(`CONVERSION_MOVES: ${status} is missing`);
  for (const [from, targets] of Object.entries(CONVERSION_MOVES)) {
    for (const to of targets)
      if (!(to in CONVERSION_MOVES) || (to as string) === from) throw new Error(`CONVERSION_MOVES: ${from} to ${to} is not a move`);
  }
  for (const last of ['complete', 'failed'] as const)
    if (CONVERSION_MOVES[last].length > 0) throw new Error(`CONVERSION_MOVES: ${last} is final`);
}

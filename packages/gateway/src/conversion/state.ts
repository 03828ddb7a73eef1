import {
  CONVERSION_STATUSES,
  type ConversionStatus,
} from '@crypto-checkout/protocol/schema/conversion';

/**
 * Allowed status transitions. `pending`: the amount is reserved, and an order may have been sent.
 * `failed`: certainly nothing was sold.
 */
export const CONVERSION_MOVES: Readonly<Record<ConversionStatus, readonly ConversionStatus[]>> = {
  draft: ['pending'],
  pending: ['complete', 'failed'],
  complete: [],
  failed: [],
};

/** @throws Error for a transition that is not in the table, which is a bug */
export function moveConversion(from: ConversionStatus, to: ConversionStatus): ConversionStatus {
  if (!CONVERSION_MOVES[from].includes(to))
    throw new Error(`A conversion can't go from ${from} to ${to}`);
  return to;
}

/**
 * Checks the table at startup: it has every status, every transition leads to another one, and
 * final statuses have none.
 */
export function checkConversionMoves(): void {
  for (const status of CONVERSION_STATUSES)
    if (!(status in CONVERSION_MOVES)) throw new Error(`CONVERSION_MOVES: ${status} is missing`);
  for (const [from, targets] of Object.entries(CONVERSION_MOVES)) {
    for (const to of targets)
      if (!(to in CONVERSION_MOVES) || (to as string) === from)
        throw new Error(`CONVERSION_MOVES: invalid transition ${from} to ${to}`);
  }
  for (const last of ['complete', 'failed'] as const)
    if (CONVERSION_MOVES[last].length > 0)
      throw new Error(`CONVERSION_MOVES: ${last} must be final`);
}

import { CONVERSION_STATUSES } from '@crypto-checkout/protocol/schema/conversion';
import { describe, expect, it } from 'vitest';
import { checkConversionMoves, moveConversion } from './state.ts';

const LEGAL = ['draft pending', 'pending complete', 'pending failed'];
const pairs = CONVERSION_STATUSES.flatMap((from) =>
  CONVERSION_STATUSES.map((to) => [from, to] as const),
);

describe('conversion transitions', () => {
  it('are consistent and have final statuses', () =>
    expect(() => checkConversionMoves()).not.toThrow());

  it.each(pairs)('%s to %s', (from, to) => {
    if (LEGAL.includes(`${from} ${to}`)) expect(moveConversion(from, to)).toBe(to);
    else expect(() => moveConversion(from, to)).toThrow(`can't go from ${from} to ${to}`);
  });
});

import { expect, test } from 'vitest';
import vectors from '../../test/vectors/custom-fee.json' with { type: 'json' };
import { formatAmount, parseAmount } from './amount.ts';
import { afterCustomFee } from './custom-fee.ts';

test.each(vectors.cases)(
  'deducts the fee in order of arrival: $why',
  ({ fee, amounts, net, paid, paid_total }) => {
    const left = afterCustomFee(amounts.map(parseAmount), parseAmount(fee));
    expect(left.map(formatAmount)).toEqual(net);
    expect(formatAmount(left.reduce((sum, amount) => sum + amount, 0n))).toBe(paid);
    expect(formatAmount(amounts.map(parseAmount).reduce((sum, amount) => sum + amount, 0n))).toBe(
      paid_total,
    );
  },
);

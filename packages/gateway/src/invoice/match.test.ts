import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { describe, expect, it } from 'vitest';
import vectors from '../../../protocol/test/vectors/custom-fee.json' with { type: 'json' };
import { afterFee } from './match.ts';

describe('custom fee', () => {
  it.each(vectors.cases)('is deducted in order of arrival: $why', ({ fee, amounts, net, paid }) => {
    let before = 0n;
    const left = amounts.map((amount) => {
      const rest = afterFee(parseAmount(amount), parseAmount(fee), before);
      before += parseAmount(amount);
      return rest;
    });
    expect(left.map(formatAmount)).toEqual(net);
    expect(formatAmount(afterFee(before, parseAmount(fee), 0n))).toBe(paid);
    expect(left.reduce((sum, amount) => sum + amount, 0n)).toBe(parseAmount(paid));
  });
});

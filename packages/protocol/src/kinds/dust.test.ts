import { describe, expect, it } from 'vitest';
import { isAboveDust, dustLimit } from './dust.ts';

describe('isAboveDust', () => {
  it.each([
    ['bitcoin', '0.00000545', false],
    ['bitcoin', '0.00000546', true],
    ['litecoin', '0.0000545', false],
    ['litecoin', '0.0000546', true],
    ['dogecoin', '0.00999999', false],
    ['dogecoin', '0.01', true],
    ['lightning', '0.00000001', true],
    ['ethereum', '0.000000000000000001', true],
  ] as const)('%s %s: %s', (chain, amount, relayed) => {
    expect(isAboveDust(amount, chain)).toBe(relayed);
  });
});

describe('dustLimit', () => {
  it('is null where every amount is relayed', () => {
    expect([dustLimit('bitcoin'), dustLimit('solana')]).toEqual(['0.00000546', null]);
  });
});

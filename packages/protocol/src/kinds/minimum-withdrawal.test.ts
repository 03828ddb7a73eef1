import { describe, expect, test } from 'vitest';
import { parseAmount } from '../amount/amount.ts';
import { KINDS } from './kind.ts';
import { minimumWithdrawal } from './minimum-withdrawal.ts';

describe('minimum withdrawal', () => {
  test('is returned for smaller amounts only', () => {
    expect(minimumWithdrawal('BTC', '0.00019999')).toBe('0.0002');
    expect(minimumWithdrawal('BTC', '0.0002')).toBeNull();
    expect(minimumWithdrawal('BTC', '0')).toBeNull();
  });

  test('is null for an unlisted kind', () => {
    for (const kind of ['JAMBO-SOL', 'BTC_LIGHTNING_LNURL', 'toString', ''])
      expect(minimumWithdrawal(kind, '0.000001')).toBeNull();
  });

  test('has no more decimals than its kind', () => {
    for (const { kind, decimals } of KINDS) {
      const minimum = minimumWithdrawal(kind, '0.000000000000000001');
      if (minimum !== null) {
        expect(parseAmount(minimum)).toBeGreaterThan(0n);
        expect(minimum.split('.')[1]?.length ?? 0).toBeLessThanOrEqual(decimals);
      }
    }
  });
});

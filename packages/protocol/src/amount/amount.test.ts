import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import vectors from '../../test/vectors/amount.json' with { type: 'json' };
import {
  AmountError,
  decimalsOf,
  divide,
  formatAmount,
  fromUnits,
  multiply,
  parseAmount,
  roundDown,
  roundUp,
  toUnits,
} from './amount.ts';

const amounts = fc.bigInt({ min: 0n, max: 10n ** 36n - 1n });
const signed = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
const decimals = fc.integer({ min: 0, max: 18 });

describe('amount', () => {
  test.each(vectors.format)('reads %j and writes it as %j', (text, written) => {
    expect(formatAmount(parseAmount(text))).toBe(written);
  });

  test.each(vectors.invalid)('refuses %j', (text) => {
    expect(() => parseAmount(text)).toThrow(AmountError);
  });

  test('refuses values that are not strings', () => {
    for (const value of [1, 1n, null, undefined, {}, ['1']])
      expect(() => parseAmount(value as string)).toThrow(AmountError);
  });

  test('shortens a refused text in the message', () => {
    expect(() => parseAmount('9'.repeat(10_000))).toThrow(/^.{0,200}$/);
  });

  test.each(vectors.round)(
    'rounds $amount to $decimals decimals: $up above, $down below',
    ({ amount, decimals, up, down }) => {
      expect(formatAmount(roundUp(parseAmount(amount), decimals))).toBe(up);
      expect(formatAmount(roundDown(parseAmount(amount), decimals))).toBe(down);
    },
  );

  test.each(vectors.multiply)('$a × $b is $up above, $down below', ({ a, b, up, down }) => {
    expect(formatAmount(multiply(parseAmount(a), parseAmount(b), 'up'))).toBe(up);
    expect(formatAmount(multiply(parseAmount(a), parseAmount(b), 'down'))).toBe(down);
  });

  test.each(vectors.divide)('$a ÷ $b is $up above, $down below', ({ a, b, up, down }) => {
    expect(formatAmount(divide(parseAmount(a), parseAmount(b), 'up'))).toBe(up);
    expect(formatAmount(divide(parseAmount(a), parseAmount(b), 'down'))).toBe(down);
  });

  test('refuses to divide by zero', () => {
    expect(() => divide(1n, 0n, 'up')).toThrow(AmountError);
  });

  test.each(vectors.units)(
    '$amount with $decimals decimals is $units units',
    ({ amount, decimals, units }) => {
      expect(toUnits(parseAmount(amount), decimals)).toBe(BigInt(units));
      expect(formatAmount(fromUnits(BigInt(units), decimals))).toBe(
        formatAmount(parseAmount(amount)),
      );
    },
  );

  test.each(vectors.too_fine)(
    'refuses $amount for a coin with $decimals decimals',
    ({ amount, decimals }) => {
      expect(() => toUnits(parseAmount(amount), decimals)).toThrow(AmountError);
    },
  );

  test.each([-1, 19, 1.5, Number.NaN])('refuses %d decimals', (count) => {
    expect(() => roundUp(1n, count)).toThrow(AmountError);
  });

  test.each([
    ['1.50', 1],
    ['100', 0],
    ['0.000000000000000001', 18],
  ])('%s has %d decimals', (text, count) => {
    expect(decimalsOf(text)).toBe(count);
  });

  test('formats negative amounts with a sign', () => {
    expect(formatAmount(-1_500_000_000_000_000_000n)).toBe('-1.5');
    expect(formatAmount(-1n)).toBe('-0.000000000000000001');
  });

  test('parses a formatted amount back to the same amount', () => {
    fc.assert(fc.property(amounts, (amount) => parseAmount(formatAmount(amount)) === amount));
  });

  test('rounds up and down by less than one unit', () => {
    fc.assert(
      fc.property(signed, decimals, (amount, count) => {
        const unit = fromUnits(1n, count);
        const [up, down] = [roundUp(amount, count), roundDown(amount, count)];
        expect(down <= amount && amount <= up).toBe(true);
        expect(up - amount < unit && amount - down < unit).toBe(true);
        expect(up % unit === 0n && down % unit === 0n).toBe(true);
      }),
    );
  });

  test('products and quotients differ from the exact value by less than one unit, in the requested direction', () => {
    fc.assert(
      fc.property(signed, signed, (a, b) => {
        const exact = a * b;
        expect(
          multiply(a, b, 'down') * 10n ** 18n <= exact &&
            multiply(a, b, 'up') * 10n ** 18n >= exact,
        ).toBe(true);
        expect(multiply(a, b, 'up') - multiply(a, b, 'down')).toBe(
          exact % 10n ** 18n === 0n ? 0n : 1n,
        );
        if (b === 0n) return;
        expect(divide(a, b, 'up') - divide(a, b, 'down')).toBe(
          (a * 10n ** 18n) % b === 0n ? 0n : 1n,
        );
      }),
    );
  });
});

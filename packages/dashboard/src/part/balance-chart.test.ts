import { expect, it } from 'vitest';
import { highest, steps } from './balance-chart.ts';

it('draws an amount until the next one, the highest at the top', () => {
  expect(steps(['0', '2', '1'])).toBe('M0.0 118.0H300.0V2.0H600.0V60.0');
});

it('draws nothing at all, and one point, as lines', () => {
  expect(steps(['0', '0'])).toBe('M0.0 118.0H600.0V118.0');
  expect(steps(['5'])).toBe('M0.0 2.0');
});

it('finds the highest amount and keeps every digit of it', () => {
  expect(highest(['0', '12345678901234567.000000000000000001', '3'])).toBe(
    '12345678901234567.000000000000000001',
  );
  expect(highest([])).toBe('0');
});

import { expect, it } from 'vitest';
import { highest, steps } from './balance-chart.ts';

const at = (hour: number): string => `2026-11-21T0${hour}:00:00.000000+00:00`;

it('draws an amount until the next one, from the first entry to the end', () => {
  const points = [
    { at: at(2), amount: '1' },
    { at: at(3), amount: '2' },
    { at: at(4), amount: '0' },
  ];
  expect(steps(points, at(6))).toBe('M0.0 60.0H150.0V2.0H300.0V118.0H600.0');
});

it('draws one entry as a line, and none not at all', () => {
  expect(steps([{ at: at(1), amount: '5' }], at(2))).toBe('M0.0 2.0H600.0');
  expect(steps([{ at: at(1), amount: '0' }], at(1))).toBe('M0.0 118.0H600.0');
  expect(steps([], at(1))).toBe('');
});

it('finds the highest amount and keeps every digit of it', () => {
  expect(highest(['0', '12345678901234567.000000000000000001', '3'])).toBe(
    '12345678901234567.000000000000000001',
  );
  expect(highest([])).toBe('0');
});

import { expect, it } from 'vitest';
import { parseExactly } from '../rpc/exact-numbers.ts';
import { estimate, unitsOf } from './units.ts';

it.each(['{"feerate":-1,"blocks":2}', '{"feerate":-1.0,"blocks":2}', '{"errors":["none"]}'])(
  'finds no rate in %s',
  (answer) => {
    expect(estimate.parse(parseExactly(answer)).feerate).toBeUndefined();
  },
);

it.each([
  ['{"feerate":0.00001234,"blocks":2}', 1_234n],
  ['{"feerate":1,"blocks":2}', 100_000_000n],
  ['{"feerate":1e-08}', 1n],
])('reads the rate of %s', (answer, units) => {
  expect(unitsOf(estimate.parse(parseExactly(answer)).feerate!)).toBe(units);
});

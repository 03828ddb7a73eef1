import { expect, it } from 'vitest';
import { count, duration, grouped, words } from './text.ts';

it.each([
  ['0', '0'],
  ['999', '999'],
  ['1000', '1,000'],
  ['1234567.000000000000000001', '1,234,567.000000000000000001'],
  ['0.12345678', '0.12345678'],
])('groups %s', (amount, shown) => {
  expect(grouped(amount)).toBe(shown);
});

it('says numbers and names as people do', () => {
  expect([count(0, 'invoice'), count(1, 'invoice'), count(2, 'invoice')]).toEqual(['0 invoices', '1 invoice', '2 invoices']);
  expect([duration(19), duration(10_000)]).toEqual(['19 ms', '10.0 s']);
  expect(words('awaiting_funds')).toBe('awaiting funds');
});

import { expect, it } from 'vitest';
import { count, duration, grouped, lasting, nextTry, partsOf, words } from './text.ts';

it.each([
  ['0', '0'],
  ['999', '999'],
  ['1000', '1,000'],
  ['1234567.000000000000000001', '1,234,567.000000000000000001'],
  ['0.12345678', '0.12345678'],
])('groups %s', (amount, shown) => {
  expect(grouped(amount)).toBe(shown);
});

it('says that what should have been done is due, and not when it should have been', () => {
  const now = Date.parse('2026-11-21T06:00:00Z');
  expect(nextTry('2026-11-21T06:00:00.000000+00:00', now)).toBe('due now');
  expect(nextTry('2026-11-21T06:00:01.000000+00:00', now)).not.toBe('due now');
});

it('says numbers and names as people do', () => {
  expect([count(0, 'invoice'), count(1, 'invoice'), count(2, 'invoice')]).toEqual([
    '0 invoices',
    '1 invoice',
    '2 invoices',
  ]);
  expect([duration(19), duration(10_000)]).toEqual(['19 ms', '10.0 s']);
  expect([6, 24, 47, 48, 30 * 24, 365 * 24].map((hours) => lasting(hours * 3_600_000))).toEqual([
    '6 hours',
    '24 hours',
    '47 hours',
    '2 days',
    '30 days',
    '365 days',
  ]);
  expect(words('awaiting_funds')).toBe('awaiting funds');
});

it.each([
  ['https://shop.example/hook', ['https://shop.example/', 'hook']],
  ['http://127.0.0.1:8080/a/b?c=1&d=', ['http://127.0.0.1:8080/', 'a/', 'b?', 'c=1&', 'd=']],
  ['https://shop.example/', ['https://shop.example/']],
  ['tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', ['tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx']],
])('breaks %s behind its parts, and nothing is lost', (text, parts) => {
  expect(partsOf(text)).toEqual(parts);
  expect(parts.join('')).toBe(text);
});

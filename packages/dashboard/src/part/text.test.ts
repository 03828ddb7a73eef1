import { expect, it } from 'vitest';
import { count, duration, grouped, nextTry, partsOf, withoutAdvice, words } from './text.ts';

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

it('leaves the advice out of the sentence of an alarm', () => {
  const gas = 'has too little ETH for the network fee';
  expect(withoutAdvice(`${gas}. Send ETH to the payout address 0x1, and assign it`)).toBe(
    `${gas}.`,
  );
  expect(withoutAdvice('too few coins for it; send BTC to bc1q, and assign it')).toBe(
    'too few coins for it.',
  );
  expect(withoutAdvice('The node is silent. It sends nothing')).toBe(
    'The node is silent. It sends nothing',
  );
});

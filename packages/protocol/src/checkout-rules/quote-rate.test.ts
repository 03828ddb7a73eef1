import { expect, it } from 'vitest';
import { type Amount, divide, formatAmount, parseAmount, roundUp } from '../amount/amount.ts';
import { quoteRate } from './quote-rate.ts';

const rateOf = (requested: string, invoiced: string, decimals: number): string =>
  formatAmount(
    quoteRate({ requested: parseAmount(requested), invoiced: parseAmount(invoiced) }, decimals),
  );

it('is the shortest rate that leads to the amount', () => {
  expect(rateOf('18.5', '0.00019271', 8)).toBe('96000');
  expect(rateOf('9.6', '0.0001', 8)).toBe('96000');
  expect(rateOf('18.5', '18.51', 2)).toBe('0.9995');
  expect(rateOf('60', '0.024', 8)).toBe('2500');
  expect(rateOf('100', '43.478261', 6)).toBe('2.3');
  expect(rateOf('18.5', '18.5', 2)).toBe('1');
});

it('leads to the invoiced amount again', () => {
  for (const rate of ['96123.45', '161.07', '0.2871', '0.99971'])
    for (const price of ['1', '9', '18.5', '49.99', '1234.56', '98765.43']) {
      const coins = (text: string): Amount =>
        roundUp(divide(parseAmount(price), parseAmount(text), 'up'), 8);
      const shown = rateOf(price, formatAmount(coins(rate)), 8);
      expect(shown.length).toBeLessThanOrEqual(rate.length);
      expect(coins(shown)).toBe(coins(rate));
    }
});

it('divides where the amount is the smallest unit', () => {
  expect(rateOf('0.001', '0.00000001', 8)).toBe('100000');
});

import { describe, expect, test } from 'vitest';
import { inFull } from './currency.ts';

describe('an amount as its currency is written', () => {
  test.each([
    ['18.5', 'USD', '18.50'],
    ['18.50', 'USD', '18.50'],
    ['10', 'EUR', '10.00'],
    ['1234567890123456789.1', 'GBP', '1234567890123456789.10'],
    ['0.1', 'HUF', '0.10'],
  ])('%s %s is %s', (amount, symbol, full) => {
    expect(inFull(amount, symbol)).toBe(full);
  });

  test.each([
    ['1500', 'JPY'],
    ['18.505', 'USD'],
    ['0.5', 'BTC'],
    ['20', 'USDT'],
    ['18.5', 'XXX'],
  ])('%s %s stays as it was said', (amount, symbol) => {
    expect(inFull(amount, symbol)).toBe(amount);
  });
});

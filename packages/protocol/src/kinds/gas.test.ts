import { describe, expect, test } from 'vitest';
import { gasOf } from './gas.ts';
import { KINDS, kindOf } from './kind.ts';

describe('the network fee', () => {
  test.each([
    ['ETH_USDT', 'ETH'],
    ['USDC-BASE', 'ETH'],
    ['USDT-TRX', 'TRX'],
    ['USDT-BSC', 'BNB'],
    ['ETH-BSC', 'BNB'],
    ['USDC-POLYGON', 'POL'],
    ['USDC-SOL', 'SOL'],
    ['USDT-TON', 'GRAM'],
    ['L-USDT', 'L-BTC'],
    ['USDT-CELO', 'CELO'],
  ])('of %s is paid in %s', (kind, symbol) => {
    expect(gasOf(kindOf(kind)!)).toBe(symbol);
  });

  test.each(['BTC', 'BTC_LIGHTNING', 'ETH', 'ETH-BASE', 'L-BTC', 'CELO-CELO', 'XRP'])(
    'of %s is paid in the coin itself',
    (kind) => {
      expect(gasOf(kindOf(kind)!)).toBeNull();
    },
  );

  test('of every token has a known coin', () => {
    for (const kind of KINDS.filter(({ token }) => token))
      expect(gasOf(kind) ?? kind.symbol).not.toBe('');
  });
});

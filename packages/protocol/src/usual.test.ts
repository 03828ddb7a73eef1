import { describe, expect, test } from 'vitest';
import { parseAmount } from './amount.ts';
import { minimumWithdrawal } from './exchange.ts';
import { KINDS, kindOf } from './kind.ts';
import { byUse, gasOf, usualSeconds } from './usual.ts';

describe('the usual time', () => {
  test.each([
    ['BTC', 1, 600],
    ['BTC', 2, 1200],
    ['BTC', 0, 0],
    ['BTC_LIGHTNING', 1, 1],
    ['ETH_USDT', 12, 144],
    ['XRP', 1, 4],
    ['TON', 1, 5],
    ['SOL', 32, 13],
    ['ETH-ARBITRUM', 1, 1],
    ['USDT-TRX', 20, 60],
  ])('of %s with %d confirmations is %d seconds', (kind, confirmations, seconds) => {
    expect(usualSeconds(kindOf(kind)!, confirmations)).toBe(seconds);
  });
});

describe('the network’s fee', () => {
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

  test.each(['BTC', 'BTC_LIGHTNING', 'ETH', 'ETH-BASE', 'L-BTC', 'CELO-CELO', 'XRP'])('of %s is paid by the coin itself', (kind) => {
    expect(gasOf(kindOf(kind)!)).toBeNull();
  });

  test('of every token on a chain with a coin of another name is known', () => {
    for (const kind of KINDS.filter(({ token }) => token)) expect(gasOf(kind) ?? kind.symbol).not.toBe('');
  });
});

describe('coins by use', () => {
  const sorted = byUse(KINDS).map(({ kind }) => kind);

  test('begin with those that most buyers want, and lose none', () => {
    expect(sorted.slice(0, 4)).toEqual(['BTC', 'BTC_LIGHTNING', 'USDT-TRX', 'ETH']);
    expect(sorted.toSorted()).toEqual(KINDS.map(({ kind }) => kind).toSorted());
  });

  test('keep the table’s order where nobody prefers one', () => {
    expect(sorted.indexOf('ETH_SHIB')).toBeGreaterThan(sorted.indexOf('ETH_SAND'));
  });
});

describe('what exchanges send at least', () => {
  test('is said only when an amount is less', () => {
    expect(minimumWithdrawal('BTC', '0.00019999')).toBe('0.0002');
    expect(minimumWithdrawal('BTC', '0.0002')).toBeNull();
    expect(minimumWithdrawal('BTC', '0')).toBeNull();
  });

  test('is nothing for a kind that nobody listed', () => {
    for (const kind of ['JAMBO-SOL', 'BTC_LIGHTNING_LNURL', 'toString', '']) expect(minimumWithdrawal(kind, '0.000001')).toBeNull();
  });

  test('is an amount of each listed kind in no more decimals than it has', () => {
    for (const { kind, decimals } of KINDS) {
      const minimum = minimumWithdrawal(kind, '0.000000000000000001');
      if (minimum !== null) {
        expect(parseAmount(minimum)).toBeGreaterThan(0n);
        expect(minimum.split('.')[1]?.length ?? 0).toBeLessThanOrEqual(decimals);
      }
    }
  });
});

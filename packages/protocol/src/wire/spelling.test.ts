import { describe, expect, it } from 'vitest';
import { closestName, notOneOf, quotedText } from './spelling.ts';

describe('the closest name', () => {
  it.each([
    ['BTTC', ['BTC', 'LTC'], 'BTC'],
    ['eth-usdt', ['ETH_USDC', 'ETH_USDT'], 'ETH_USDT'],
    ['order_idd', ['order_ids', 'order_id'], 'order_ids'],
    ['MONERO', ['BTC', 'ETH'], undefined],
    ['TBC', ['BTC'], undefined],
  ])('of %s among %j is %s', (name, known, closest) => {
    expect(closestName(name, known)).toBe(closest);
  });

  it('is the one with the smallest distance, wherever it stands', () => {
    expect(closestName('ETH_USDC1', ['ETH_USDT', 'ETH_USDC'])).toBe('ETH_USDC');
  });

  it('of a very long name is none, without comparing it', () => {
    const start = performance.now();
    expect(closestName(`B${'x'.repeat(1_000_000)}`, Array(500).fill('BTC'))).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe('a refusal', () => {
  it('names the given value and all that it resembles equally', () => {
    const kinds = ['BTC', 'BNB', 'LTC'];
    expect(notOneOf('coin kinds', 'btx', kinds)).toBe(
      'must be one of the coin kinds, such as BTC, not "btx"',
    );
    expect(notOneOf('coin kinds', 'BNC', kinds)).toBe(
      'must be one of the coin kinds, such as BTC or BNB, not "BNC"',
    );
    expect(notOneOf('coin kinds', 'USDT', kinds)).toBe('must be one of the coin kinds, not "USDT"');
  });

  it('shortens a value, and escapes what would not be seen', () => {
    expect(quotedText('x'.repeat(100))).toBe(`"${'x'.repeat(60)}…"`);
    expect(quotedText('a"b\n\u202ec\u2028')).toBe('"a\\"b\\n\\u202ec\\u2028"');
  });
});

import { describe, expect, test } from 'vitest';
import { kindOf } from './kind.ts';
import { usualSeconds } from './usual-time.ts';

describe('usual time', () => {
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

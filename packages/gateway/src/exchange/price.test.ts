import { parseAmount } from '@crypto-checkout/protocol/amount';
import { KINDS, kindOf } from '@crypto-checkout/protocol/kind';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priceOf } from './price.ts';

const kind = (name: string) => kindOf(name)!;
const BTC = kind('BTC');
const LTC = kind('LTC');
const GUSD = kind('ETH_GUSD');
const USDT = kind('ETH_USDT');
const at = (from: string, to: string) => ({ from: parseAmount(from), to: parseAmount(to) });
const NONE = 0n;

describe('priceOf', () => {
  it('returns the rate less the spread', () => {
    const sale = { from: BTC, to: USDT, sell: parseAmount('0.1') };
    expect(priceOf(sale, at('50000', '1'), NONE).bought).toBe(parseAmount('5000'));
    expect(priceOf(sale, at('50000', '1'), parseAmount('0.5')).bought).toBe(parseAmount('4975'));
    expect(priceOf(sale, at('50000', '1'), parseAmount('99.9999')).bought).toBe(
      parseAmount('0.005'),
    );
  });

  it('rounds the bought amount down to the coin’s decimals', () => {
    expect(
      priceOf({ from: LTC, to: BTC, sell: parseAmount('0.00000001') }, at('80', '50000'), NONE)
        .bought,
    ).toBe(0n);
    expect(
      priceOf({ from: USDT, to: GUSD, sell: parseAmount('1.999999') }, at('1', '1'), NONE).bought,
    ).toBe(parseAmount('1.99'));
    expect(
      priceOf({ from: BTC, to: GUSD, sell: parseAmount('1') }, at('1', '3'), NONE).bought,
    ).toBe(parseAmount('0.33'));
  });

  it('rounds the sold amount up', () => {
    expect(
      priceOf({ from: USDT, to: BTC, buy: parseAmount('0.00000001') }, at('3', '100'), NONE),
    ).toEqual({
      sold: parseAmount('0.000001'),
      bought: parseAmount('0.00000001'),
    });
    expect(priceOf({ from: LTC, to: BTC, buy: parseAmount('1') }, at('3', '1'), NONE).sold).toBe(
      parseAmount('0.33333334'),
    );
  });

  it('is one to one for the same asset, regardless of spread and rate', () => {
    expect(
      priceOf({ from: BTC, to: BTC, sell: 12_345n * 10n ** 10n }, at('1', '7'), parseAmount('5'))
        .bought,
    ).toBe(12_345n * 10n ** 10n);
  });

  it('buys at least the requested amount, worth no more than the sold one', () => {
    const any = fc.constantFrom(...KINDS);
    const rate = fc.bigInt({ min: 1n, max: 10n ** 24n });
    const spread = fc.bigInt({ min: 0n, max: 99n * 10n ** 18n });
    const units = fc.bigInt({ min: 1n, max: 10n ** 24n });
    fc.assert(
      fc.property(
        any,
        any,
        rate,
        rate,
        spread,
        units,
        (from, to, fromUsd, toUsd, percent, amount) => {
          const rates = { from: fromUsd, to: toUsd };
          const buy = amount * 10n ** BigInt(18 - to.decimals);
          const { sold, bought } = priceOf({ from, to, buy }, rates, percent);
          expect(bought).toBe(buy);
          expect(sold % 10n ** BigInt(18 - from.decimals)).toBe(0n);
          const sale = priceOf({ from, to, sell: sold }, rates, percent);
          expect(sale.bought).toBeGreaterThanOrEqual(buy);
          if (from.asset !== to.asset)
            expect(sale.bought * toUsd).toBeLessThanOrEqual(sold * fromUsd);
          // One unit less would be too little.
          const less = priceOf(
            { from, to, sell: sold - 10n ** BigInt(18 - from.decimals) },
            rates,
            percent,
          );
          expect(less.bought).toBeLessThan(buy);
        },
      ),
      { numRuns: 500 },
    );
  });
});

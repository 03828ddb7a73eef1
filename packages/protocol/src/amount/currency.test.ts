import { describe, expect, test } from 'vitest';
import { KINDS } from '../kinds/kind.ts';
import { CURRENCIES, currencyOf, withCurrencyDecimals } from './currency.ts';

/** The currencies of the public API. */
const EXPECTED =
  'USD, USDT, BTC, LTC, ETH, TRX, SOL, POL, XRP, DOGE, TUSD, USDC, PAX, GUSD, BUSD, WBNB, SAND, DAI, SHIB, L-BTC, L-USDT, EUR, GBP, AUD, CAD, CHF, ZAR, NOK, NZD, MXN, CLP, KRW, JPY, PLN, DKK, SEK, ARS, KES, BRL, MNT, NGN, RUB, HUF'.split(
    ', ',
  );

describe('currencies', () => {
  test('are those of the API, each once', () => {
    expect(CURRENCIES.map(({ symbol }) => symbol).toSorted()).toEqual(EXPECTED.toSorted());
  });

  test('have unique ids that fit into a path', () => {
    expect(new Set(CURRENCIES.map(({ id }) => id)).size).toBe(CURRENCIES.length);
    for (const { id } of CURRENCIES) expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  test.each(
    CURRENCIES.filter(({ kind }) => kind === 'fiat').map(
      ({ symbol, decimals }) => [symbol, decimals] as const,
    ),
  )('%s has %d decimals, by ISO 4217', (symbol, decimals) => {
    // ICU shows forints, pesos and the like without decimals in places; ISO 4217 gives them two.
    const fromIso: Record<string, number> = { HUF: 2, CLP: 0, KRW: 0, JPY: 0, MNT: 2 };
    const shown = new Intl.NumberFormat('en', {
      style: 'currency',
      currency: symbol,
    }).resolvedOptions().maximumFractionDigits;
    expect(decimals).toBe(fromIso[symbol] ?? shown);
  });

  test('that are coins have a kind with at least as many decimals', () => {
    for (const { symbol, decimals, kind } of CURRENCIES)
      if (kind === 'crypto')
        expect(
          Math.max(...KINDS.filter((coin) => coin.symbol === symbol).map((coin) => coin.decimals)),
        ).toBeGreaterThanOrEqual(decimals);
  });

  test('are found by their exact symbol only', () => {
    for (const symbol of ['usd', 'XXX', '', 'toString']) expect(currencyOf(symbol)).toBeUndefined();
  });
});

describe('withCurrencyDecimals', () => {
  test.each([
    ['18.5', 'USD', '18.50'],
    ['18.50', 'USD', '18.50'],
    ['10', 'EUR', '10.00'],
    ['1234567890123456789.1', 'GBP', '1234567890123456789.10'],
    ['0.1', 'HUF', '0.10'],
  ])('%s %s is %s', (amount, symbol, full) => {
    expect(withCurrencyDecimals(amount, symbol)).toBe(full);
  });

  test.each([
    ['1500', 'JPY'],
    ['18.505', 'USD'],
    ['0.5', 'BTC'],
    ['20', 'USDT'],
    ['18.5', 'XXX'],
  ])('%s %s stays unchanged', (amount, symbol) => {
    expect(withCurrencyDecimals(amount, symbol)).toBe(amount);
  });
});

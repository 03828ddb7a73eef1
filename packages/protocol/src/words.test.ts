import { describe, expect, test } from 'vitest';
import { CURRENCIES, currencyOf } from './currency.ts';
import { EMAIL_EVENTS, EVENTS, resourceOf } from './event.ts';
import { REASONS } from './error.ts';
import { KINDS } from './kind.ts';
import { INVOICE_STATUSES, TRANSACTION_STATUSES } from './status.ts';

/** §4.1, in its order. */
const SPECIFIED =
  'USD, USDT, BTC, LTC, ETH, TRX, SOL, POL, XRP, DOGE, TUSD, USDC, PAX, GUSD, BUSD, WBNB, SAND, DAI, SHIB, L-BTC, L-USDT, EUR, GBP, AUD, CAD, CHF, ZAR, NOK, NZD, MXN, CLP, KRW, JPY, PLN, DKK, SEK, ARS, KES, BRL, MNT, NGN, RUB, HUF'.split(
    ', ',
  );

describe('currencies', () => {
  test('are those of the specification, each once', () => {
    expect(CURRENCIES.map(({ symbol }) => symbol).toSorted()).toEqual(SPECIFIED.toSorted());
  });

  test('have ids of their own that fit into a path', () => {
    expect(new Set(CURRENCIES.map(({ id }) => id)).size).toBe(CURRENCIES.length);
    for (const { id } of CURRENCIES) expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  test.each(CURRENCIES.filter(({ kind }) => kind === 'fiat').map(({ symbol, decimals }) => [symbol, decimals] as const))(
    '%s has the %d decimals that the runtime knows from ISO 4217',
    (symbol, decimals) => {
      // ICU shows forints, pesos and the like without decimals in places; ISO 4217 gives them two.
      const fromIso: Record<string, number> = { HUF: 2, CLP: 0, KRW: 0, JPY: 0, MNT: 2 };
      const shown = new Intl.NumberFormat('en', { style: 'currency', currency: symbol }).resolvedOptions().maximumFractionDigits;
      expect(decimals).toBe(fromIso[symbol] ?? shown);
    },
  );

  test('that are coins have a kind with at least as many decimals', () => {
    for (const { symbol, decimals, kind } of CURRENCIES)
      if (kind === 'crypto')
        expect(Math.max(...KINDS.filter((coin) => coin.symbol === symbol).map((coin) => coin.decimals))).toBeGreaterThanOrEqual(decimals);
  });

  test('are found by their exact symbol only', () => {
    for (const symbol of ['usd', 'XXX', '', 'toString']) expect(currencyOf(symbol)).toBeUndefined();
  });
});

describe('words', () => {
  test('sixteen events, each about one resource', () => {
    expect(EVENTS).toHaveLength(16);
    expect(EVENTS.map((event) => event.startsWith(`${resourceOf(event)}_`))).not.toContain(false);
    expect(EMAIL_EVENTS).toHaveLength(10);
  });

  test('five invoice statuses and seven transaction statuses', () => {
    expect(INVOICE_STATUSES).toEqual(['new', 'pending', 'paid', 'complete', 'expired']);
    expect(TRANSACTION_STATUSES).toHaveLength(7);
  });

  test('reasons are written in PascalCase, each once', () => {
    for (const reason of REASONS) expect(reason).toMatch(/^([A-Z][a-z]+)+$/);
    expect(new Set(REASONS).size).toBe(REASONS.length);
  });
});

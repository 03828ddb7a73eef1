import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CURRENCIES } from '@crypto-checkout/protocol/currency';
import { invoiceDecimals, KINDS, type Kind } from '@crypto-checkout/protocol/kind';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { priceInvoice } from './price.ts';
import { fiatQuotes } from './quote.ts';

const FIAT = CURRENCIES.filter(({ kind }) => kind === 'fiat');
const PRECISION = 2;

/** Rates in US dollars, from BONK to BTC, exact or cut after 18 decimals. */
const worth = fc.oneof(
  fc.bigInt({ min: 1n, max: 10n ** 8n }).map((thousandths) => thousandths * 10n ** 15n),
  fc.bigInt({ min: 10n ** 12n, max: 10n ** 23n }),
  fc.bigInt({ min: 5n, max: 5n * 10n ** 5n }).map((perDollar) => 10n ** 20n / perDollar),
);

const one = (decimals: number): Amount => 10n ** BigInt(18 - decimals);

describe('fiat quotes of a payment', () => {
  test.each([
    ['USDC-BASE', '100', 'EUR', '1', '1.16', '100'],
    ['ETH', '100', 'GBP', '3000', '1.33', '100'],
    ['ETH_USDT', '19.99', 'EUR', '1', '1.16', '19.99'],
    ['DOGE', '7', 'MXN', '0.2', '0.0543', '7'],
  ])(
    'quote the %s price of %s %s at exactly that amount',
    (name, amount, currency, coin, money, quoted) => {
      expect(
        formatAmount(
          paidExactly(kindNamed(name), parseAmount(amount), currency, [
            parseAmount(coin),
            parseAmount(money),
          ]).quoted,
        ),
      ).toBe(quoted);
    },
  );

  test.each(KINDS.map((kind) => [kind.kind, kind] as const))(
    'of an exactly paid invoice in %s are not below its price',
    (_, kind) => {
      for (const { symbol, decimals } of FIAT) {
        fc.assert(
          fc.property(
            fc.bigInt({ min: 1n, max: 10n ** 6n }),
            worth,
            worth,
            fc.bigInt({ min: 0n, max: 10n ** 4n }),
            (units, coin, money, fee) => {
              const price = units * one(decimals);
              const rates = symbol === 'USD' ? ([coin, one(0)] as const) : ([coin, money] as const);
              const { quoted, lastDigit } = paidExactly(kind, price, symbol, rates, fee);
              const most = lastDigit > one(decimals) ? lastDigit : one(decimals);
              expect(quoted).toBeGreaterThanOrEqual(price);
              expect(quoted - price).toBeLessThanOrEqual(most);
            },
          ),
          { numRuns: 10 },
        );
      }
    },
  );

  test('of partial payments are rounded down, each by less than one cent', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 6n }),
        worth,
        worth,
        fc.array(fc.nat(100), { minLength: 1, maxLength: 5 }),
        (cents, coin, money, weights) => {
          const { paid, rates } = paidExactly(kindNamed('BTC'), cents * one(2), 'EUR', [
            coin,
            money,
          ]);
          const parts = weights.map(
            (weight) => (paid * BigInt(weight)) / 100n / BigInt(weights.length),
          );
          parts.push(paid - parts.reduce((sum, part) => sum + part, 0n));
          const quotes = parts.map((part) => parseAmount(fiatQuotes(part, rates)['EUR']!));
          const sum = quotes.reduce((total, quote) => total + quote, 0n);
          expect(sum).toBeLessThanOrEqual(parseAmount(fiatQuotes(paid, rates)['EUR']!));
          expect(sum).toBeGreaterThan(cents * one(2) - BigInt(parts.length) * one(2));
        },
      ),
    );
  });

  test('do not round up a slightly lower value', () => {
    expect(
      fiatQuotes(parseAmount('115.999999'), { EUR: '0.862068965517241379', USD: '1' }),
    ).toEqual({ EUR: '99.99', USD: '115.99' });
    expect(fiatQuotes(parseAmount('0.009999999999999999'), { USD: '1' })).toEqual({ USD: '0' });
  });
});

/** The quote of an exact payment, less the fee of its invoice. */
function paidExactly(
  kind: Kind,
  price: Amount,
  currency: string,
  [coin, money]: readonly [coin: Amount, money: Amount],
  feeUnits = 0n,
) {
  const usd = new Map([
    [currency, money],
    [kind.symbol, coin],
  ]);
  const decimals = invoiceDecimals(kind, PRECISION);
  const fee = feeUnits * one(kind.decimals);
  const set = { usd, at: 0, stale: false };
  const { invoiced, currencyRates } = priceInvoice({
    kind,
    requested: price,
    currency,
    fee,
    stablecoinPrecision: PRECISION,
    rates: set,
  });
  const rates = currencyRates[kind.symbol];
  const paid = invoiced! - fee;
  return {
    paid,
    rates,
    quoted: parseAmount(fiatQuotes(paid, rates)[currency]!),
    lastDigit: (one(decimals) * coin) / money + 1n,
  };
}

const kindNamed = (name: string): Kind => KINDS.find(({ kind }) => kind === name)!;

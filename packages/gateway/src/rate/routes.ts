import { Hono } from 'hono';
import { divide, formatAmount } from '@crypto-checkout/protocol/amount';
import { listOf, resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
import { exchangeRate } from '@crypto-checkout/protocol/schema/exchange-rate';
import { CURRENCIES, type Currency } from '@crypto-checkout/protocol/currency';
import { KINDS, type Kind, kindOf } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';
import type { Operation } from '../http/operation.ts';
import type { RateSet } from './rate-book.ts';

/**
 * Currencies with a rate: those of invoice amounts, then every coin that can be paid with. One per
 * symbol.
 */
export const RATED: readonly Currency[] = [
  ...new Map(
    [...KINDS.map(coinOf), ...CURRENCIES].map((currency) => [currency.symbol, currency]),
  ).values(),
].toSorted((a, b) => place(a) - place(b));

function coinOf({ symbol, name, decimals }: Kind): Currency {
  return {
    symbol,
    kind: 'crypto',
    decimals,
    sign: symbol,
    id: symbol.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    name,
  };
}

function place({ symbol }: Currency): number {
  const index = CURRENCIES.findIndex((currency) => currency.symbol === symbol);
  return index < 0 ? CURRENCIES.length : index;
}

const operations = {
  list: {
    summary: 'List exchange rates',
    description:
      'Rates of every fiat currency and every coin. The header `Last-Modified` is the time of the rates.',
    source: 'Exchange rates',
    answer: listOf(exchangeRate),
  },
  get: {
    summary: 'Get an exchange rate',
    description: 'By the symbol of a fiat currency or a coin.',
    source: 'Exchange rates',
    answer: resultOf(exchangeRate),
  },
} satisfies Record<string, Operation>;

export function routes({ rates }: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/exchange-rates/', authorized('exchange-rates:read', operations.list), async (c) => {
    const set = await rates.current();
    const result = RATED.map((currency) => presentRate(currency, set)).filter(
      (rate) => rate !== null,
    );
    return c.json({ result }, 200, { 'Last-Modified': new Date(set.at).toUTCString() });
  });

  app.get(
    '/v1/exchange-rates/:symbol/',
    authorized('exchange-rates:read', operations.get),
    async (c) => {
      const asked = c.req.param('symbol');
      // A kind is accepted too: the coin of kind TON has another symbol now.
      const symbol = kindOf(asked)?.symbol ?? asked;
      const currency =
        RATED.find((rated) => rated.symbol === symbol) ??
        RATED.find((rated) => rated.symbol.toUpperCase() === symbol.toUpperCase());
      if (currency === undefined)
        throw new ServiceError('NotFound', 'There is no currency with this symbol.');
      const set = await rates.current();
      const result = presentRate(currency, set);
      if (result === null)
        throw new ServiceError(
          'RateUnavailable',
          `There is no trustworthy rate of ${currency.symbol} at the moment.`,
        );
      return c.json({ result }, 200, { 'Last-Modified': new Date(set.at).toUTCString() });
    },
  );

  return app;
}

/** The value of one unit in US dollars and in bitcoin; null without a rate. */
function presentRate(
  { id, kind, symbol, sign }: Currency,
  { usd }: RateSet,
): Record<string, string> | null {
  const rate = usd.get(symbol);
  const bitcoin = usd.get('BTC');
  if (rate === undefined || bitcoin === undefined) return null;
  return {
    id,
    kind,
    symbol,
    rate_usd: formatAmount(rate),
    rate_btc: formatAmount(divide(rate, bitcoin, 'down')),
    sign,
  };
}

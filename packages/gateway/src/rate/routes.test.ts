import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { CURRENCIES } from '@crypto-checkout/protocol/currency';
import { KINDS } from '@crypto-checkout/protocol/kind';
import { exchangeRate } from '@crypto-checkout/protocol/schema/exchange-rate';
import type { Context } from '../context.ts';
import type { Env, Key } from '../http/env.ts';
import { answerError, ServiceError } from '../http/error.ts';
import { testClock } from '../../test/support/context.ts';
import { fixedRates } from './fixed-rates.ts';
import type { RateBook } from './rate-book.ts';
import { RATED, routes } from './routes.ts';

const fixed = fixedRates(testClock());

async function get(path: string, rates: RateBook = fixed, permissions = ['exchange-rates:read']) {
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    c.set('key', { permissions: new Set(permissions) } as unknown as Key);
    await next();
  });
  app.onError((error, c) => {
    const { status, body } = answerError(error, 'request');
    return c.json(body, status as 400);
  });
  app.route('/', routes({ rates } as Context));
  const answer = await app.request(path);
  return {
    status: answer.status,
    modified: answer.headers.get('Last-Modified'),
    body: (await answer.json()) as Record<string, unknown>,
  };
}

describe('GET /v1/exchange-rates/', () => {
  it('lists every fiat currency and every coin', async () => {
    const { status, body, modified } = await get('/v1/exchange-rates/');
    expect(status).toBe(200);
    const result = body['result'] as Record<string, unknown>[];
    const symbols = result.map(({ symbol }) => symbol);
    expect(symbols.slice(0, CURRENCIES.length)).toEqual(CURRENCIES.map(({ symbol }) => symbol));
    expect(new Set(symbols)).toEqual(
      new Set([...CURRENCIES, ...KINDS].map(({ symbol }) => symbol)),
    );
    expect(symbols.length).toBe(new Set(symbols).size);
    expect(new Set(RATED.map(({ id }) => id)).size).toBe(RATED.length);
    for (const rate of result) expect(exchangeRate.safeParse(rate).success).toBe(true);
    expect(modified).toBe('Sat, 21 Nov 2026 06:00:00 GMT');
  });

  it('returns one rate in US dollars and bitcoin', async () => {
    expect((await get('/v1/exchange-rates/EUR/')).body).toEqual({
      result: {
        id: 'euro',
        kind: 'fiat',
        symbol: 'EUR',
        rate_usd: '1.16',
        rate_btc: '0.000012083333333333',
        sign: '€',
      },
    });
    expect((await get('/v1/exchange-rates/btc/')).body).toMatchObject({
      result: { symbol: 'BTC', rate_usd: '96000', rate_btc: '1' },
    });
    expect((await get('/v1/exchange-rates/L-BTC/')).status).toBe(200);
    // A kind is accepted too: the coin of kind TON has another symbol now.
    expect((await get('/v1/exchange-rates/TON/')).body).toEqual(
      (await get('/v1/exchange-rates/GRAM/')).body,
    );
  });

  it('rejects an unknown symbol and a key without the permission', async () => {
    expect(await get('/v1/exchange-rates/GOLD/')).toMatchObject({
      status: 404,
      body: { reason: 'NotFound' },
    });
    expect(await get('/v1/exchange-rates/', fixed, [])).toMatchObject({
      status: 403,
      body: { reason: 'PermissionDenied' },
    });
  });

  it('without a reliable rate, answers 503 that has no `reason`, and omits the rate from the list', async () => {
    const usd = new Map([
      ['USD', parseAmount('1')],
      ['BTC', parseAmount('96000')],
    ]);
    const some: RateBook = { current: async () => ({ usd, at: 0, stale: true }) };
    const one = await get('/v1/exchange-rates/EUR/', some);
    expect(one.status).toBe(503);
    expect(one.body).not.toHaveProperty('reason');
    expect((await get('/v1/exchange-rates/', some)).body['result']).toHaveLength(2);
    const none: RateBook = {
      current: () => Promise.reject(new ServiceError('RateUnavailable', 'none')),
    };
    expect((await get('/v1/exchange-rates/', none)).status).toBe(503);
  });
});

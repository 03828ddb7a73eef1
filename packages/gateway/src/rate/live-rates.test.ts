import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { CURRENCIES } from '@crypto-checkout/protocol/currency';
import { KINDS } from '@crypto-checkout/protocol/kind';
import { TEST_START, testClock, type TestClock } from '../../test/support/context.ts';
import { differByMore, parseJsonLosslessly, priceOf } from './decimal.ts';
import { fixedRates } from './fixed-rates.ts';
import { liveRates } from './live-rates.ts';
import { PUBLIC_SOURCES } from './public-sources.ts';
import type { RateBook } from './rate-book.ts';

const FILES: Readonly<Record<string, readonly string[]>> = {
  kraken: ['kraken'],
  coinbase: ['coinbase'],
  binance: ['binance'],
  coingecko: ['coingecko-price', 'coingecko-fiat'],
  bitfinex: ['bitfinex'],
  bitstamp: ['bitstamp'],
  'er-api': ['er-api'],
};

function fixture(name: string): string {
  return readFileSync(new URL(`../../test/fixtures/rates/${name}.json`, import.meta.url), 'utf8');
}

/** Answers of the sources, which tests may change. */
class Network {
  readonly bodies = new Map<string, string>();
  readonly asked: string[] = [];
  readonly down = new Set<string>();

  constructor() {
    for (const { name, urls } of PUBLIC_SOURCES) {
      for (const [at, url] of urls.entries())
        this.bodies.set(url, fixture(FILES[name]?.[at] ?? ''));
    }
  }

  readonly fetch = (async (url: string | URL | Request) => {
    const address = url instanceof Request ? url.url : url.toString();
    this.asked.push(address);
    const body = this.bodies.get(address);
    if (this.down.has(nameOf(address))) throw new TypeError('fetch failed');
    return body === undefined
      ? new Response('', { status: 404 })
      : new Response(body, { headers: { 'content-type': 'application/json' } });
  }) as typeof fetch;

  change(source: string, from: string | RegExp, to: string): void {
    const url = PUBLIC_SOURCES.find(({ name }) => name === source)?.urls[0] ?? '';
    const before = this.bodies.get(url) ?? '';
    const after = before.replaceAll(from, to);
    if (after === before) throw new Error(`${source} does not say ${from}`);
    this.bodies.set(url, after);
  }

  /** Sets the time that a source gives for its prices. */
  date(source: string, real: number): void {
    const url = PUBLIC_SOURCES.find(({ name }) => name === source)?.urls[0] ?? '';
    const body = (this.bodies.get(url) ?? '').replaceAll(/\b17952\d{5}\b/g, String(real / 1000));
    this.bodies.set(url, body);
  }

  only(...names: string[]): void {
    for (const { name } of PUBLIC_SOURCES) if (!names.includes(name)) this.down.add(name);
  }
}

function nameOf(url: string): string {
  return PUBLIC_SOURCES.find(({ urls }) => urls.includes(url))?.name ?? '';
}

let clock: TestClock;
let network: Network;
let book: RateBook;

beforeEach(() => {
  clock = testClock();
  network = new Network();
  book = liveRates({ clock, fetch: network.fetch, log: { warn: () => {} } });
});

async function rate(symbol: string): Promise<string | null> {
  const amount = (await book.current()).usd.get(symbol);
  return amount === undefined ? null : formatAmount(amount);
}

/** Refreshes as the worker does, with new answers of CoinGecko. */
async function refreshFor(minutes: number): Promise<void> {
  for (let half = 0; half < 2 * minutes; half += 1) {
    clock.advance(30_000);
    network.date('coingecko', clock.real());
    await book.refresh?.();
  }
}

async function expectNear(symbol: string, price: string): Promise<void> {
  const amount = (await book.current()).usd.get(symbol) ?? 0n;
  expect(
    differByMore(amount === 0n ? 1n : amount, parseAmount(price), 5),
    `${symbol} is ${formatAmount(amount)}, not about ${price}`,
  ).toBe(false);
}

describe('sources', () => {
  it.each(PUBLIC_SOURCES.map((source) => [source.name, source] as const))(
    '%s: reads the documented answer',
    (name, source) => {
      const quotes = source.read(
        (FILES[name] ?? []).map((file) => parseJsonLosslessly(fixture(file))),
      );
      expect(quotes.length).toBeGreaterThan(5);
      for (const { symbol, bid, ask } of quotes) {
        expect(source.symbols).toContain(symbol);
        expect(bid > 0n && bid <= ask).toBe(true);
      }
    },
  );

  it.each(PUBLIC_SOURCES.map((source) => [source.name, source] as const))(
    '%s: another shape is an error or empty, never a price',
    (_, source) => {
      for (const body of [
        null,
        {},
        [],
        'x',
        { error: ['EGeneral:Down'], result: undefined },
        [[]],
        { data: null },
      ]) {
        const read = () => source.read([body, body]);
        try {
          expect(read()).toEqual([]);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }
    },
  );

  it('price every currency and every coin except the unknown one', async () => {
    await book.refresh?.();
    await refreshFor(10);
    const { usd } = await book.current();
    const symbols = new Set([
      ...CURRENCIES.map(({ symbol }) => symbol),
      ...KINDS.map(({ symbol }) => symbol),
    ]);
    symbols.delete('JAMBO');
    const missing = [...symbols].filter((symbol) => !usd.has(symbol));
    expect(
      missing,
      'test/fixtures/rates lacks the prices of these symbols: each needs two answers, or one if `markets` in the file of its chain names one source',
    ).toEqual([]);
    expect(usd.has('JAMBO')).toBe(false);
  });

  it('agree with the fixed rates, on which the fixtures are based', async () => {
    const fixed = await fixedRates(clock).current();
    for (const symbol of [
      'BTC',
      'ETH',
      'EUR',
      'JPY',
      'KES',
      'MNT',
      'SHIB',
      'USDT',
      'USDC',
      'CELO',
      'L-BTC',
    ]) {
      await expectNear(symbol, formatAmount(fixed.usd.get(symbol) ?? 0n));
    }
  });
});

describe('rate', () => {
  it('is the median of the middles of bid and ask', async () => {
    network.only('kraken', 'bitfinex', 'bitstamp');
    network.change('kraken', '96010.00000', '96110.00000');
    expect(await rate('BTC')).toBe('96000');
  });

  it('converts USDT prices at the rate of USDT, and drops them without one', async () => {
    network.only('binance', 'coingecko', 'kraken', 'bitstamp');
    expect(await rate('CELO')).toBe('0.199999975');
    network.only('binance', 'coingecko');
    clock.advance(5 * 60_000 + 1);
    network.change('coingecko', '1795240770', String(Math.floor(clock.real() / 1000)));
    expect([
      ...(
        await liveRates({ clock, fetch: network.fetch, log: { warn: () => {} } }).current()
      ).usd.keys(),
    ]).not.toContain('CELO');
  });

  it.each([
    ['×1000', '96010000.0', '95990000.0'],
    ['zero', '0', '0'],
    ['negative', '-1', '-1'],
    ['NaN', 'NaN', 'NaN'],
    ['inverted', '0.0000104155', '0.0000104177'],
    ['crossed', '95990.00000', '96010.00000'],
    ['wide', '99000.0', '93000.0'],
    ['empty', '', ''],
  ])('ignores one source that is %s', async (_, ask, bid) => {
    network.change('kraken', '"96010.00000"', '"ASK"');
    network.change('kraken', '"95990.00000"', `"${bid}"`);
    network.change('kraken', '"ASK"', `"${ask}"`);
    await expectNear('BTC', '96000');
  });

  it.each([
    ['×1000', '96010000.0', '95990000.0'],
    ['inverted', '0.0000104177', '0.0000104155'],
    ['5 % higher', '100810.0', '100790.0'],
    ['2 % higher', '97930.0', '97910.0'],
  ])('is missing with two sources of which one is %s', async (_, ask, bid) => {
    network.only('kraken', 'bitstamp');
    network.change('kraken', '96010.00000', ask);
    network.change('kraken', '95990.00000', bid);
    expect(await rate('BTC')).toBeNull();
    expect(await rate('ETH')).toBe('3200');
  });

  it('is the mean of two sources that agree', async () => {
    network.only('kraken', 'bitstamp');
    network.change('bitstamp', '"95998"', '"96498"');
    network.change('bitstamp', '"96002"', '"96502"');
    expect(await rate('BTC')).toBe('96250');
  });

  it('is missing with one of several sources, present with the only one', async () => {
    network.only('coingecko');
    await book.refresh?.();
    await refreshFor(10);
    const set = await book.current();
    expect(set.usd.has('BTC')).toBe(false);
    expect(set.usd.has('USDC')).toBe(false);
    expect(formatAmount(set.usd.get('SHFL') ?? 0n)).toBe('0.3');
    expect(set.unconfirmed?.has('SHFL')).toBe(true);
    expect(set.unconfirmed?.has('BTC')).toBe(false);
    expect(set.unconfirmed?.has('TUSD')).toBe(false);
  });

  it('of a single source is accepted at the start once it has lasted for ten minutes', async () => {
    await book.refresh?.();
    await refreshFor(9.5);
    expect(await rate('SHFL')).toBeNull();
    await expectNear('TUSD', '0.998');
    await refreshFor(0.5);
    expect(await rate('SHFL')).toBe('0.3');
  });

  it('of a single source is not confirmed by an answer that is only remembered', async () => {
    await book.refresh?.();
    await refreshFor(9.5);
    network.down.add('coingecko');
    await refreshFor(2);
    expect(await rate('SHFL')).toBeNull();
  });

  it('of a single source is missing after a large change until it has lasted', async () => {
    await book.refresh?.();
    await refreshFor(10);
    network.change('coingecko', /"shuffle-2": \{\s*"usd": 0\.3/g, '"shuffle-2": {"usd": 300');
    await refreshFor(0.5);
    expect(await rate('SHFL')).toBeNull();
    await refreshFor(9.5);
    expect(await rate('SHFL')).toBeNull();
    await refreshFor(0.5);
    expect(await rate('SHFL')).toBe('300');
  });

  it('is missing for a coin off its peg', async () => {
    network.change('coingecko', '0.998', '998.0');
    expect(await rate('TUSD')).toBeNull();
    await expectNear('GUSD', '0.999');
  });

  it('ignores prices older than five minutes', async () => {
    network.only('bitstamp', 'kraken', 'coingecko');
    network.change('bitstamp', '1795240795', String(TEST_START / 1000 - 301));
    network.change('bitstamp', '"95998"', '"96998"');
    network.change('bitstamp', '"96002"', '"97002"');
    expect(await rate('BTC')).toBe('96002');
    await expectNear('EUR', '1.16');
  });
});

describe('refresh', () => {
  it('requests the sources at most every 30 s, once for concurrent callers', async () => {
    await Promise.all(Array.from({ length: 50 }, () => book.current()));
    const once = network.asked.length;
    expect(once).toBe(8);
    clock.advance(29_000);
    await book.current();
    expect(network.asked).toHaveLength(once);
    clock.advance(1_000);
    await book.current();
    expect(network.asked).toHaveLength(2 * once);
  });

  it('fails while no source has answered', async () => {
    network.only();
    await expect(book.current()).rejects.toMatchObject({ reason: 'RateUnavailable' });
  });

  it('serves the last good rate for ten minutes as stale, then fails, and recovers', async () => {
    const at = (await book.current()).at;
    network.only();
    clock.advance(30_000);
    await book.refresh?.();
    expect(await book.current()).toMatchObject({ stale: false });
    clock.advance(9 * 60_000 + 30_000);
    await book.refresh?.();
    expect(await book.current()).toMatchObject({ stale: true, at });
    clock.advance(1);
    await expect(book.current()).rejects.toMatchObject({ reason: 'RateUnavailable' });
    network.down.clear();
    clock.advance(5 * 60_000);
    expect((await book.current()).at).toBeGreaterThan(at);
  });

  it('retries a failing source with growing delays', async () => {
    await book.refresh?.();
    network.down.add('kraken');
    const asked: number[] = [];
    for (let seconds = 0; seconds < 1_200; seconds += 5) {
      clock.advance(5_000);
      network.asked.length = 0;
      await book.refresh?.();
      if (network.asked.some((url) => nameOf(url) === 'kraken')) asked.push(seconds);
    }
    expect(asked).toEqual([0, 5, 15, 35, 75, 155, 315, 615, 915]);
  });

  it('accepts a change of more than 15 % only when confirmed', async () => {
    await book.refresh?.();
    network.only('kraken', 'bitfinex', 'bitstamp');
    network.change('kraken', '96010.00000', '76810.00000');
    network.change('kraken', '95990.00000', '76790.00000');
    network.change('bitfinex', '95995', '76795');
    network.change('bitfinex', '96005', '76805');
    network.change('bitstamp', '"95998"', '"76798"');
    network.change('bitstamp', '"96002"', '"76802"');
    clock.advance(5 * 60_000 + 1);
    network.change('bitstamp', '1795240795', String((clock.real() / 1000) | 0));
    await book.refresh?.();
    await expectNear('BTC', '96000');
    await book.refresh?.();
    expect(await rate('BTC')).toBe('76800');
  });

  it('uses real time when business time changes', async () => {
    const business = { now: () => clock.real() + 86_400_000, real: () => clock.real() };
    const moved = liveRates({ clock: business, fetch: network.fetch, log: { warn: () => {} } });
    expect(await moved.current()).toMatchObject({ at: business.now(), stale: false });
  });
});

describe('reading prices', () => {
  it.each([
    ['96000', '96000'],
    ['8.8e-06', '0.0000088'],
    ['1E3', '1000'],
    ['0.1234567890123456789', '0.123456789012345678'],
    ['1e-19', null],
    ['0', null],
    ['-1', null],
    ['+1', null],
    ['NaN', null],
    ['Infinity', null],
    ['', null],
    ['1,000', null],
    ['1e30', null],
    ['1e99', null],
  ])('%s is %s', (text, price) => {
    const read = priceOf(text);
    expect(read === null ? null : formatAmount(read)).toBe(price);
  });

  it('keeps every digit of numbers, and strings as they are', () => {
    expect(
      parseJsonLosslessly('{"a":1.23456789012345678901,"b":[-1,2e-7],"c":"1,2,3: \\"4\\""}'),
    ).toEqual({
      a: '1.23456789012345678901',
      b: ['-1', '2e-7'],
      c: '1,2,3: "4"',
    });
  });
});

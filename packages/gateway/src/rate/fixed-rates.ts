import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { Clock } from '../context.ts';
import { MARKETS } from './markets.ts';
import type { RateBook } from './rate-book.ts';

/**
 * US dollars per unit of a currency. Constant, so that prices in the sandbox can be checked by
 * hand.
 */
const FIAT_USD: Readonly<Record<string, string>> = {
  USD: '1',
  EUR: '1.16',
  GBP: '1.32',
  AUD: '0.66',
  CAD: '0.72',
  CHF: '1.25',
  ZAR: '0.058',
  NOK: '0.099',
  NZD: '0.57',
  MXN: '0.054',
  CLP: '0.00107',
  KRW: '0.00068',
  JPY: '0.0064',
  PLN: '0.27',
  DKK: '0.155',
  SEK: '0.105',
  ARS: '0.0007',
  KES: '0.0077',
  BRL: '0.187',
  MNT: '0.00028',
  NGN: '0.00069',
  RUB: '0.0124',
  HUF: '0.003',
};

/** Rates of the sandbox: always the same, always fresh, no network. */
export function fixedRates(clock: Pick<Clock, 'now'>): RateBook {
  const usd = new Map(
    [
      ...Object.entries(FIAT_USD),
      ...Object.entries(MARKETS).map(([symbol, { sandboxUsd }]) => [symbol, sandboxUsd] as const),
    ].map(([symbol, rate]) => [symbol, parseAmount(rate)]),
  );
  return { current: async () => ({ usd, at: clock.now(), stale: false }) };
}

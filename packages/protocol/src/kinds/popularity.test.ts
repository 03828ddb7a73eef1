import { describe, expect, test } from 'vitest';
import { KINDS } from './kind.ts';
import { byPopularity } from './popularity.ts';

describe('byPopularity', () => {
  const sorted = byPopularity(KINDS).map(({ kind }) => kind);

  test('puts the most used kinds first and keeps all others', () => {
    expect(sorted.slice(0, 4)).toEqual(['BTC', 'BTC_LIGHTNING', 'USDT-TRX', 'ETH']);
    expect(sorted.toSorted()).toEqual(KINDS.map(({ kind }) => kind).toSorted());
  });

  test('keeps the table’s order of unranked kinds', () => {
    expect(sorted.indexOf('ETH_SHIB')).toBeGreaterThan(sorted.indexOf('ETH_SAND'));
  });
});

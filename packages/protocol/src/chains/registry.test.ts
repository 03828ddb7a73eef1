import { describe, expect, test } from 'vitest';
import { CHAIN_DETAILS } from './registry.ts';
import { CHAINS, KINDS } from '../kinds/kind.ts';

const MARKETS = Object.values(CHAIN_DETAILS).flatMap(({ markets }) => Object.entries(markets));

describe('markets', () => {
  test.each([...new Set(KINDS.map(({ symbol }) => symbol))])(
    'of %s stand in one chain’s file',
    (symbol) => {
      const found = MARKETS.filter(([name]) => name === symbol).length;
      expect(found, `${symbol} needs one entry under "markets" in the file of one chain`).toBe(1);
    },
  );

  test('have a public source, or another symbol’s price', () => {
    const symbols = MARKETS.map(([symbol]) => symbol);
    for (const [symbol, { sandboxUsd: _, sameAs, ...sources }] of MARKETS) {
      if (sameAs === undefined) expect(Object.keys(sources), symbol).not.toEqual([]);
      else expect(symbols, symbol).toContain(sameAs);
    }
  });

  test('of a dollar in the sandbox belong to stablecoins', () => {
    const dollars = MARKETS.filter(
      ([, { sandboxUsd }]) => Math.abs(Number(sandboxUsd) - 1) < 0.01,
    ).map(([symbol]) => symbol);
    const stablecoins = KINDS.filter(({ stablecoin }) => stablecoin).map(({ symbol }) => symbol);
    expect(dollars.toSorted()).toEqual([...new Set(stablecoins)].toSorted());
  });
});

test.each(Object.values(CHAINS))(
  '$id has its own id, and a URI scheme if it needs one',
  ({ id, family, scheme }) => {
    expect(CHAINS[id].id).toBe(id);
    expect(scheme !== undefined).toBe(family === 'utxo' || family === 'liquid');
  },
);

test('explorers have https addresses', () => {
  for (const { explorer } of Object.values(CHAIN_DETAILS))
    if (explorer !== null) expect(new URL(explorer).protocol).toBe('https:');
});

test.each(Object.values(CHAINS))(
  '$id: usual payments count no later than at its final depth',
  (chain) => {
    const { confirmations } = CHAIN_DETAILS[chain.id];
    expect(confirmations).toBeGreaterThanOrEqual(1);
    expect(confirmations).toBeLessThanOrEqual(chain.finalConfirmations);
  },
);

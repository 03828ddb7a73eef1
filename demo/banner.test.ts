import { expect, it } from 'vitest';
import { servedChains } from '../packages/gateway/src/engine/served-chains.ts';
import { hasTestWallet, headline, readServed, type Served } from './banner.ts';

type Sources = Served['chains'];

/** As the gateway logs it. */
function lineOf(network: 'mainnet' | 'testnet', sources: Sources): string {
  const chains = new Map(
    Object.entries(sources).map(([chain, source]) => [chain, { chain, source }]),
  ) as never;
  const served = servedChains({ network, chains });
  return JSON.stringify({ level: 30, event: 'chains_served', ...served, msg: 'serves' });
}

it.each<[string, 'mainnet' | 'testnet', Sources, string, boolean]>([
  [
    'only the sandbox',
    'testnet',
    { bitcoin: 'sandbox', ethereum: 'sandbox' },
    'Crypto Checkout runs on sandbox chains: no real money moves.',
    true,
  ],
  [
    'nodes of test networks beside the sandbox',
    'testnet',
    { bitcoin: 'sandbox', ethereum: 'node' },
    'Crypto Checkout runs on test networks by nodes (ethereum); all other chains are simulated.',
    true,
  ],
  [
    'nodes of test networks alone',
    'testnet',
    { litecoin: 'node', ethereum: 'node' },
    'Crypto Checkout runs on test networks by nodes (litecoin, ethereum).',
    false,
  ],
  [
    'a main network',
    'mainnet',
    { ethereum: 'node', base: 'node' },
    'Crypto Checkout runs on a main network (ethereum, base): REAL MONEY MOVES.',
    false,
  ],
])('`npm start` says what runs: %s', (_, network, sources, sentence, wallet) => {
  const served = readServed(lineOf(network, sources));
  expect(headline(served)).toBe(sentence);
  expect(hasTestWallet(served)).toBe(wallet);
});

it('without the word of the gateway nothing is promised, and no test wallet offered', () => {
  for (const line of ['', 'null', '{"event":"chains_served"}', '{"msg":"listening"}'])
    expect(readServed(line)).toBeNull();
  expect(headline(null)).toBe('Crypto Checkout runs.');
  expect(hasTestWallet(null)).toBe(false);
});
